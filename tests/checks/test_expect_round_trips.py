"""Expectations of what waits for round trips to an engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.below import service
from assay.checks.expect import MEASURED_CEILING, Measured, expectation
from assay.checks.figures import POSSIBLE
from assay.checks.plan import requirements
from assay.tools import mdtest, self_test
from assay.units import Quantity
from clusters import find
from daos_sites import tripped, wired_site, with_servers_as_clients


@pytest.mark.parametrize(
    "key",
    [
        "FioDfs.latency_4k on c1",
        "NetTest.latency_p99 on c1",
        "Io500.mdtest_easy_write on clients/dfs",
        "MdtestEasy.stat on clients/dfs",
    ],
)
def test_without_a_round_trip_that_was_measured_there_is_no_bound_of_them(key: str) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.bound is None
    assert "SelfTestClientServer.latency_empty has not been measured" in figure.derivation


@pytest.mark.parametrize(
    ("key", "scale", "ceiling", "by"),
    [
        # Four ranks in all, each with one operation of 1.2 us in flight, or two after the other.
        ("MdtestEasy.create on clients/dfs", "quick", 4 / 1.2e-6, "4 in flight / 1.20 us"),
        ("MdtestHard.create on clients/dfuse", "quick", 4 / 1.2e-6, "4 in flight / 1.20 us"),
        ("Io500.mdtest_easy_stat on clients/dfs", "quick", 4 / 1.2e-3, "4 in flight / 1.20 us"),
        # Two engines with sixteen targets each, and a core for each.
        ("MdtestEasy.create on clients/dfs", "acceptance", 2 * 32 * 414682, "32 targets ×"),
    ],
)
def test_without_a_round_trip_a_wrong_unit_is_refused_still(
    key: str, scale: str, ceiling: float, by: str
) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), Measured({}, scale))
    assert figure.bound is None
    assert figure.ceiling == pytest.approx(ceiling)
    assert by in figure.derivation.partition("; ceiling ")[2]


def test_beside_its_own_engines_a_client_needs_no_fabric() -> None:
    cluster = with_servers_as_clients("c1", "s1")
    metric = find(cluster, "MdtestEasy.create on clients/dfs")
    figure = expectation(cluster, metric, Measured({}, "quick"))
    assert "targets ×" in figure.derivation.partition("; ceiling ")[2]


def test_a_bound_is_no_more_than_any_target_can_do() -> None:
    cluster = wired_site()
    metric = find(cluster, "MdtestEasy.create on clients/dfs")
    figure = expectation(cluster, metric, tripped(1.5, "acceptance"))
    assert figure.bound == figure.ceiling == pytest.approx(2 * 32 * 414682)


@pytest.mark.parametrize(
    ("key", "scale", "bound"),
    [
        # Two clients with 2 or 32 ranks, each with one operation of 20 us in flight.
        ("MdtestEasy.create on clients/dfs", "quick", 4 / 20e-6),
        ("MdtestEasy.create on clients/dfs", "acceptance", 64 / 20e-6),
        ("MdtestEasy.read on clients/dfs", "quick", 4 / 20e-6),
        ("MdtestHard.stat on clients/dfs", "quick", 4 / 20e-6),
        ("MdtestHard2.remove on clients/dfuse", "quick", 4 / 20e-6),
        # The entry and then its 3901 bytes: two round trips.
        ("MdtestHard.create on clients/dfs", "quick", 4 / 40e-6),
        ("MdtestHard.read on clients/dfs", "acceptance", 64 / 40e-6),
        ("MdtestHard.create on clients/dfuse", "quick", 4 / 20e-6),
        ("Io500.mdtest_easy_delete on clients/dfs", "quick", 4 / 20e-3),
        ("Io500.mdtest_hard_write on clients/dfs", "quick", 4 / 40e-3),
        # One client: processes times what each has in flight.
        ("DaosPerf.fetch_4k on c1", "quick", 2 * 16 / 20e-6),
        ("FioDfs.randread_4k on c2", "quick", 2 * 16 / 20e-6),
        ("FioDfuse.randread_4k on c1/dfuse", "acceptance", 16 / 20e-6),
        ("FioDfuse.randwrite_4k on c1/pil4dfs", "quick", 2 / 20e-6),
    ],
)
def test_no_more_operations_than_round_trips_that_fit(key: str, scale: str, bound: float) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), tripped(20.0, scale))
    assert figure.ground == "measured"
    assert figure.bound == pytest.approx(bound)
    assert figure.ceiling == pytest.approx(MEASURED_CEILING * bound)
    assert figure.floor is None or figure.floor <= POSSIBLE * bound
    assert "least of SelfTestClientServer.latency_empty on s1/engine1" in figure.derivation


def test_a_wild_round_trip_bounds_nothing() -> None:
    """One sample of a nanosecond made any rate of metadata possible."""
    metric = find(wired_site(), "MdtestEasy.stat on clients/dfs")
    tripping = {each: [*samples, 1e-3] for each, samples in tripped(20.0).items()}
    wild = expectation(wired_site(), metric, Measured(tripping, "quick"))
    assert wild.bound == expectation(wired_site(), metric, tripped(20.0, "quick")).bound


def test_without_a_scale_as_many_processes_are_taken_as_any_scale_has() -> None:
    cluster = wired_site()
    metric = find(cluster, "MdtestEasy.stat on clients/dfs")
    assert expectation(cluster, metric, tripped(20.0)) == expectation(
        cluster, metric, tripped(20.0, "acceptance")
    )


def test_a_client_has_no_more_ranks_than_cores() -> None:
    cluster = wired_site(**{"c2: cores": 8})
    metric = find(cluster, "MdtestEasy.stat on clients/dfs")
    figure = expectation(cluster, metric, tripped(20.0, "acceptance"))
    assert figure.bound == pytest.approx(2 * 8 / 20e-6)


def test_where_the_wire_is_tighter_than_waiting_no_allowance_is_made() -> None:
    cluster = wired_site()
    metric = find(cluster, "DaosPerf.fetch_4k on c1")
    figure = expectation(cluster, metric, tripped(1.0, "acceptance"))
    assert figure.ground == "hardware"
    assert figure.bound == figure.ceiling == pytest.approx(200e9 / 8 / 4096)


def test_the_wire_ends_the_allowance_over_waiting() -> None:
    cluster = wired_site()
    metric = find(cluster, "DaosPerf.fetch_4k on c1")
    # 32 x 16 in flight in 100 us are 5.12 million; the wire lets 6.1 million through.
    figure = expectation(cluster, metric, tripped(100.0, "acceptance"))
    assert figure.bound == pytest.approx(5_120_000)
    assert figure.ceiling == pytest.approx(200e9 / 8 / 4096)
    assert "ceiling what the clients' NICs would allow" in figure.derivation


@pytest.mark.parametrize(
    ("key", "bound"),
    [
        # 4 KiB take 0.164 us at 200 Gbit/s.
        ("FioDfs.latency_4k on c1", 20 + 4096 * 8 / 200e9 * 1e6),
        ("FioDfuse.latency_4k on c2/dfuse", 20 + 4096 * 8 / 200e9 * 1e6),
        ("NetTest.latency_p50 on c1", 20),
        ("NetTest.latency_p99 on c2", 20),
    ],
)
def test_no_latency_is_shorter_than_a_round_trip(key: str, bound: float) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), tripped(20.0))
    assert figure.bound == pytest.approx(bound)
    assert figure.floor == pytest.approx(bound / MEASURED_CEILING)
    assert figure.derivation.endswith("; no shorter than 50% of the bound")
    assert "a round trip, 20.0 us" in figure.derivation


def test_a_client_with_engines_of_its_own_is_nearer_than_what_was_measured() -> None:
    cluster = with_servers_as_clients("c1", "s1")
    figure = expectation(cluster, find(cluster, "MdtestEasy.stat on clients/dfs"), tripped(20.0))
    assert figure.bound is None
    assert "s1 is both client and server" in figure.derivation


def test_on_one_machine_the_round_trip_is_that_of_the_machine() -> None:
    cluster = with_servers_as_clients("s1")
    metric = find(cluster, "MdtestHard.create on clients/dfs")
    figure = expectation(cluster, metric, tripped(20.0, "quick"))
    assert figure.bound == pytest.approx(2 / 40e-6)


WIRED = wired_site()


KNOWN = {metric.key: metric for metric in requirements(WIRED)}


RATES = (
    "MdtestEasy.create on clients/dfs",
    "MdtestHard.read on clients/dfs",
    "Io500.metadata_score_without_find on clients/dfs",
    "FioDfs.randwrite_4k on c1",
    "DaosPerf.update_4k on c1",
)


@given(st.sampled_from(RATES), st.floats(0.5, 1e5), st.floats(0.01, 1))
def test_a_shorter_round_trip_never_lowers_a_rate(key: str, trip: float, shorter: float) -> None:
    slow, fast = (expectation(WIRED, KNOWN[key], tripped(t)) for t in (trip, trip * shorter))
    assert slow.bound is not None
    assert slow.ceiling is not None
    assert fast.bound is not None
    assert fast.ceiling is not None
    assert slow.bound <= fast.bound
    assert slow.ceiling <= fast.ceiling
    assert fast.bound <= fast.ceiling


@settings(max_examples=25)  # a cluster is described anew each time
@given(st.sampled_from(RATES[:3]), st.integers(1, 64), st.integers(0, 64), st.floats(0.5, 1e4))
def test_more_processes_never_lower_a_rate(key: str, cores: int, more: int, trip: float) -> None:
    bounds = []
    for count in (cores, cores + more):
        cluster = wired_site(**{"c1: cores": count, "c2: cores": count})
        figure = expectation(cluster, KNOWN[key], tripped(trip))
        assert figure.bound is not None
        bounds.append(figure.bound)
    assert bounds[0] <= bounds[1]


@given(st.floats(0.5, 1e5), st.floats(0.01, 1))
def test_a_shorter_round_trip_never_raises_what_a_latency_has_to_keep(
    trip: float, shorter: float
) -> None:
    metric = KNOWN["FioDfs.latency_4k on c1"]
    slow, fast = (expectation(WIRED, metric, tripped(t)) for t in (trip, trip * shorter))
    assert slow.floor is not None
    assert fast.floor is not None
    assert fast.floor <= slow.floor


RECORDED = Path(__file__).parents[1] / "recorded"


OPERATIONS = {
    "file_creation": "create",
    "file_stat": "stat",
    "file_read": "read",
    "file_removal": "remove",
}


@pytest.mark.parametrize(
    ("check", "recording"),
    [
        ("MdtestEasy", "dfs_easy"),
        ("MdtestEasy", "dfs_rates_and_times"),
        ("MdtestEasy", "dfs_deadline"),
        ("MdtestHard", "dfs_verified"),
    ],
)
def test_what_mdtest_did_on_a_real_system_is_not_too_good_to_be_true(
    check: str, recording: str
) -> None:
    """One machine with DAOS 2.8, two ranks and the round trips that self_test saw there."""
    cluster = with_servers_as_clients("s1")
    trips = [
        sample.value
        for number in (0, 1)
        for sample in self_test.parse(
            (RECORDED / f"self_test/quick/latency_empty-{number}.txt").read_text()
        ).samples
        if sample.metric == "endpoint_latency"
    ]
    seen = mdtest.parse((RECORDED / f"mdtest/{recording}.txt").read_text()).samples
    rates = {OPERATIONS[s.metric]: s.value for s in seen if s.metric in OPERATIONS}
    assert rates
    for operation, rate in rates.items():
        metric = find(cluster, f"{check}.{operation} on clients/dfs")
        figure = expectation(cluster, metric, tripped(min(trips), "quick"))
        assert figure.bound is not None
        assert rate < figure.bound


@pytest.mark.parametrize(("payload", "alone"), [(220.0, 220.0), (20.0, 20.0), (19.0, 20.0)])
def test_a_payload_takes_what_its_round_trip_takes_longer_than_an_empty_one(
    payload: float, alone: float
) -> None:
    cluster = wired_site()
    times = {"latency_empty": 20.0, "latency_get_1m": payload}
    measured = Measured(
        {
            find(cluster, f"SelfTestClientServer.{name} on s1/engine{number}"): [time]
            for name, time in times.items()
            for number in (0, 1)
        }
    )
    seconds = service(cluster, "write", Quantity(1, "MiB"), measured)
    assert seconds == pytest.approx(alone / 1e6)
