"""Expectations of what goes through DAOS: what its data crosses, and round trips to an engine."""

from pathlib import Path
from statistics import geometric_mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.below import service
from assay.checks.expect import MEASURED_CEILING, Measured, expectation
from assay.checks.figures import POSSIBLE, targets
from assay.checks.plan import CHECKS, Requirement, requirements
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools import mdtest, self_test
from assay.units import Quantity
from clusters import described, find
from sites import put, site


def wired_site(**changes: Any) -> Cluster:
    """Two clients with one interface of 200 Gbit/s each, and one server with two engines."""
    document = site(servers=1, engines=2, clients=2)
    document["benchmarks"] = {
        **{name: f"/opt/{name}" for name in ("fio", "fio_dfs", "ior", "mdtest")},
        "io500": "/opt/io500",
        "fdb_hammer_daos": "/opt/fdb/bin/fdb-hammer",
        "fdb_share": "/opt/fdb/share",
        "ior_apis": ["DFS"],
        "shared_directory": "/share",
    }
    document["daos"] |= {"pool": "tank", "container": "posix", "mount": "/mnt/dfuse"}
    document["daos"]["perf_pool"] = "perf"
    return described(put(document, changes))


GBIT_IN_MIB = 1e9 / 8 / 2**20


@pytest.mark.parametrize(
    ("key", "speed", "bound"),
    [
        ("IorEasy.write on clients/dfs", 200.0, 400 * GBIT_IN_MIB),
        ("IorEasy.write on clients/dfs", 50.0, 250 * GBIT_IN_MIB),
        ("FioDfs.read_1m on c2", 200.0, 200 * GBIT_IN_MIB),
        ("DaosPerf.fetch_1m on c1", 200.0, 200 * GBIT_IN_MIB),
        ("DaosPerf.update_4k on c1", 200.0, 200e9 / 8 / 4096),
        ("FdbHammerDaos.write on clients/10-containers", 200.0, 400 * GBIT_IN_MIB),
        ("FdbHammerDaosSeparate.read on clients/1-containers", 50.0, 250 * GBIT_IN_MIB),
        ("Io500.ior_easy_write on clients/dfs", 200.0, 400e9 / 8 / 2**30),
        ("FioDfuse.randread_4k on c1/ioil", 200.0, 200e9 / 8 / 4096),
    ],
)
def test_data_in_daos_crosses_the_wires_of_both_sides(key: str, speed: float, bound: float) -> None:
    cluster = wired_site(**{"s1: interfaces/ib1/speed_gbits": speed})
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.ground == "hardware"
    assert figure.bound == figure.ceiling == pytest.approx(bound)
    assert figure.floor is None


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("IorHard.read on clients/posix", "what serves the shared directory"),
        ("Io500.ior_hard_read on clients/posix", "what serves the shared directory"),
        ("Io500.bandwidth_score on clients/posix", "ior_easy_write has no bound"),
        ("MdtestEasy.create on clients/posix", "what serves the shared directory"),
        ("Io500Program.score on clients/dfs", "metadata_score has no bound"),
        ("FdbHammerDaos.write_open on clients/1-containers", "no lower layer opens a database"),
    ],
)
def test_what_nothing_bounds_is_unrated_and_says_why(key: str, why: str) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), tripped(20.0))
    assert (figure.ground, figure.bound) == ("nothing", None)
    assert why in figure.derivation


@pytest.mark.parametrize(
    ("key", "why", "floor"),
    [
        # Two clients with 2 ranks each.
        ("MdtestHard.stat on clients/dfuse", "may answer from their caches", 4 * 0.3 * 294),
        ("MdtestEasy.read on clients/dfuse", "may answer from their caches", 4 * 0.3 * 294),
        ("Io500Program.find on clients/dfs", "one answer of an engine", 4 * 0.5 * 4.41),
    ],
)
def test_what_nothing_bounds_still_has_the_floor_that_others_measured(
    key: str, why: str, floor: float
) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), tripped(20.0, "quick"))
    assert (figure.ground, figure.bound, figure.ceiling) == ("reference", None, None)
    assert figure.floor == pytest.approx(floor)
    assert why in figure.derivation


def test_a_score_has_the_mean_of_the_floors_of_its_phases_though_one_has_no_bound() -> None:
    cluster = wired_site()
    measured = tripped(20.0, "quick")
    names = [
        metric.name
        for metric in CHECKS["Io500Program"].metrics
        if metric.name.startswith("mdtest") or metric.name == "find"
    ]
    floors = [
        expectation(cluster, find(cluster, f"Io500Program.{name} on clients/dfs"), measured).floor
        for name in names
    ]
    metric = find(cluster, "Io500Program.metadata_score on clients/dfs")
    figure = expectation(cluster, metric, measured)
    assert figure.floor == pytest.approx(geometric_mean([floor or 0 for floor in floors]))
    assert "find has no bound" in figure.derivation


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
    ("object_class", "key", "bound"),
    [
        ("SX", "IorEasy.write on clients/dfs", 400),
        ("RP_2GX", "IorEasy.write on clients/dfs", 400 / 2),  # the servers' NICs
        ("RP_3GX", "FioDfs.write_1m on c1", 400 / 3),
        ("EC_4P2GX", "IorEasy.write on clients/dfs", 400 / 1.5),
        ("EC_4P2GX", "FioDfs.write_1m on c1", 200 / 1.5),  # the client's, with its parity
        ("EC_4P2GX", "IorHard.write on clients/dfs", 400 / 1.5),  # the servers'
        ("RP_3GX", "IorEasy.read on clients/dfs", 400),
        ("RP_3GX", "DaosPerf.update_1m on c1", 200),  # its objects are of another class
        ("RP_3GX", "FdbHammerDaos.write on clients/1-containers", 400),  # so are FDB's
    ],
)
def test_the_files_of_a_container_have_the_cost_of_its_object_class(
    object_class: str, key: str, bound: float
) -> None:
    cluster = wired_site(**{"daos/file_oclass": object_class})
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.bound == pytest.approx(bound * GBIT_IN_MIB)


def tripped(least: float, scale: str = "") -> Measured:
    """Round trips to two engines, of which the shortest takes so many microseconds."""
    check = CHECKS["SelfTestClientServer"]
    (trip,) = (metric for metric in check.metrics if metric.name == "latency_empty")
    far, near = (
        Requirement(check.name, check.layer, "clients", trip, Subject("s1", engine=number))
        for number in (0, 1)
    )
    return Measured({near: [least * 1.2, least, least * 1.1], far: [least * 2] * 3}, scale)


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


def test_the_bytes_of_a_file_go_to_scm_or_to_the_ssds() -> None:
    slow = {f"{name}: interfaces/ib0/speed_gbits": 1.0 for name in ("c1", "c2")}
    cluster = wired_site(**slow)
    for check, size in (("MdtestHard", 3901), ("MdtestHard2", 7802)):
        metric = find(cluster, f"{check}.create on clients/dfs")
        figure = expectation(cluster, metric, tripped(1.0, "acceptance"))
        assert figure.bound == pytest.approx(2 * 1e9 / 8 / size)


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


def with_servers_as_clients(*clients: str) -> Cluster:
    """A server with two engines, and clients of which it is one."""
    document = site(servers=1, engines=2, clients=2)
    tools = {name: f"/opt/{name}" for name in ("mdtest", "ior", "fio_dfs")}
    document["benchmarks"] = {**tools, "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix", "agents": list(clients)}
    return described(document | {"clients": list(clients), "colocated": True})


def test_a_client_with_engines_of_its_own_is_nearer_than_what_was_measured() -> None:
    cluster = with_servers_as_clients("c1", "s1")
    figure = expectation(cluster, find(cluster, "MdtestEasy.stat on clients/dfs"), tripped(20.0))
    assert figure.bound is None
    assert "s1 is client and server" in figure.derivation


@pytest.mark.parametrize("key", ["IorEasy.write on clients/dfs", "FioDfs.read_1m on s1"])
def test_a_client_with_engines_of_its_own_has_no_wire_to_them(key: str) -> None:
    cluster = with_servers_as_clients("c1", "s1")
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.ground == "nothing"
    assert "s1 is client and server: no wire between them" in figure.derivation
    apart = expectation(cluster, find(cluster, "FioDfs.read_1m on c1"), {})
    assert apart.bound == pytest.approx(200 * GBIT_IN_MIB)


@pytest.mark.parametrize(
    ("key", "bound"),
    [
        # Less than a stripe: the servers make the parity, and store 800 Gbit/s / 1.5.
        ("IorHard.write on clients/dfs", 400 * GBIT_IN_MIB),
        ("Io500.ior_hard_write on clients/dfs", 400e9 / 8 / 2**30),
        # A full stripe goes out with its parity.
        ("IorEasy.write on clients/dfs", 400 / 1.5 * GBIT_IN_MIB),
        ("Io500.ior_easy_write on clients/dfs", 400e9 / 1.5 / 8 / 2**30),
    ],
)
def test_a_client_sends_the_parity_of_full_stripes_alone(key: str, bound: float) -> None:
    fast = {f"s1: interfaces/{name}/speed_gbits": 400.0 for name in ("ib0", "ib1")}
    cluster = wired_site(**fast, **{"daos/file_oclass": "EC_4P2GX"})
    assert expectation(cluster, find(cluster, key), {}).bound == pytest.approx(bound)


def test_on_one_machine_the_round_trip_is_that_of_the_machine() -> None:
    cluster = with_servers_as_clients("s1")
    metric = find(cluster, "MdtestHard.create on clients/dfs")
    figure = expectation(cluster, metric, tripped(20.0, "quick"))
    assert figure.bound == pytest.approx(2 / 40e-6)


@pytest.mark.parametrize(
    ("name", "bound", "ceiling"),
    [
        ("bandwidth_score", 400e9 / 8 / 2**30, 400e9 / 8 / 2**30),
        # Five phases of one round trip and two of two, by 4 processes.
        ("metadata_score_without_find", 200 * 0.5 ** (2 / 7), 400 * 0.5 ** (2 / 7)),
        (
            "score_without_find",
            (400e9 / 8 / 2**30 * 200 * 0.5 ** (2 / 7)) ** 0.5,
            (400e9 / 8 / 2**30 * 400 * 0.5 ** (2 / 7)) ** 0.5,
        ),
    ],
)
def test_a_score_is_at_most_the_mean_of_its_bounds(name: str, bound: float, ceiling: float) -> None:
    cluster = wired_site()
    metric = find(cluster, f"Io500.{name} on clients/dfs")
    figure = expectation(cluster, metric, tripped(20.0, "quick"))
    assert figure.bound == pytest.approx(bound)
    assert figure.ceiling == pytest.approx(ceiling)
    # Nobody knows the storage of this site, and so not what its bandwidths should be.
    assert (figure.floor is None) == (name != "metadata_score_without_find")
    assert "geometric mean of the bounds of" in figure.derivation


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


def test_an_engine_has_its_own_targets_and_a_partition_those_of_all() -> None:
    cluster = wired_site()
    each = cluster.hosts["s1"].engines[0].targets
    assert targets(cluster, Subject.parse("s1/engine0")) == each
    assert targets(cluster, Subject.parse("s1/engine0>s1/engine1")) == each
    assert targets(cluster, Subject.parse("clients/dfs")) == 2 * each
