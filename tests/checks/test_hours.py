"""How long a campaign is expected to take."""

from __future__ import annotations

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
    document["daos"] |= more
    return described(document)


@pytest.mark.parametrize("scale", hours.SCALES)
def test_every_check_of_the_plan_takes_a_time(scale: str) -> None:
    cluster = full(4, 3)
    takes = hours.of_checks(cluster, scale)
    assert set(takes) == {(each.check, each.partition) for each in requirements(cluster)}
    assert all(seconds > hours.JOB_S for seconds in takes.values())


def test_an_acceptance_takes_longer() -> None:
    cluster = full(4, 3)
    quick, acceptance = (hours.of_checks(cluster, scale) for scale in hours.SCALES)
    assert all(acceptance[each] > quick[each] for each in quick)


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
