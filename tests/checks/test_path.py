"""The path of data through a system, at the sizes where it changes."""

from __future__ import annotations

import pytest

from assay.checks.bounds.path import data_path, data_ssds, is_in_scm, of_files, storage
from assay.checks.whole import paths
from assay.cluster.description import Cluster
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


def test_some_clients_send_less_than_all() -> None:
    cluster = system(clients=4, ssds=40, servers=4)
    one, all_four = (data_path(cluster, "write", MEBIBYTE, clients=c) for c in (["c2"], None))
    assert one is not None
    assert all_four is not None
    assert one.value.to("Gbit/s").value == pytest.approx(200)
    assert all_four.value.to("Gbit/s").value == pytest.approx(800)


@pytest.mark.parametrize(
    ("layout", "numbers"), [(None, [0, 1, 2, 3]), ("shared", [0, 1, 2, 3]), ("wal", [10, 11, 12])]
)
def test_the_ssds_with_data(layout: str | None, numbers: list[int]) -> None:
    named = {Subject("s1", device=f"0000:{number:02x}:00.0") for number in numbers}
    assert data_ssds(system(layout)) == named


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
