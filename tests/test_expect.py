"""Expectations: what a figure is judged against, and why."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cluster import Cluster
from assay.expect import MEASURED_CEILING, Expectation, expectation, stands_on
from assay.plan import Owed, owed
from clusters import described, description
from sites import put, site


def find(cluster: Cluster, key: str) -> Owed:
    return next(metric for metric in owed(cluster) if metric.key == key)


def expected(document: dict[str, Any], key: str) -> Expectation:
    cluster = described(document)
    return expectation(cluster, find(cluster, key), {})


def test_the_slower_end_bounds_the_network() -> None:
    document = description()
    document["hosts"]["c2"]["interfaces"]["eth0"]["speed_gbits"] = 10.0
    bandwidth = expected(document, "FiPingpong.bandwidth_1m on c1>c2")
    assert bandwidth.bound == pytest.approx(10e9 / 8 / 2**20)
    assert bandwidth.ceiling == bandwidth.bound
    assert bandwidth.floor == pytest.approx(0.4 * 10e9 / 8 / 2**20)
    assert bandwidth.derivation.startswith("10 Gbit/s: c2's eth0; floor 40%")


def test_a_virtual_interface_is_no_bound() -> None:
    document = description()
    document["hosts"]["c1"]["interfaces"]["eth0"] = {}
    bandwidth = expected(document, "FiPingpong.bandwidth_1m on c1>c2")
    assert (bandwidth.ground, bandwidth.bound) == ("nothing", None)
    assert "c1's eth0 is virtual" in bandwidth.derivation


def test_loopback_has_no_line_rate(one_machine: Cluster) -> None:
    metric = find(one_machine, "FiPingpong.bandwidth_1m on here>here")
    assert expectation(one_machine, metric, {}).ground == "nothing"


@pytest.mark.parametrize(
    ("metric", "bound"),
    [
        ("read_1m", 7000e6 / 2**20),
        ("write_1m", 3500e6 / 2**20),
        ("randread_4k", 780000),
        ("randwrite_4k", 118000),
    ],
)
def test_the_datasheet_bounds_an_ssd(metric: str, bound: float) -> None:
    document = description()
    document["hosts"]["s1"]["scratch"]["ssd"] = "Intel D7-P5500 3.84TB"
    figure = expected(document, f"SsdFio.{metric} on s1")
    assert figure.bound == figure.ceiling == pytest.approx(bound)
    assert figure.floor == pytest.approx((0.3 if "rand" in metric else 0.85) * bound)
    assert "Intel ARK" in figure.derivation


def test_without_a_datasheet_an_ssd_is_unrated() -> None:
    figure = expected(description(), "SsdFio.read_1m on s1")
    assert (figure.ground, figure.floor, figure.ceiling) == ("nothing", None, None)


def test_a_file_system_stands_on_the_disk_below(one_machine: Cluster) -> None:
    above = find(one_machine, "PosixFio.read_1m on here")
    below = find(one_machine, "SsdFio.read_1m on here")
    assert stands_on(one_machine, above) == below
    figure = expectation(one_machine, above, {below: [900.0, 1000.0, 1100.0]})
    assert figure.ground == "measured"
    assert figure.bound == 1100
    assert figure.floor == pytest.approx(0.3 * 1000)
    assert figure.ceiling == MEASURED_CEILING * 1100
    assert "SsdFio.read_1m on here" in figure.derivation


def test_what_was_not_measured_carries_nothing(one_machine: Cluster) -> None:
    above = find(one_machine, "PosixFio.read_1m on here")
    figure = expectation(one_machine, above, {})
    assert figure.ground == "nothing"
    assert "has not been measured" in figure.derivation


def test_a_clients_file_system_stands_on_its_own_disk(cluster: Cluster) -> None:
    above = find(cluster, "PosixFio.read_1m on c1")
    assert stands_on(cluster, above) == find(cluster, "SsdFio.read_1m on c1")


def test_more_cores_than_processes_check_no_more_fields() -> None:
    document = description()
    document["hosts"]["c1"]["cores"] = 64
    cluster = described(document)
    above, below = find(cluster, "FdbHammer.write on c1"), find(cluster, "SsdFio.write_1m on c1")
    figure = expectation(cluster, above, {below: [10000.0] * 5})
    assert figure.floor == pytest.approx(0.3 * 4 * 125)


def test_checked_fields_owe_no_more_than_the_cores_check(one_machine: Cluster) -> None:
    above = find(one_machine, "FdbHammer.write on here")
    below = find(one_machine, "SsdFio.write_1m on here")
    fast = expectation(one_machine, above, {below: [10000.0] * 5})
    assert fast.floor == pytest.approx(0.3 * 4 * 125)
    assert "what 4 cores check, 500 MiB/s" in fast.derivation
    slow = expectation(one_machine, above, {below: [100.0] * 5})
    assert slow.floor == pytest.approx(0.3 * 100)


def test_as_many_processes_are_bound_as_there_are_cores(cluster: Cluster) -> None:
    figure = expectation(cluster, find(cluster, "ClientPlacement.bound_processes on c1"), {})
    assert (figure.floor, figure.bound, figure.ceiling) == (4, 4, 4)


@given(st.lists(st.floats(1, 1e5), min_size=1, max_size=15), st.floats(1, 10))
def test_a_faster_disk_never_lowers_what_is_above_it(samples: list[float], faster: float) -> None:
    document = description(clients=1, servers=1)
    document |= {"servers": ["c1"], "colocated": True}
    document["hosts"]["c1"]["engines"] = document["hosts"]["s1"]["engines"]
    cluster = described(document)
    above, below = find(cluster, "PosixFio.write_1m on c1"), find(cluster, "SsdFio.write_1m on c1")
    one = expectation(cluster, above, {below: samples})
    other = expectation(cluster, above, {below: [value * faster for value in samples]})
    for name in ("floor", "bound", "ceiling"):
        assert getattr(other, name) >= getattr(one, name)


def test_every_metric_says_where_its_expectation_comes_from(
    cluster: Cluster, one_machine: Cluster
) -> None:
    for each in (cluster, one_machine, daos_site()):
        for metric in owed(each):
            figure = expectation(each, metric, {})
            assert figure.unit == metric.metric.unit
            assert len(figure.derivation) > 20


def daos_site(**changes: Any) -> Cluster:
    """Two clients with one interface of 200 Gbit/s each, and one server with two engines."""
    document = site(servers=1, engines=2, clients=2)
    document["benchmarks"] = {
        **{name: f"/opt/{name}" for name in ("fio", "fio_dfs", "ior")},
        "ior_apis": ["DFS"],
        "shared_directory": "/share",
    }
    document["daos"] |= {"pool": "tank", "container": "posix", "mount": "/mnt/dfuse"}
    return described(put(document, changes))


GBIT_IN_MIB = 1e9 / 8 / 2**20


@pytest.mark.parametrize(
    ("key", "speed", "bound"),
    [
        ("IorEasy.write on clients/dfs", 200.0, 400 * GBIT_IN_MIB),
        ("IorEasy.write on clients/dfs", 50.0, 250 * GBIT_IN_MIB),
        ("FioDfs.read_1m on c2", 200.0, 200 * GBIT_IN_MIB),
        ("FioDfuse.randread_4k on c1/ioil", 200.0, 200e9 / 8 / 4096),
    ],
)
def test_data_in_daos_crosses_the_wires_of_both_sides(key: str, speed: float, bound: float) -> None:
    cluster = daos_site(**{"s1: interfaces/ib1/speed_gbits": speed})
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.ground == "hardware"
    assert figure.bound == figure.ceiling == pytest.approx(bound)
    assert figure.floor is None


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("IorHard.read on clients/posix", "what serves the shared directory"),
        ("FioDfs.latency_4k on c1", "no datasheet tells a latency"),
        ("IorEasy.read on clients/dfuse", "s1's ib0 is virtual"),
    ],
)
def test_data_in_daos_without_a_wire_that_is_known_is_unrated(key: str, why: str) -> None:
    cluster = daos_site(**{"s1: interfaces/ib0/speed_gbits": None})
    figure = expectation(cluster, find(cluster, key), {})
    assert (figure.ground, figure.bound) == ("nothing", None)
    assert why in figure.derivation
