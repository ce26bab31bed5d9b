"""Each rank alone: who measures it, in which rounds, what it writes, and what bounds it."""

from __future__ import annotations

from typing import Any

import pytest

from assay.checks.benchmarks.ior_by_rank import (
    IOR_BY_RANK,
    LARGE,
    SMALL,
    block_bytes,
    names,
    processes,
    read,
)
from assay.checks.entry import Metric, Run, run_of
from assay.checks.expect import Measured, expectation
from assay.checks.pairs import TOGETHER, clients_by_rank
from assay.checks.plan import requirements
from assay.checks.unmeasured import by_rank
from assay.cluster.description import Cluster
from assay.subject import Subject
from clusters import described, find
from daos_sites import GBIT_IN_MIB
from recordings import recorded
from sites import put, site


def system(
    servers: int = 2,
    clients: int = 2,
    *,
    engines: int = 2,
    size: str | None = "24GiB",
    layout: str = "ephemeral",
    changes: dict[str, Any] | None = None,
) -> Cluster:
    document = site(layout, servers=servers, engines=engines, clients=clients)
    document["benchmarks"] = {"ior": "/opt/ior", "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix", "rank_pool_size": size}
    return described(put(document, changes or {}))


def a_run(cluster: Cluster) -> Run:
    return run_of(cluster, IOR_BY_RANK, "clients", "acceptance")


# Clients and rounds.


@pytest.mark.parametrize(("servers", "clients"), [(1, 1), (2, 2), (3, 10), (4, 100), (5, 2)])
def test_ranks_of_a_round_share_no_server_and_no_client(servers: int, clients: int) -> None:
    cluster = system(servers, clients)
    design = clients_by_rank(cluster)
    for together in design.rounds:
        hosts = [engine.host for engine in together]
        used = [client for engine in together for client in design.partners[engine]]
        assert len(set(hosts)) == len(hosts)
        assert len(set(used)) == len(used)
    measured = [engine for together in design.rounds for engine in together]
    assert sorted(measured) == sorted(set(measured)) == sorted(design.partners)
    assert len(measured) == 2 * servers


@pytest.mark.parametrize(
    ("servers", "clients", "rounds", "each"),
    [(2, 2, 2, 1), (64, 64, 2, 1), (40, 130, 2, 3), (2, 100, 2, TOGETHER), (64, 16, 8, 1)],
)
def test_servers_take_turns_only_if_there_are_fewer_clients(
    servers: int, clients: int, rounds: int, each: int
) -> None:
    design = clients_by_rank(system(servers, clients))
    assert len(design.rounds) == rounds
    assert {len(block) for block in design.partners.values()} == {each}


def test_the_engines_of_a_server_have_different_clients() -> None:
    """A client that is slow then slows ranks of two servers, and both look unlike a server."""
    partners = clients_by_rank(system(3, 3)).partners
    for server in ("s1", "s2", "s3"):
        first, second = (partners[Subject(server, engine=number)] for number in (0, 1))
        assert not set(first) & set(second)


def test_a_server_with_fewer_engines_is_not_in_every_round() -> None:
    first = site()["hosts"]["s1"]["engines"]
    cluster = system(2, 2, changes={"s2: engines": first})
    rounds = [[str(engine) for engine in each] for each in clients_by_rank(cluster).rounds]
    assert rounds == [["s1/engine0", "s2/engine0"], ["s1/engine1"]]


# The plan.


def required(cluster: Cluster, scale: str = "") -> set[str]:
    return {str(each.subject) for each in requirements(cluster, scale) if each.check == "IorByRank"}


def test_every_rank_is_required_at_the_scale_acceptance_alone() -> None:
    ranks = {f"s{server}/engine{number}" for server in (1, 2) for number in (0, 1)}
    assert required(system()) == required(system(), "acceptance") == ranks
    # A campaign of several scales, or of none, leaves nothing out.
    assert required(system(), "acceptance and quick") == required(system(), "none") == ranks
    assert required(system(), "quick") == set()


@pytest.mark.parametrize(
    "changes",
    [{"daos/rank_pool_size": None}, {"benchmarks/ior": None}, {"benchmarks/ior_apis": []}],
)
def test_without_a_consent_or_ior_none_is_required(changes: dict[str, Any]) -> None:
    assert required(system(changes=changes)) == set()


def test_the_plan_says_when_ranks_are_measured_or_what_that_takes() -> None:
    (sentence,) = by_rank(system(size=None))
    assert sentence.startswith("IorByRank is not tested: it makes a pool on each rank, which needs")
    assert by_rank(system(64, 16)) == [
        "IorByRank measures 128 ranks in 8 rounds, at the scale acceptance only"
    ]
    assert by_rank(system(size=None, changes={"benchmarks/ior": None})) == []


def test_the_rounds_take_as_long_with_more_servers() -> None:
    """Only the pools take longer, of which dmg makes eight at once."""
    few, many = (IOR_BY_RANK.takes(a_run(system(count, count))) for count in (4, 64))
    pools_s = 2 * 3.0 / 8
    assert many - few == pytest.approx((128 - 8) * pools_s)


# What is written, and how it is read.


@pytest.mark.parametrize(("servers", "clients", "size"), [(2, 2, "24GiB"), (1, 5, "1TB")])
def test_all_runs_together_fill_about_half_of_the_pool(
    servers: int, clients: int, size: str
) -> None:
    run = a_run(system(servers, clients, size=size))
    rank = Subject("s1", engine=0)
    written = sum(
        block_bytes(run, rank, metric) * processes(run, rank)
        for _, metric in names(run)
        if metric.direction == "write"
    )
    total = 24 * 2**30 if size == "24GiB" else 10**12
    assert 0.45 < written / total < 0.6


@pytest.mark.parametrize("metric", [*LARGE, *SMALL], ids=lambda metric: metric.name)
def test_a_process_writes_whole_transfers_and_at_least_one(metric: Metric) -> None:
    assert metric.transfer
    transfer = int(metric.transfer.to("B").value)
    for size in ("24GiB", "18GiB"):
        written = block_bytes(a_run(system(size=size)), Subject("s1", engine=0), metric)
        assert written >= transfer
        assert written % transfer == 0


def test_the_last_runs_verify_large_transfers_and_have_no_figure() -> None:
    steps = [name for name, _ in names(a_run(system()))]
    assert steps[:4] == ["write_1m.1", "read_1m.1", "write_4k.1", "read_4k.1"]
    assert steps[-2:] == ["write_1m.verified", "read_1m.verified"]
    assert len(steps) == 6 * 5 + 2


@pytest.mark.parametrize("metric", [*LARGE, *SMALL[:2]], ids=lambda metric: metric.name)
def test_a_run_has_one_sample_of_its_metric(metric: Metric) -> None:
    cluster = system(1, 1, changes={"c1: cores": 2})
    text = recorded("ior", f"by_rank/{RECORDED[metric.name][0]}.json")
    parsed = read(a_run(cluster), Subject("s1", engine=0), metric, text)
    assert parsed.problems == ()
    (sample,) = parsed.samples
    assert (sample.metric, sample.unit) == (metric.name, metric.unit)
    assert sample.value == pytest.approx(RECORDED[metric.name][1], rel=1e-3)


RECORDED = {
    "write_1m": ("write_2m", 9.926),
    "read_1m": ("read_2m", 44.5136),
    "write_4k": ("write_4k", 26.112),
    "read_4k": ("read_4k", 41.2928),
}
"""The recording, and what ReFrame printed of it; a small transfer is 1/256 of a MiB. Large ones had
2 MiB when they were recorded."""


def test_a_run_of_fewer_processes_than_asked_for_has_a_problem() -> None:
    run = a_run(system(1, 2, changes={f"c{n}: cores": 2 for n in (1, 2)}))
    text = recorded("ior", "by_rank/write_2m.json")
    (problem, *_) = read(run, Subject("s1", engine=0), LARGE[0], text).problems
    assert "2" in problem
    assert "4" in problem


# What bounds it.


@pytest.mark.parametrize(
    ("metric", "client", "engine", "bound"),
    [
        ("write_1m", 200.0, 100.0, 100 * GBIT_IN_MIB),
        ("read_1m", 50.0, 100.0, 50 * GBIT_IN_MIB),
        ("write_4k", 200.0, 100.0, 100e9 / 8 / 4096),
        ("read_256b", 200.0, 100.0, 100e9 / 8 / 256),
    ],
)
def test_a_rank_is_bounded_by_its_own_port_and_its_clients(
    metric: str, client: float, engine: float, bound: float
) -> None:
    speeds = {f"c{n}: interfaces/ib0/speed_gbits": client for n in (1, 2)}
    cluster = system(changes={"s1: interfaces/ib1/speed_gbits": engine, **speeds})
    figure = expectation(cluster, find(cluster, f"IorByRank.{metric} on s1/engine1"), {})
    assert figure.bound == pytest.approx(bound)


def test_a_rank_is_bounded_by_its_own_ssds() -> None:
    """Four SSDs of a rank, and not the sixteen of all ranks."""
    sheet = {f"s{n}: datasheets": {"ssd": "Intel D7-P5510 3.84TB"} for n in (1, 2)}
    cluster = system(changes=sheet)
    figure = expectation(cluster, find(cluster, "IorByRank.write_1m on s2/engine0"), {})
    promised = cluster.sheets.ssd["Intel D7-P5510 3.84TB"].write_bandwidth
    assert promised
    assert figure.bound == pytest.approx(4 * promised.to("MiB/s").value)


def test_the_floor_follows_from_what_the_same_rank_was_measured_to_do() -> None:
    sheet = {f"s{n}: datasheets": {"ssd": "Intel D7-P5510 3.84TB"} for n in (1, 2)}
    cluster = system(changes=sheet)
    plan = requirements(cluster)
    slow, sound = Subject("s1", engine=0), Subject("s1", engine=1)
    measured = Measured(
        {
            each: [100.0 if each.subject == slow else 10_000.0] * 3
            for each in plan
            if each.figure == "SelfTestClientServer.get_1m"
        },
        "acceptance",
    )
    floors = {
        subject: expectation(
            cluster, find(cluster, f"IorByRank.write_1m on {subject}"), measured
        ).floor
        for subject in (slow, sound)
    }
    assert floors[slow] == pytest.approx(0.80 * 100)
    assert floors[sound] is not None
    assert floors[sound] > 10 * floors[slow]


def test_small_transfers_wait_for_a_round_trip_in_each_process_of_each_client() -> None:
    cluster = system(1, 2, engines=1)
    trips = {
        each: [100.0] * 3
        for each in requirements(cluster)
        if each.figure == "SelfTestClientServer.latency_empty"
    }
    key = "IorByRank.read_4k on s1/engine0"
    figure = expectation(cluster, find(cluster, key), Measured(trips, "acceptance"))
    # Two clients with 32 processes, each with an operation in 100 us.
    assert figure.bound == pytest.approx(2 * 32 * 10_000)


PAIR = {"read_bandwidth": "12800 MB/s", "write_bandwidth": "7600 MB/s", "source": "two PM1733"}
"""As the hosts of these tests have four SSDs an engine, and those of Aurora eight."""


def aurora(changes: dict[str, Any] | None = None) -> Cluster:
    """Two servers like those of Aurora, with eight clients; each engine has 200 Gbit/s."""
    sheets = {f"s{n}: datasheets": {"ssd": "pair"} for n in (1, 2)}
    slingshot = {"provider": "ofi+cxi", "hardware": {"ssd": {"pair": PAIR}}}
    return system(2, 8, layout="pmem", changes={**slingshot, **sheets, **(changes or {})})


def least(cluster: Cluster, metric: str) -> float:
    key = f"IorByRank.{metric} on s1/engine0"
    found = expectation(cluster, find(cluster, key), Measured({}, "acceptance"))
    assert found.floor
    return found.floor


@pytest.mark.parametrize("metric", ["write_1m", "read_1m"])
def test_a_rank_of_aurora_is_judged_as_aurora_does(metric: str) -> None:
    """22,500 MiB/s less 15 %, from a port of 200 Gbit/s; half the port requires half of it."""
    assert least(aurora(), metric) == pytest.approx(0.85 * 22_500, rel=0.01)
    half = {f"s{n}: interfaces/ib0/speed_gbits": 100.0 for n in (1, 2)}
    assert least(aurora(half), metric) == pytest.approx(0.85 * 22_500 / 2, rel=0.01)


@pytest.mark.parametrize("metric", ["write_256b", "read_256b"])
def test_small_values_of_a_rank_of_aurora_depend_on_targets_and_not_on_the_port(
    metric: str,
) -> None:
    """600,000 IO/s less 15 % with 4 clients and 16 targets."""
    assert least(aurora(), metric) == pytest.approx(0.85 * 600_000, rel=0.001)
    half = {f"s{n}: interfaces/ib0/speed_gbits": 100.0 for n in (1, 2)}
    assert least(aurora(half), metric) == pytest.approx(0.85 * 600_000, rel=0.001)
    fewer = {f"s{n}: engines/{e}/targets": 8 for n in (1, 2) for e in (0, 1)}
    assert least(aurora(fewer), metric) == pytest.approx(0.85 * 300_000, rel=0.001)


def test_ssds_that_are_slower_than_the_port_are_no_part_of_the_ports_fraction() -> None:
    sheet = {"hardware": {"ssd": {"pair": {**PAIR, "write_bandwidth": "3000 MB/s"}}}}
    floor = least(aurora(sheet), "write_1m")
    assert floor == pytest.approx(0.66 * 4 * 3000e6 / 2**20, rel=0.001)
