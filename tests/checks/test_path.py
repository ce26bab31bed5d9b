"""The path of data through a system, at the sizes where it changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pytest

from assay.checks.benchmarks import fio, ior, nvme_perf
from assay.checks.bounds.devices import ROUNDED
from assay.checks.bounds.path import (
    data_path,
    data_ssds,
    evenly,
    is_in_scm,
    of_files,
    senders,
    storage,
)
from assay.checks.entry import Check, Measured, Requirement
from assay.checks.expect import expectation
from assay.checks.load import RANKS
from assay.checks.whole import paths
from assay.cluster.description import Cluster, Interface
from assay.cluster.hardware import shipped
from assay.cluster.object_class import object_class
from assay.subject import Subject
from assay.units import Quantity
from clusters import PMEM, SSD, described, description, system

MEBIBYTE = Quantity(1, "MiB")


def size(count: int) -> Quantity:
    return Quantity(count, "B")


@pytest.mark.parametrize(("count", "kept"), [(4095, True), (4096, False)])
def test_values_below_4_kib_stay_in_scm(count: int, *, kept: bool) -> None:
    assert is_in_scm(system(), size(count)) == kept
    assert is_in_scm(system(ssds=0), size(count))


def test_one_engine_without_ssds_keeps_its_values_in_scm() -> None:
    cluster = system(servers=2)
    host = cluster.hosts["s2"]
    (engine,) = host.engines
    without = host.model_copy(
        update={"engines": (engine.model_copy(update={"storage": engine.storage[:1]}),)}
    )
    other = cluster.model_copy(update={"hosts": {**cluster.hosts, "s2": without}})
    assert is_in_scm(other, MEBIBYTE)


@pytest.mark.parametrize("count", [255, 256])
def test_values_below_256_bytes_are_lines_of_the_cache(count: int) -> None:
    bound = storage(system(), "read", size(count))
    assert bound is not None
    sheet = system().sheets.pmem[PMEM]
    each = sheet.read_bandwidth_64b if count < 256 else sheet.read_bandwidth_256b
    assert each is not None
    assert bound.value.to("GB/s").value == pytest.approx(8 * each.to("GB/s").value)


@pytest.mark.parametrize(("direction", "copies"), [("write", 2), ("read", 1)])
def test_only_writes_are_stored_several_times(direction: str, copies: int) -> None:
    plain, twice = (
        storage(system(), direction, MEBIBYTE, object_class(name, 4))  # type: ignore[arg-type]
        for name in ("SX", "RP_2GX")
    )
    assert plain is not None
    assert twice is not None
    assert plain.value.value / twice.value.value == pytest.approx(copies)


@pytest.mark.parametrize(("name", "kib", "stored"), [("EC_4P2GX", 512, 1.5), ("EC_4P2GX", 511, 3)])
def test_a_part_of_a_stripe_is_stored_on_each_parity(name: str, kib: int, stored: float) -> None:
    plain, coded = (
        storage(system(), "write", Quantity(kib, "KiB"), object_class(each, 4))
        for each in ("SX", name)
    )
    assert plain is not None
    assert coded is not None
    assert plain.value.value / coded.value.value == pytest.approx(stored)


def test_some_clients_send_less_than_all() -> None:
    cluster = system(clients=4, ssds=40, servers=4)
    one, all_four = (data_path(cluster, "write", MEBIBYTE, clients=c) for c in (["c2"], None))
    assert one is not None
    assert all_four is not None
    assert one.value.to("Gbit/s").value == pytest.approx(200)
    assert all_four.value.to("Gbit/s").value == pytest.approx(800)


def with_rails(speeds: Mapping[str, float | None]) -> Cluster:
    """A system whose only client has these rails, in Gbit/s."""
    cluster = system(clients=1, ssds=40, servers=4)
    interfaces = {name: Interface(numa_node=0, speed_gbits=speed) for name, speed in speeds.items()}
    client = cluster.hosts["c1"].model_copy(
        update={"interfaces": interfaces, "interface": next(iter(interfaces))}
    )
    return cluster.model_copy(update={"hosts": {**cluster.hosts, "c1": client}})


@pytest.mark.parametrize(
    ("processes", "gbits"), [(None, 350), (4, 350), (3, 350), (2, 300), (1, 200), (0, None)]
)
def test_each_process_of_a_client_sends_by_one_rail(
    processes: int | None, gbits: float | None
) -> None:
    cluster = with_rails({"hsn0": 100.0, "hsn1": 200.0, "hsn2": 50.0})
    sent = senders(cluster, None, processes)
    assert (sent and sent.value.to("Gbit/s").value) == (gbits and pytest.approx(gbits))


@pytest.mark.parametrize(("processes", "gbits"), [(None, 150), (2, 100), (1, 50)])
def test_a_floor_allows_for_the_slowest_rail(processes: int | None, gbits: float) -> None:
    # The agent gives rails in turn, so half of two ranks' data goes by the slower one.
    uneven = with_rails({"hsn0": 100.0, "hsn1": 200.0, "hsn2": 50.0})
    slowest = evenly(uneven, None, processes)
    assert slowest is not None
    assert slowest.value.to("Gbit/s").value == pytest.approx(gbits)
    assert slowest.made_of.endswith("each client's slowest rail")
    assert evenly(with_rails({"hsn0": 100.0, "hsn1": 100.0}), None, processes) is None


def test_a_rail_of_unknown_speed_is_as_slow_as_the_slowest_that_is_known() -> None:
    """The floor of ten such clients was what the storage of 64 servers could do alone."""
    of = of_client(fio.DFS, "read_1m")
    half_known = {"hsn0": 100.0, "hsn1": None}
    unknown, slow = (
        expectation(with_rails(speeds), of, Measured({}))
        for speeds in (half_known, {"hsn0": 100.0, "hsn1": 100.0})
    )
    assert unknown.floor == slow.floor
    assert unknown.bound is not None
    assert slow.bound is not None
    assert unknown.bound > slow.bound
    kept = evenly(with_rails(half_known))
    assert kept is not None
    assert kept.made_of.endswith("each client's slowest rail whose speed is known")
    assert evenly(with_rails({"hsn0": None})) is None


def test_uneven_rails_lower_the_floor_alone() -> None:
    of = of_client(fio.DFS, "read_1m")
    uneven, even, slow = (
        expectation(with_rails({"hsn0": first, "hsn1": second}), of, Measured({}))
        for first, second in ((200.0, 100.0), (200.0, 200.0), (100.0, 100.0))
    )
    assert uneven.bound == pytest.approx(300e9 / 8 / 2**20)
    assert uneven.floor == slow.floor
    assert even.floor is not None
    assert slow.floor is not None
    assert slow.floor < even.floor


def test_a_rail_of_unknown_speed_leaves_no_bound() -> None:
    cluster = with_rails({"hsn0": 200.0, "hsn1": 200.0})
    unknown = cluster.hosts["c1"].interfaces | {"hsn1": Interface(numa_node=1)}
    client = cluster.hosts["c1"].model_copy(update={"interfaces": unknown})
    other = cluster.model_copy(update={"hosts": {**cluster.hosts, "c1": client}})
    assert senders(other) is None


@pytest.mark.parametrize(
    ("backend", "used"), [("dfs", 2), ("pil4dfs", 2), ("dfuse", 1), ("hdf5", 1)]
)
def test_all_that_uses_a_mount_shares_the_rail_of_dfuse(backend: str, used: int) -> None:
    cluster = with_rails({f"hsn{rail}": 10.0 for rail in range(8)})
    requirement = Requirement(
        "IorEasy", "endtoend", "clients", ior.EASY.metrics[0], Subject("clients", backend=backend)
    )
    figure = expectation(cluster, requirement, Measured({}, scale="quick"))
    assert figure.bound == pytest.approx(used * 10e9 / 8 / 2**20)
    assert used <= RANKS["quick"]


@pytest.mark.parametrize("backend", ["dfuse", "ioil", "pil4dfs"])
def test_threads_of_one_process_share_a_rail(backend: str) -> None:
    cluster = with_rails({f"hsn{rail}": 10.0 for rail in range(8)})
    figure = expectation(cluster, of_client(fio.DFUSE, "read_1m", backend), Measured({}))
    assert figure.bound == pytest.approx(10e9 / 8 / 2**20)
    by_processes = expectation(cluster, of_client(fio.DFS, "read_1m"), Measured({}))
    assert by_processes.bound == pytest.approx(80e9 / 8 / 2**20)


def of_client(check: Check, name: str, backend: str | None = None) -> Requirement:
    (metric,) = (each for each in check.metrics if each.name == name)
    subject = Subject("c1", backend=backend)
    return Requirement(check.name, check.layer, "clients", metric, subject)


@pytest.mark.parametrize(
    ("layout", "numbers"), [(None, [0, 1, 2, 3]), ("shared", [0, 1, 2, 3]), ("wal", [10, 11, 12])]
)
def test_the_ssds_with_data(layout: str | None, numbers: list[int]) -> None:
    named = {Subject("s1", device=f"0000:{number:02x}:00.0") for number in numbers}
    assert data_ssds(system(layout)) == named


def with_sheets(**changes: object) -> Cluster:
    """The system, whose servers have these datasheets in place of theirs."""
    cluster = system()
    host = cluster.hosts["s1"]
    sheets = host.datasheets.model_copy(update=changes)
    other = host.model_copy(update={"datasheets": sheets})
    return cluster.model_copy(update={"hosts": {**cluster.hosts, "s1": other}})


@pytest.mark.parametrize(
    ("changes", "direction"),
    [
        ({"ssd": None, "memory": "DDR4-3200", "memory_channels": 8}, "read"),
        # Nobody has published how fast it writes.
        ({"ssd": "Kioxia CD9P-R 7.68TB"}, "write"),
    ],
    ids=["memory-alone", "link-alone"],
)
def test_links_and_memory_bound_unknown_ssds_and_promise_nothing(
    changes: dict[str, object], direction: Literal["read", "write"]
) -> None:
    cluster = with_sheets(**changes)
    assert storage(cluster, direction, MEBIBYTE) is None
    bound = data_path(cluster, direction, MEBIBYTE)
    assert bound is not None
    assert {limit.who for limit in bound.limits} & {"the memory", "their PCIe links"}
    metric = next(each for each in fio.DFS.metrics if each.direction == direction)
    figure = expectation(cluster, of_client(fio.DFS, metric.name), Measured({}))
    assert figure.floor is None
    assert figure.bound is not None


def test_ssds_of_one_model_are_counted_and_of_several_are_summed() -> None:
    cluster = system(servers=2)
    one = storage(cluster, "read", MEBIBYTE)
    assert one is not None
    assert one.limits[0].who == "the SSDs"
    assert one.limits[0].made_of.startswith("8 SSDs × ")
    host = cluster.hosts["s2"]
    sheets = host.datasheets.model_copy(update={"ssd": "Intel D7-P5510 3.84TB"})
    other = host.model_copy(update={"datasheets": sheets})
    mixed = cluster.model_copy(update={"hosts": {**cluster.hosts, "s2": other}})
    two = storage(mixed, "read", MEBIBYTE)
    assert two is not None
    assert {limit.who for limit in two.limits} == {
        "the data SSDs",
        "the PCIe links of the SSDs",
    }


def with_object_class(name: str | None) -> Cluster:
    cluster = system(servers=2)
    assert cluster.daos
    return cluster.model_copy(
        update={"daos": cluster.daos.model_copy(update={"file_oclass": name})}
    )


def test_files_have_the_object_class_that_is_described() -> None:
    assert of_files(with_object_class(None)).stored == 1
    assert of_files(with_object_class("RP_2GX")).stored == 2
    # A copy on each of the two engines.
    assert of_files(with_object_class("RP_XSF")).stored == 2
    assert of_files(described(description())).stored == 1


def test_the_paths_of_a_system_are_those_of_large_and_of_small_blocks() -> None:
    bounds = dict(paths(system(ssds=1, servers=1, nic_gbits=800)))
    assert list(bounds) == [
        "write in blocks of 1.00 MiB",
        "write in blocks of 4.00 KiB",
        "read in blocks of 1.00 MiB",
        "read in blocks of 4.00 KiB",
    ]
    sheet = system().sheets.ssd[SSD]
    assert sheet.write_bandwidth is not None
    large, small = bounds["write in blocks of 1.00 MiB"], bounds["write in blocks of 4.00 KiB"]
    assert large.value.to("B/s").value == pytest.approx(sheet.write_bandwidth.to("B/s").value)
    assert small.value.to("IO/s").value == pytest.approx(large.value.to("B/s").value / 4096)


# Tolerance of the path: that of its parts.


def easy_read(cluster: Cluster, shown_mib_s: float | None = None) -> tuple[float, float]:
    """Bound and ceiling of IOR's reads of DFS in MiB/s; each SSD may have been measured before."""
    requirement = Requirement(
        "IorEasy",
        "endtoend",
        "clients",
        ior.EASY.metrics[1],
        Subject("clients", backend="dfs"),
    )
    samples = {}
    if shown_mib_s is not None:
        samples = {
            Requirement("NvmeBandwidth", "ssd", "servers", nvme_perf.TOGETHER, ssd): [shown_mib_s]
            for ssd in data_ssds(cluster)
        }
    figure = expectation(cluster, requirement, Measured(samples, scale="acceptance"))
    assert figure.bound is not None
    assert figure.ceiling is not None
    return figure.bound, figure.ceiling


def with_sheet(**changes: object) -> Cluster:
    """Four SSDs behind wide ports, whose sheet differs."""
    cluster = system(nic_gbits=800.0)
    sheet = shipped().ssd[SSD].model_copy(update=changes)
    hardware = cluster.hardware.model_copy(update={"ssd": {SSD: sheet}})
    return cluster.model_copy(update={"hardware": hardware})


PROMISED_MIB_S = 4 * 7000e6 / 2**20
LINKS_MIB_S = 4 * 7.877e9 / 2**20


def test_ssds_on_the_path_may_exceed_their_sheet_as_they_may_alone() -> None:
    bound, ceiling = easy_read(system(nic_gbits=800.0))
    assert bound == pytest.approx(PROMISED_MIB_S)
    assert ceiling == pytest.approx(PROMISED_MIB_S * ROUNDED)


def test_wires_have_no_tolerance() -> None:
    bound, ceiling = easy_read(system(nic_gbits=100.0))
    assert bound == ceiling == pytest.approx(100e9 / 8 / 2**20)


def test_an_announcement_leaves_the_ceiling_to_the_links() -> None:
    bound, ceiling = easy_read(with_sheet(announced=True))
    assert bound == pytest.approx(PROMISED_MIB_S)
    assert ceiling == pytest.approx(LINKS_MIB_S, rel=1e-3)


@pytest.mark.parametrize(
    ("measured", "bound", "ceiling"), [(0.9, 1.0, 1.05), (1.02, 1.02, 1.05), (1.1, 1.1, 1.1)]
)
def test_what_ssds_were_measured_to_do_bounds_better_than_a_sheet_that_promised_less(
    measured: float, bound: float, ceiling: float
) -> None:
    assert easy_read(system(nic_gbits=800.0), measured * PROMISED_MIB_S / 4) == (
        pytest.approx(bound * PROMISED_MIB_S),
        pytest.approx(ceiling * PROMISED_MIB_S),
    )
