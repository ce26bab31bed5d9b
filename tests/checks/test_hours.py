"""How long a campaign is expected to take."""

from __future__ import annotations

import re

import pytest

from assay.checks import hours
from assay.checks.plan import CHECKS, requirements
from assay.cluster.description import Cluster
from clusters import described
from sites import site


def full(clients: int, servers: int) -> Cluster:
    document = site("md-on-ssd-shared", servers=servers, engines=2, clients=clients)
    tools = ("fio", "fi_pingpong", "ior", "mdtest", "io500", "fdb_hammer", "fdb_hammer_daos")
    document["benchmarks"] = {tool: f"/opt/{tool}" for tool in tools}
    document["benchmarks"] |= {"fio_dfs": "/opt/fio", "fdb_share": "/opt/share"}
    document["benchmarks"] |= {"shared_directory": "/shared", "ior_apis": ["DFS"]}
    more = {"pool": "tank", "container": "posix", "perf_pool": "perf", "mount": "/mnt/dfuse"}
    document["daos"] |= more | {"rank_pool_size": "1TiB"}
    return described(document)


@pytest.mark.parametrize("scale", hours.SCALES)
def test_every_check_of_the_plan_takes_a_time(scale: str) -> None:
    cluster = full(4, 3)
    takes = hours.of_checks(cluster, scale)
    assert set(takes) == {(each.check, each.partition) for each in requirements(cluster, scale)}
    assert all(seconds > hours.JOB_S for seconds in takes.values())


TIMES = {
    ("FiPingpong", "clients"): (34.486, 75.869),
    ("FiPingpong", "servers"): (51.729, 113.803),
    ("SelfTestClientServer", "clients"): (302.4, 6948.0),
    ("SelfTestCrossServer", "clients"): (112.56, 994.0),
    ("NetTest", "clients"): (19.92, 206.0),
    ("VosPerfRate", "servers"): (19.488, 303.52),
    ("VosPerfBandwidth", "servers"): (9.248, 55.029),
    ("SsdFio", "clients"): (15.932, 1037.132),
    ("SsdFio", "servers"): (15.932, 1037.132),
    ("NvmeBandwidth", "servers"): (118.8, 558.0),
    ("NvmeIops", "servers"): (224.4, 1054.0),
    ("ClientPlacement", "clients"): (3.6, 6.0),
    ("ClientInterfaces", "clients"): (3.6, 6.0),
    ("PageCacheHonesty", "clients"): (29.808, 15770.64),
    ("PosixFio", "clients"): (5.932, 377.132),
    ("FdbHammer", "clients"): (16.081, 236.05),
    ("FdbHammerSeparate", "clients"): (16.081, 236.05),
    ("DaosPerf", "clients"): (36.672, 1628.864),
    ("FdbHammerDaos", "clients"): (41.125, 174.171),
    ("FdbHammerDaosSeparate", "clients"): (41.125, 174.171),
    ("IorEasy", "clients"): (122.0, 1863.0),
    ("IorHard", "clients"): (122.0, 1863.0),
    ("FioDfs", "clients"): (18.879, 594.879),
    ("FioDfuse", "clients"): (56.638, 1784.638),
    ("Io500", "clients"): (48.8, 1490.4),
    ("Io500Program", "clients"): (48.8, 1490.4),
    ("MdtestEasy", "clients"): (51.3, 1135.5),
    ("MdtestHard", "clients"): (51.3, 1135.5),
    ("MdtestHard2", "clients"): (51.3, 1135.5),
}
"""Check and partition to the seconds of its job, without its start, at quick and at acceptance."""

ALONE = {("IorByRank", "clients"): 734.244}
"""Likewise, of what an acceptance alone measures."""


@pytest.mark.parametrize("at", [0, 1], ids=hours.SCALES)
def test_the_time_of_each_check_on_four_clients_and_three_servers(at: int) -> None:
    takes = hours.of_checks(full(4, 3), hours.SCALES[at])
    seconds = {each: of_scales[at] for each, of_scales in TIMES.items()} | (ALONE if at else {})
    expected = {each: hours.JOB_S + job_s for each, job_s in seconds.items()}
    assert takes == pytest.approx(expected, abs=2e-3)


def test_an_acceptance_takes_longer() -> None:
    cluster = full(4, 3)
    quick, acceptance = (hours.of_checks(cluster, scale) for scale in hours.SCALES)
    assert all(acceptance[each] > quick[each] for each in quick)
    assert acceptance.keys() - quick.keys() == ALONE.keys()


def test_more_repetitions_take_as_much_longer() -> None:
    for (name, _), seconds in hours.of_checks(full(4, 3), "quick").items():
        assert seconds < 3 * 3600, name
        assert CHECKS[name].scales["quick"]["repetitions"] >= 1


@pytest.mark.parametrize("scale", hours.SCALES)
def test_it_grows_with_hosts_and_not_with_their_product(scale: str) -> None:
    small, large = (sum(hours.of_checks(full(n, n), scale).values()) for n in (24, 96))
    assert large < 4 * small


def test_phases_are_those_of_the_campaign() -> None:
    cluster = full(4, 3)
    assert list(hours.by_phase(cluster, "quick")) == ["raw", "scm", "system"]
    whole = sum(hours.of_checks(cluster, "quick").values())
    assert sum(hours.by_phase(cluster, "quick").values()) == pytest.approx(whole)
    quick, _ = hours.sentences(cluster)
    assert re.search(r"\(raw \d+ \w+, scm \d+ \w+, system \d+ \w+\)$", quick)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3, "10 s"), (42, "40 s"), (89, "90 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h")],
)
def test_a_time_as_people_say_it(seconds: float, words: str) -> None:
    assert hours.spelled(seconds) == words


def test_what_shares_cores_with_engines_takes_as_much_longer() -> None:
    document = site("file", servers=1, engines=2, clients=1)
    for host in document["hosts"].values():
        host["cores"] = 4
    for engine in document["hosts"]["s1"]["engines"]:
        engine |= {"targets": 2, "nr_xs_helpers": 0, "env_vars": ["DAOS_TARGET_OVERSUBSCRIBE=1"]}
    document["benchmarks"] = {"ior": "/opt/ior", "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix"}
    apart = described(document)
    document["daos"]["agents"] = ["s1"]
    together = described(document | {"clients": ["s1"], "colocated": True})
    of_ior = [
        hours.of_checks(cluster, "quick")["IorEasy", "clients"] - hours.JOB_S
        for cluster in (apart, together)
    ]
    # 2 ranks, and each engine has 2 targets and a stream for metadata.
    assert of_ior[1] / of_ior[0] == pytest.approx((2 + 2 * 3) / 4)


def test_processes_that_share_cores_check_fields_in_turn() -> None:
    def of_fields(cores: int) -> float:
        document = site(servers=1, clients=1)
        document["hosts"]["c1"]["cores"] = cores
        document["benchmarks"] = {"fdb_hammer": "/opt/fdb", "fdb_share": "/opt/share"}
        return hours.of_checks(described(document), "quick")["FdbHammer", "clients"]

    # 64 fields of 1 MiB: 5 times at 125 and at 333 MiB/s. Four processes take turns on two cores.
    once = 5 * (64 / 125 + 64 / 333)
    assert of_fields(2) - of_fields(4) == pytest.approx(once)
    assert of_fields(1) - of_fields(4) == pytest.approx(3 * once)
    assert of_fields(8) == of_fields(4)
