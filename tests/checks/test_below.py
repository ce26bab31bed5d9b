"""What the layers below were measured to do, for data on its path to DAOS."""

from __future__ import annotations

import pytest

from assay.checks import below
from assay.checks.benchmarks import nvme_perf, self_test, vos_perf
from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.entry import Check, Measured, Requirement
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.units import Quantity
from clusters import system

SSDS = system(servers=2, ssds=2)
"""PMem and two SSDs in each of two servers, which have one engine of two targets each."""

PMEM = system(servers=2, ssds=0)

ENGINES = [Subject("s1", engine=0), Subject("s2", engine=0)]
DEVICES = [Subject(host, device=f"0000:{n:02x}:00.0") for host in ("s1", "s2") for n in (0, 1)]


def figures(check: Check, name: str, values: dict[Subject, list[float]]) -> Measured:
    metric = check.metric(name)
    return Measured(
        {
            Requirement(check.name, check.layer, "servers", metric, subject): samples
            for subject, samples in values.items()
        }
    )


def together(*measured: Measured) -> Measured:
    return Measured({key: value for each in measured for key, value in each.items()})


def of_engines(check: Check, name: str, *medians: float) -> Measured:
    """A figure of each engine: its median, and a sample on either side of it."""
    samples = ([median * 0.9, median, median * 1.5] for median in medians)
    return figures(check, name, dict(zip(ENGINES, samples, strict=False)))


def value(limit: below.Limit | None, unit: str = "MiB/s") -> float | None:
    return None if limit is None else limit.value.to(unit).value


def test_the_network_is_the_sum_of_its_engines() -> None:
    got = of_engines(self_test.CLIENT_SERVER, "get_1m", 1000, 3000)
    clients = SSDS.clients
    assert value(below.network(SSDS, "write", clients, got)) == 4000
    assert value(below.network(SSDS, "write", clients[:1], got)) == 4000
    # What a client writes the engine gets; of what it reads nothing was measured.
    assert below.network(SSDS, "read", clients, got) is None


def test_one_engine_that_was_not_measured_leaves_the_network_unknown() -> None:
    got = of_engines(self_test.CLIENT_SERVER, "get_1m", 1000)
    assert below.network(SSDS, "write", SSDS.clients, got) is None


def without_line_rates(cluster: Cluster) -> Cluster:
    host = cluster.hosts["c1"].model_copy(update={"interfaces": {}})
    return cluster.model_copy(update={"hosts": {**cluster.hosts, "c1": host}})


def test_clients_of_unknown_line_rate_have_their_share_of_the_network() -> None:
    got = of_engines(self_test.CLIENT_SERVER, "get_1m", 1000, 3000)
    unknown = without_line_rates(SSDS)
    assert value(below.network(unknown, "write", ["c1"], got)) == 2000
    assert value(below.network(unknown, "write", ["c2"], got)) == 4000
    assert value(below.network(unknown, "write", ["c1", "c2"], got)) == 4000


def test_the_scm_is_the_sum_of_its_engines_targets() -> None:
    one = of_engines(vos_perf.BANDWIDTH, "update_1m", 500, 700)
    # One process was measured on each engine, and each has two targets.
    assert value(below.storage(PMEM, "write", MEBIBYTE, one)) == 2 * (500 + 700)
    assert below.storage(PMEM, "read", MEBIBYTE, one) is None
    half = of_engines(vos_perf.BANDWIDTH, "update_1m", 500)
    assert below.storage(PMEM, "write", MEBIBYTE, half) is None


def test_the_ssds_are_read_all_at_once() -> None:
    figure = nvme_perf.TOGETHER.name
    read = figures(nvme_perf.BANDWIDTH, figure, {each: [3000.0] for each in DEVICES})
    assert value(below.storage(SSDS, "read", MEBIBYTE, read)) == 12_000
    # Nothing writes to them.
    assert below.storage(SSDS, "write", MEBIBYTE, read) is None
    three = figures(nvme_perf.BANDWIDTH, figure, {each: [3000.0] for each in DEVICES[:3]})
    assert below.storage(SSDS, "read", MEBIBYTE, three) is None


def test_random_reads_are_those_of_the_ssds() -> None:
    name = nvme_perf.RATE_TOGETHER.name
    read = figures(nvme_perf.IOPS, name, {each: [500_000.0] for each in DEVICES})
    assert value(below.reads(SSDS, "read", IO, read), "IO/s") == 2_000_000
    assert below.reads(SSDS, "write", IO, read) is None
    # Without SSDs, they are not what is read, and small values are in SCM.
    assert below.reads(PMEM, "read", IO, read) is None
    assert below.reads(SSDS, "read", Quantity(256, "B"), read) is None
    assert below.reads(SSDS, "read", IO, Measured({})) is None


def trips(empty: float, payload: float, name: str = "latency_get_1m") -> Measured:
    return together(
        of_engines(self_test.CLIENT_SERVER, "latency_empty", empty, empty),
        of_engines(self_test.CLIENT_SERVER, name, payload, payload),
    )


def test_a_transfer_to_scm_takes_a_round_trip_and_its_payload() -> None:
    seconds = below.service(PMEM, "write", MEBIBYTE, trips(20, 120))
    assert seconds == pytest.approx(120e-6)
    half = below.service(PMEM, "write", Quantity(512, "KiB"), trips(20, 120))
    assert half == pytest.approx(70e-6)
    # A payload that seems to take less time than none takes none.
    assert below.service(PMEM, "write", MEBIBYTE, trips(20, 19)) == pytest.approx(20e-6)


@pytest.mark.parametrize("lacking", ["latency_empty", "latency_get_1m"])
def test_without_a_round_trip_or_a_payload_the_time_is_unknown(lacking: str) -> None:
    one = {"latency_empty": "latency_get_1m", "latency_get_1m": "latency_empty"}[lacking]
    measured = of_engines(self_test.CLIENT_SERVER, one, 20, 20)
    assert below.service(PMEM, "write", MEBIBYTE, measured) is None
    assert below.taking_turns(PMEM, "write", MEBIBYTE, 4, measured) is None


def test_a_read_of_an_ssd_takes_its_time_as_well() -> None:
    payload = trips(20, 120, "latency_put_1m")
    alone = figures(nvme_perf.BANDWIDTH, nvme_perf.ALONE.name, {DEVICES[0]: [2000.0]})
    access = figures(nvme_perf.IOPS, nvme_perf.LATENCY.name, {DEVICES[0]: [80.0]})
    both = together(payload, alone, access)
    # 1 MiB at 2000 MiB/s is 500 us.
    assert below.service(SSDS, "read", MEBIBYTE, both) == pytest.approx((120 + 500 + 80) / 1e6)
    of_4k = 20 + 100 / 256 + 500 / 256 + 80
    assert below.service(SSDS, "read", IO, both) == pytest.approx(of_4k / 1e6)
    # What was not measured is left out.
    assert below.service(SSDS, "read", MEBIBYTE, payload) == pytest.approx(120e-6)
    # In SCM there is no SSD to wait for.
    assert below.service(PMEM, "read", MEBIBYTE, both) == pytest.approx(120e-6)


def test_several_transfers_in_flight_take_turns() -> None:
    limit = below.taking_turns(PMEM, "write", Quantity(2, "MiB"), 8, trips(20, 120))
    # 8 times 2 MiB in 220 us.
    assert value(limit) == pytest.approx(16 / 220e-6)
    assert limit is not None
    assert limit.made_of == "8 in flight, each 220 us alone"


def test_the_usual_figure_is_the_median_of_all_subjects() -> None:
    latencies = (20.0, 90.0, 30.0, 25.0, 40.0)
    of_each = {Subject(f"s{n}", engine=0): [latency] for n, latency in enumerate(latencies)}
    measured = together(
        figures(self_test.CLIENT_SERVER, "latency_empty", of_each),
        figures(self_test.CLIENT_SERVER, "latency_get_1m", {ENGINES[0]: [130.0]}),
    )
    assert below.service(PMEM, "write", MEBIBYTE, measured) == pytest.approx(130e-6)
    half = below.service(PMEM, "write", Quantity(512, "KiB"), measured)
    assert half == pytest.approx((30 + 100 / 2) / 1e6)
