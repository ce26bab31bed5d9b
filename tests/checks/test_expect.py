"""Expectations: what a figure is judged against, and why."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.benchmarks.fio import DISK_CEILING, stands_on
from assay.checks.bounds.devices import ROUNDED, WRITTEN
from assay.checks.expect import (
    MEASURED_CEILING,
    Expectation,
    Measured,
    expectation,
)
from assay.checks.plan import requirements
from assay.cluster.description import Cluster
from clusters import SSD, described, description, find
from sites import site


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
    assert bandwidth.derivation.startswith("1.25 GB/s: c2's eth0, 10.0 Gbit/s; c1's eth0 would")
    assert "floor 40% (one message in flight" in bandwidth.derivation


def test_a_virtual_interface_is_not_a_bound() -> None:
    document = description()
    document["hosts"]["c1"]["interfaces"]["eth0"] = {}
    bandwidth = expected(document, "FiPingpong.bandwidth_1m on c1>c2")
    assert (bandwidth.ground, bandwidth.bound) == ("nothing", None)
    assert "c1's eth0 is virtual" in bandwidth.derivation


LOOPBACK = "FiPingpong.bandwidth_1m on here>here"


def test_loopback_stands_on_the_copies_of_its_hosts_tmpfs(one_machine: Cluster) -> None:
    into = find(one_machine, "ScmFio.write_1m on here/engine0")
    out = find(one_machine, "ScmFio.read_1m on here/engine0")
    samples = {into: [2900.0, 3000.0, 3100.0], out: [5900.0, 6000.0, 6100.0]}
    figure = expectation(one_machine, find(one_machine, LOOPBACK), samples)
    assert (figure.ground, figure.bound) == ("measured", 3100)
    assert figure.ceiling == MEASURED_CEILING * 3100
    # One core copies in, and then out: 1 / (1/3000 + 1/6000).
    assert figure.floor == pytest.approx(0.4 * 2000)
    assert "ScmFio.write_1m on here/engine0" in figure.derivation


@pytest.mark.parametrize("missing", ["write_1m", "read_1m"])
def test_loopback_without_both_copies_stands_on_nothing(one_machine: Cluster, missing: str) -> None:
    measured = {
        find(one_machine, f"ScmFio.{name} on here/engine0"): [3000.0]
        for name in ("write_1m", "read_1m")
        if name != missing
    }
    figure = expectation(one_machine, find(one_machine, LOOPBACK), measured)
    assert figure.ground == "nothing"
    assert f"ScmFio.{missing} on here/engine0 has not been measured" in figure.derivation


def test_loopback_without_a_tmpfs_says_so(one_machine: Cluster) -> None:
    document = one_machine.model_dump(by_alias=True, mode="json")
    document["hosts"]["here"]["engines"] = []
    cluster = Cluster.model_validate(document)
    figure = expectation(cluster, find(cluster, LOOPBACK), {})
    assert (figure.ground, figure.ceiling) == ("nothing", None)
    assert "ScmFio is not in the plan of its host" in figure.derivation


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
    assert figure.bound == pytest.approx(bound)
    beyond = WRITTEN if metric == "write_1m" else ROUNDED
    assert figure.ceiling == pytest.approx(beyond * bound)
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
    assert figure.ceiling == DISK_CEILING * 1100
    assert "SsdFio.read_1m on here" in figure.derivation


@pytest.mark.parametrize(
    ("samples", "bound"),
    [
        ([900.0, 1000.0, 1999.0], 1999),
        ([900.0, 1000.0, 2001.0], 1000),
        ([900.0, 1000.0, 1e14], 1000),
        ([400.0, 1000.0], 1000),
    ],
)
def test_a_wild_sample_of_the_disk_bounds_nothing(
    one_machine: Cluster, samples: list[float], bound: float
) -> None:
    """It let pages of the cache pass for reads of a file."""
    above = find(one_machine, "PosixFio.read_1m on here")
    below = find(one_machine, "SsdFio.read_1m on here")
    assert expectation(one_machine, above, {below: samples}).bound == bound


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


def test_checked_fields_require_no_more_than_the_cores_check(one_machine: Cluster) -> None:
    above = find(one_machine, "FdbHammer.write on here")
    below = find(one_machine, "SsdFio.write_1m on here")
    fast = expectation(one_machine, above, {below: [10000.0] * 5})
    assert fast.floor == pytest.approx(0.3 * 4 * 125)
    assert "what 4 cores check, 500 MiB/s" in fast.derivation
    slow = expectation(one_machine, above, {below: [100.0] * 5})
    assert slow.floor == pytest.approx(0.3 * 100)


@pytest.mark.parametrize("name", ["write_open", "read_open"])
@pytest.mark.parametrize("check", ["FdbHammer", "FdbHammerSeparate"])
def test_a_database_on_a_disk_opens_within_seconds(
    one_machine: Cluster, check: str, name: str
) -> None:
    figure = expectation(one_machine, find(one_machine, f"{check}.{name} on here"), {})
    assert (figure.ground, figure.bound, figure.floor) == ("reference", None, None)
    assert figure.ceiling == 5
    assert "four processes load FDB" in figure.derivation
    assert "this project's own choice" in figure.derivation


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
        for metric in requirements(each):
            figure = expectation(each, metric, {})
            assert figure.unit == metric.unit
            assert len(figure.derivation) > 20


def daos_site() -> Cluster:
    """Two clients and two servers of a DAOS system, with devices that have sheets."""
    document = description()
    for name in document["servers"]:
        document["hosts"][name] |= {
            "nvme": {f"0000:0{n}:00.0": {"numa_node": 0} for n in range(4)},
            "datasheets": {
                "ssd": "Intel D7-P5510 3.84TB",
                "pmem": "Intel Optane PMem 200 128GB",
            },
        }
        document["hosts"][name]["engines"][0]["storage"] = [
            {"class": "dcpm", "scm_mount": "/mnt/pmem0", "scm_list": ["/dev/pmem0"]},
            {"class": "nvme", "bdev_list": [f"0000:0{n}:00.0" for n in range(4)]},
        ]
    document["daos"] = {
        "name": "daos_server",
        "version": "2.8",
        "mgmt_svc_replicas": ["s1"],
        "servers": document["servers"],
        "agents": document["clients"],
        "admin": "login",
        "pool": "tank",
        "container": "posix",
        "mount": "/mnt/dfuse",
    }
    document["benchmarks"] |= {"ior": "/usr/bin/ior", "ior_apis": ["DFS"]}
    return Cluster.model_validate(document)


def of_daos(key: str, measured: Measured | None = None) -> Expectation:
    cluster = daos_site()
    return expectation(cluster, find(cluster, key), measured or {})


def test_all_clients_cannot_send_an_engine_more_than_its_nic_takes() -> None:
    figure = of_daos("SelfTestClientServer.put_1m on s1/engine0")
    assert figure.bound == pytest.approx(25e9 / 8 / 2**20)
    assert "the clients' NICs would allow 6.25" in figure.derivation
    assert figure.floor == pytest.approx(0.6 * 25e9 / 8 / 2**20)
    assert [limit.who for limit in figure.limits] == ["s1's eth0", "the clients' NICs"]


def test_no_bulk_is_through_before_the_wire_lets_it() -> None:
    figure = of_daos("SelfTestClientServer.latency_get_1m on s1/engine0")
    assert figure.floor == pytest.approx(2**20 * 8 / 25e9 * 1e6)
    assert figure.ceiling == pytest.approx(figure.floor / 0.15)


def test_rpcs_in_flight_and_their_latency_make_the_rate() -> None:
    cluster = daos_site()
    trip = find(cluster, "SelfTestClientServer.latency_empty on s1/engine0")
    rate = find(cluster, "SelfTestClientServer.empty on s1/engine0")
    figure = expectation(cluster, rate, {trip: [20.0, 16.0, 18.0]})
    assert figure.bound == pytest.approx(2 * 16 / 16e-6)
    wild = expectation(cluster, rate, {trip: [20.0, 16.0, 1e-9]})
    assert wild.bound == figure.bound
    assert "32 in flight / 16.0 us" in figure.derivation
    assert figure.ceiling == MEASURED_CEILING * (figure.bound or 0)
    assert expectation(cluster, rate, {}).ground == "nothing"


def test_a_pair_of_engines_has_the_slower_nic() -> None:
    figure = of_daos("SelfTestCrossServer.get_1m on s1/engine0>s2/engine0")
    assert figure.bound == pytest.approx(25e9 / 8 / 2**20)


def test_persistent_memory_bounds_the_storage_engine() -> None:
    figure = of_daos("VosPerfBandwidth.update_1m on s1/engine0")
    assert figure.bound == pytest.approx(8 * 2.25e9 / 2**20)
    assert figure.floor == pytest.approx(1882 / 2)
    assert "DAOS 2.2's documentation" in figure.derivation
    rate = of_daos("VosPerfRate.fetch_4k on s1/engine0")
    assert rate.bound == pytest.approx(8 * 7.45e9 / 4096)
    latency = of_daos("VosPerfRate.update_latency_4k on s1/engine0")
    assert latency.floor == pytest.approx(4096 / (8 * 2.25e9) * 1e6)


def test_an_engines_ssd_has_its_datasheet() -> None:
    figure = of_daos("NvmeBandwidth.read_1m_alone on s1/0000:01:00.0")
    assert figure.bound == pytest.approx(6500e6 / 2**20)
    assert "their PCIe links would allow 7.88" in figure.derivation


def test_its_rate_is_promised_or_waited_for() -> None:
    figure = of_daos("NvmeIops.randread_4k_together on s1/0000:01:00.0")
    assert figure.bound == 700_000
    assert "waiting would allow 1,560,976" in figure.derivation


def test_a_typical_latency_may_be_twice_and_not_half() -> None:
    figure = of_daos("NvmeIops.latency_4k on s1/0000:01:00.0")
    assert (figure.floor, figure.bound, figure.ceiling) == (41, 82, 164)


def test_what_a_sheet_leaves_out_is_unrated() -> None:
    document = description()
    document["hosts"]["s1"]["scratch"]["ssd"] = "Intel D7-P5510 3.84TB"
    figure = expected(document, "SsdFio.randwrite_4k on s1")
    assert figure.ground == "nothing"
    assert "the sheet of Intel D7-P5510 3.84TB has no such figure" in figure.derivation


def test_what_was_announced_may_be_exceeded_up_to_the_link() -> None:
    document = description()
    document["hosts"]["s1"]["scratch"]["ssd"] = "Samsung PM9A3 U.2 7.68TB"
    figure = expected(document, "SsdFio.read_1m on s1")
    assert figure.bound == pytest.approx(6500e6 / 2**20)
    assert figure.ceiling == pytest.approx(4 * 15.754e9 / 8 / 2**20)


def test_data_in_daos_goes_the_way_to_the_ssds() -> None:
    figure = of_daos("IorEasy.write on clients/dfs")
    assert figure.bound == pytest.approx(2 * 25e9 / 8 / 2**20)
    assert "the SSDs would allow 27.2" in figure.derivation


def test_each_numa_node_has_a_process() -> None:
    figure = of_daos("ClientInterfaces.near_processes on c1")
    assert (figure.floor, figure.bound, figure.ceiling) == (1, 1, 1)


def test_a_site_has_floors_of_its_own_and_the_report_says_so() -> None:
    document = description()
    document["hosts"]["s1"]["scratch"]["ssd"] = "Intel D7-P5500 3.84TB"
    document["floors"] = {"SsdFio.read_1m": 0.97}
    figure = expected(document, "SsdFio.read_1m on s1")
    assert figure.floor == pytest.approx(0.97 * 7000e6 / 2**20)
    assert "floor 97% (this site's own choice; the shipped floor is 85%)" in figure.derivation


def test_loopback_has_no_line_rate_though_its_interface_reports_one(one_machine: Cluster) -> None:
    document = one_machine.model_dump(by_alias=True, mode="json")
    document["hosts"]["here"]["interfaces"]["lo"] = {"speed_gbits": 100.0}
    cluster = Cluster.model_validate(document)
    for metric in ("bandwidth_1m", "latency_64b"):
        figure = expectation(cluster, find(cluster, f"FiPingpong.{metric} on here>here"), {})
        assert figure.bound is None
        assert "loopback has no line rate" in figure.derivation


def test_the_engines_of_one_host_need_no_wire_between_them() -> None:
    cluster = described(site(servers=1, engines=2))
    pair = "s1/engine0>s1/engine1"
    figure = expectation(cluster, find(cluster, f"SelfTestCrossServer.get_1m on {pair}"), {})
    assert figure.ground == "nothing"
    assert "the engines share a host" in figure.derivation


@pytest.mark.parametrize(
    ("metrics", "fraction"),
    [
        ("FiPingpong.bandwidth_1m on c1>c2", 0.4),
        ("SelfTestClientServer.get_1m on s1/engine0", 0.6),
        ("SelfTestClientServer.put_1m on s1/engine0", 0.6),
        ("SelfTestCrossServer.get_1m on s1/engine0>s2/engine0", 0.6),
        ("SelfTestCrossServer.put_1m on s1/engine0>s2/engine0", 0.6),
        ("SsdFio.write_1m on s1", 0.85),
        ("SsdFio.read_1m on s1", 0.85),
        ("SsdFio.randwrite_4k on s1", 0.3),
        ("SsdFio.randread_4k on s1", 0.3),
        ("NvmeBandwidth.read_1m_alone on s1/0000:65:00.0", 0.92),
        ("NvmeBandwidth.read_1m_together on s1/0000:65:00.0", 0.92),
        ("NvmeIops.randread_4k_alone on s1/0000:65:00.0", 0.7),
        ("NvmeIops.randread_4k_together on s1/0000:65:00.0", 0.7),
        ("PosixFio.write_1m on c1", 0.3),
        ("PosixFio.read_1m on c1", 0.3),
        ("FdbHammer.write on c1", 0.3),
        ("FdbHammer.read on c1", 0.3),
        ("FdbHammerSeparate.write on c1", 0.3),
        ("FdbHammerSeparate.read on c1", 0.3),
    ],
)
def test_a_floor_is_this_fraction_of_its_bound(metrics: str, fraction: float) -> None:
    document = site(servers=2, clients=2)
    document["benchmarks"] = {
        **{tool: f"/usr/bin/{tool}" for tool in ("fio", "fi_pingpong", "fdb_hammer")},
        "fdb_share": "/share",
    }
    for host in document["hosts"].values():
        host["scratch"]["ssd"] = SSD
        host["datasheets"] = {"ssd": SSD}
    cluster = described(document)
    # All samples of the disk below are alike, so that their best is their median.
    below = {find(cluster, f"SsdFio.{name} on c1"): [100.0] * 5 for name in ("write_1m", "read_1m")}
    figure = expectation(cluster, find(cluster, metrics), below)
    assert figure.bound is not None
    assert figure.floor == pytest.approx(fraction * figure.bound)
