"""The limits of single devices, where one is missing, unknown, or one of several."""

from __future__ import annotations

from typing import Any

import pytest

from assay.checks.bounds import Limit
from assay.checks.bounds.devices import (
    as_rate,
    memory,
    nic,
    scm,
    ssd_bandwidth,
    ssd_link,
    ssd_rate,
    together,
    waiting,
)
from assay.cluster.description import Cluster
from assay.units import Quantity
from clusters import SSD, described, description, system

CLUSTER = system()


def limit(value: float, source: str = "a sheet") -> Limit:
    return Limit("it", Quantity(value, "GB/s"), "one", source)


def test_no_ssd_is_no_limit() -> None:
    assert ssd_bandwidth(CLUSTER, SSD, "read", 0) is None
    assert ssd_link(CLUSTER, SSD, 0) is None
    assert ssd_link(CLUSTER, None) is None
    assert ssd_rate(CLUSTER, None, "read") is None


@pytest.mark.parametrize(
    ("count", "made_of"), [(1, "PCIe 4.0 x4 link"), (2, "2 PCIe 4.0 x4 links")]
)
def test_the_links_of_several_ssds_add_up(count: int, made_of: str) -> None:
    links = ssd_link(CLUSTER, SSD, count)
    assert links is not None
    assert links.value.to("GB/s").value == pytest.approx(count * 7.877, abs=1e-3)
    assert links.made_of.startswith(made_of)


def without_scm() -> tuple[Cluster, Any]:
    """An engine without a tier of SCM, which only a description in the making has."""
    engine = CLUSTER.hosts["s1"].engines[0]
    return CLUSTER, engine.model_copy(update={"storage": engine.storage[1:]})


def test_an_engine_without_scm_has_no_limit_by_it() -> None:
    cluster, engine = without_scm()
    assert engine.scm_tier is None
    assert scm(cluster, cluster.hosts["s1"], engine, "read", line=False) is None


def with_parts(**parts: Any) -> Any:
    host = CLUSTER.hosts["s1"]
    return host.model_copy(update={"datasheets": host.datasheets.model_copy(update=parts)})


def test_modules_without_a_name_are_no_limit() -> None:
    engine = CLUSTER.hosts["s1"].engines[0]
    assert scm(CLUSTER, with_parts(pmem=None), engine, "read", line=False) is None
    assert memory(CLUSTER, with_parts(memory=None)) is None


def test_scm_in_dram_is_that_of_its_memory() -> None:
    cluster = system("shared", memory="DDR4-3200")
    host = cluster.hosts["s1"]
    dram = memory(cluster, host)
    assert dram is not None
    assert dram.made_of == f"{host.datasheets.memory_channels} DDR4-3200 channels × 25.6 GB/s"
    assert dram.value.to("GB/s").value == pytest.approx(host.datasheets.memory_channels * 25.6)
    assert scm(cluster, host, host.engines[0], "write", line=True) == dram


def test_loopback_is_not_the_named_fabric() -> None:
    document = description()
    document["hosts"]["c1"]["interfaces"] = {"eth0": {}, "lo": {}}
    document["hosts"]["c1"]["datasheets"] = {"fabric": "InfiniBand HDR"}
    cluster = described(document)
    assert nic(cluster, "c1", "lo") is None
    assert nic(cluster, "c1", "eth0") is not None
    assert nic(cluster, "c1", "eth7") is not None
    assert nic(cluster, "c2", "eth7") is None


def test_several_of_a_kind_add_up_if_all_are_known() -> None:
    alike = together("they", [limit(2), limit(2)])
    assert alike is not None
    assert alike.made_of == "they, 2 × 2.00 GB/s"
    other = together("they", [limit(2), limit(3, "another sheet")])
    assert other is not None
    assert (other.value.value, other.made_of) == (5, "they, 2 together")
    assert other.source == "a sheet; another sheet"
    assert together("they", [limit(2), None]) is None
    assert together("they", []) is None


def test_a_rate_is_of_operations_of_a_size() -> None:
    of_4k, of_1m = as_rate(limit(4.096), "IO/s"), as_rate(limit(4), "IO/s", Quantity(1, "MB"))
    assert of_4k is not None
    assert of_1m is not None
    assert of_4k.value.value == pytest.approx(1_000_000)
    assert of_4k.made_of == "one / 4.00 KiB"
    assert of_1m.value.value == pytest.approx(4000)


@pytest.mark.parametrize(
    ("times", "made_of"), [(1, "16 in flight / 100 us"), (2, "16 in flight / (2 × 100 us)")]
)
def test_what_waits_several_times_says_so(times: int, made_of: str) -> None:
    assert waiting(16, Quantity(100, "us"), "IO/s", "a trial", times=times).made_of == made_of
