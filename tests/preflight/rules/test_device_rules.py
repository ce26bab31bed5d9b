"""Devices of tiers: there, once, enough, and fit."""

import pytest

from sites import advice, only, problems, put, site

BDEVS = "s1: engines/0/storage/1/bdev_list"
KEY = "engines[0].storage[1].bdev_list"


@pytest.mark.parametrize(
    "address", ["65:00.0", "0000:65:00", "0000:65:00.9", "0000:65:0g.0", "nvme0n1", "/dev/nvme0n1"]
)
def test_a_word_that_is_not_an_address(address: str) -> None:
    problem = only(put(site(), {BDEVS: ["0000:66:00.0", address]}))
    assert (problem.host, problem.key, problem.value) == ("s1", KEY, address)
    assert problem.allowed.startswith("should be PCI addresses such as 0000:81:00.0")


@pytest.mark.parametrize("addresses", [["0000:6f:00.0"], ["0000:6f:00.0", "5d0505:01:00.0"]])
def test_an_address_that_the_host_lacks(addresses: list[str]) -> None:
    problem = only(put(site(), {BDEVS: ["0000:65:00.0", *addresses]}))
    assert (problem.host, problem.key, problem.value) == ("s1", KEY, ", ".join(addresses))
    assert problem.allowed.startswith(
        "should be SSDs or VMD controllers of this host: 0000:65:00.0"
    )


def test_addresses_are_hexadecimal_in_any_case() -> None:
    document = site("ephemeral", engines=2)
    document["hosts"]["s1"]["engines"][1]["storage"][1]["bdev_list"][0] = "0000:E3:00.0"
    assert problems(document) == []


def test_an_ssd_that_two_engines_use() -> None:
    document = site(engines=2)
    put(document, {"s1: engines/1/storage/1/bdev_list/0": "0000:65:00.0"})
    put(document, {"s1: nvme/0000:65:00.0/numa_node": None})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[1].storage[1].bdev_list")
    assert problem.value == "0000:65:00.0"
    assert problem.allowed == f"should be listed once; {KEY} already has it"


def test_an_ssd_that_two_tiers_use() -> None:
    document = put(site("md-on-ssd-wal"), {"s1: engines/0/storage/2/bdev_list/0": "0000:65:00.0"})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[2].bdev_list")
    assert problem.allowed == f"should be listed once; {KEY} already has it"


def test_a_namespace_that_two_engines_use() -> None:
    document = put(site("pmem", engines=2), {"s1: engines/1/storage/0/scm_list": ["/dev/pmem0"]})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[1].storage[0].scm_list")
    assert problem.value == "/dev/pmem0"
    assert problem.allowed == "should be listed once; engines[0].storage[0].scm_list already has it"


@pytest.mark.parametrize(
    ("tier", "key", "value"),
    [
        (
            {"class": "dcpm", "scm_mount": "/mnt/a", "scm_list": ["/dev/pmem7"]},
            "storage[0].scm_list",
            "/dev/pmem7",
        ),
        ({"class": "kdev", "bdev_list": ["/dev/sdq"]}, "storage[1].bdev_list", "/dev/sdq"),
    ],
)
def test_a_block_device_that_the_host_lacks(tier: dict[str, object], key: str, value: str) -> None:
    index = 0 if tier["class"] == "dcpm" else 1
    problem = only(put(site(), {f"s1: engines/0/storage/{index}": tier}))
    assert (problem.host, problem.key, problem.value) == ("s1", f"engines[0].{key}", value)
    assert problem.allowed.startswith("should be block devices of this host: /dev/pmem0")


def test_a_link_to_a_block_device_is_not_known_to_be_absent() -> None:
    kdev = {"class": "kdev", "bdev_list": ["/dev/disk/by-id/wwn-0x5000"]}
    assert problems(put(site(), {"s1: engines/0/storage/1": kdev})) == []


def test_a_disk_that_control_metadata_and_an_engine_both_get() -> None:
    roles = ["wal", "meta", "data"]
    document = put(
        site("md-on-ssd-shared"),
        {
            "s1: engines/0/storage/1": {"class": "kdev", "bdev_list": ["/dev/sdb"]},
            "s1: engines/0/storage/1/bdev_roles": roles,
            "s1: server/control_metadata/device": "/dev/sdb",
        },
    )
    problem = only(document)
    assert (problem.key, problem.value) == ("engines[0].storage[1].bdev_list", "/dev/sdb")
    assert "server.control_metadata.device already has it" in problem.allowed


def test_control_metadata_on_a_device_without_its_path() -> None:
    change = {"s1: server/control_metadata/device": "sdb"}
    problem = only(put(site("md-on-ssd-shared"), change))
    assert problem.key == "server.control_metadata.device"
    assert problem.allowed.startswith("should be a block device of this host: /dev/pmem0")


@pytest.mark.parametrize(
    ("layout", "path"), [("file", BDEVS), ("pmem", "s1: engines/0/storage/0/scm_list")]
)
def test_a_path_that_is_relative(layout: str, path: str) -> None:
    problem = only(put(site(layout), {path: ["bdev0"]}))
    assert (problem.host, problem.value) == ("s1", "bdev0")
    assert problem.allowed == "should be absolute paths"


@pytest.mark.parametrize("switch", ["disable_vmd", "disable_vfio"])
@pytest.mark.parametrize("address", ["0000:64:00.5", "640005:01:00.0"])
def test_ssds_behind_a_controller_that_is_left_alone(switch: str, address: str) -> None:
    document = put(site("vmd"), {BDEVS: [address], f"s1: server/{switch}": True})
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("s1", KEY, address)
    assert problem.allowed.startswith("should be seen by VMD, without server.disable_vmd")


@pytest.mark.parametrize(
    ("layout", "index", "most", "message"),
    [
        ("ephemeral", 1, 64, "should be at most 64 for each of the 1 devices of storage[1]"),
        ("md-on-ssd-shared", 1, 21, "should be at most 21 for each of the 1 devices of storage[1]"),
        ("md-on-ssd-wal", 2, 32, "should be at most 32 for each of the 1 devices of storage[2]"),
    ],
)
def test_more_targets_than_the_ssds_can_take(
    layout: str, index: int, most: int, message: str
) -> None:
    ssd = {f"s1: engines/0/storage/{index}/bdev_list": ["0000:68:00.0"]}
    document = put(site(layout), {**ssd, "s1: cores": 256, "s1: engines/0/targets": most})
    assert problems(document) == []
    problem = only(put(document, {"s1: engines/0/targets": most + 1}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].targets", most + 1)
    assert problem.allowed.startswith(message)


def test_ssds_that_are_not_formatted_with_4k_are_a_warning() -> None:
    problem = only(put(site(), {"s1: nvme/0000:66:00.0/lba_bytes": 512}))
    assert (problem.host, problem.key, problem.severity) == ("s1", KEY, "warning")
    assert problem.value == "0000:66:00.0 (512 bytes)"
    assert problem.allowed == "should be formatted with blocks of 4096 bytes (nvme format)"


@pytest.mark.parametrize(("layout", "severity"), [("pmem", "warning"), ("vmd", "error")])
def test_an_iommu_that_is_off(layout: str, severity: str) -> None:
    problem = only(put(site(layout), {"s1: iommu": False}))
    assert (problem.host, problem.key, problem.value) == ("s1", "iommu", "off")
    assert problem.severity == severity
    assert problem.allowed.startswith("should be enabled in the firmware and the kernel")


def test_no_iommu_is_needed_without_vfio_or_without_ssds() -> None:
    assert problems(put(site(), {"s1: iommu": False, "s1: server/disable_vfio": True})) == []
    assert problems(put(site("file"), {"s1: iommu": False})) == []


def test_without_vfio_only_root_may_drive_an_ssd() -> None:
    given = {"s1: server/disable_vfio": True, "s1: setup/needs_helper": True}
    problem = only(put(site(), given))
    assert (problem.host, problem.key, problem.value) == ("s1", "server.disable_vfio", "true")
    assert problems(put(site("file"), given)) == []


BEHIND, ALSO_BEHIND = "640005:01:00.0", "640005:02:00.0"


def test_a_controller_goes_to_one_engine() -> None:
    document = site("vmd", engines=2)
    put(document, {"s1: engines/0/storage/1/bdev_list": [BEHIND]})
    problem = only(put(document, {"s1: engines/1/storage/1/bdev_list": [ALSO_BEHIND]}))
    assert (problem.key, problem.value) == ("engines[1].storage[1].bdev_list", ALSO_BEHIND)
    assert "0000:64:00.5, which 640005:02:00.0 is behind, is of engines[0]" in problem.allowed


def test_a_controller_and_an_ssd_behind_it_are_listed_once() -> None:
    document = put(site("vmd"), {"s1: engines/0/storage/1/bdev_list": ["0000:64:00.5", BEHIND]})
    problem = only(document)
    assert (problem.value, problem.severity) == (BEHIND, "error")
    assert "it is behind 0000:64:00.5, which the list has, too" in problem.allowed


def test_a_controller_that_is_not_there_is_named() -> None:
    document = put(site("vmd"), {"s1: engines/0/storage/1/bdev_list": ["e30005:01:00.0"]})
    assert only(document).allowed.endswith("; e30005:01:00.0 is behind 0000:e3:00.5")


def test_the_kernel_s_numbers_of_ssds_behind_vmd_are_explained() -> None:
    document = put(site("vmd"), {"s1: engines/0/storage/1/bdev_list": ["10000:01:00.0"]})
    assert only(document).allowed.startswith("should be the PCI address of the VMD controller")


@pytest.mark.parametrize(
    ("path", "links"),
    [
        ("/dev/sdb", {}),
        ("/dev/mapper/data", {}),
        ("/var/daos/link", {"/var/daos/link": "/dev/sdb"}),
    ],
)
def test_a_block_device_is_no_file_that_daos_creates(path: str, links: dict[str, str]) -> None:
    problem = only(put(site("file"), {BDEVS: [path], "s1: links": links}))
    assert (problem.host, problem.key, problem.value) == ("s1", KEY, path)
    assert problem.allowed.startswith("should be a file on a disk, which DAOS creates.")


def test_a_file_reached_by_a_link_is_a_file() -> None:
    links = {"/var/daos/bdev0": "/data/bdev0"}
    assert problems(put(site("file"), {"s1: links": links})) == []


RANGE = "s1: engines/0/storage/1/bdev_busid_range"


@pytest.mark.parametrize("buses", ["0x65-0x68", "101-104", "0x60-0x6f", ""])
def test_a_range_of_buses_that_has_the_ssds(buses: str) -> None:
    assert problems(put(site(), {RANGE: buses})) == []


@pytest.mark.parametrize(
    ("buses", "outside"),
    [("0x66-0x68", "0000:65:00.0"), ("101-102", "0000:67:00.0, 0000:68:00.0")],
)
def test_a_range_of_buses_that_leaves_out_ssds_is_a_warning(buses: str, outside: str) -> None:
    problem = only(put(site(), {RANGE: buses}))
    assert (problem.key, problem.value) == ("engines[0].storage[1].bdev_busid_range", buses)
    assert problem.severity == "warning"
    assert f"a replacement of {outside} would not be noticed" in problem.allowed


def test_the_bus_follows_the_domain_of_however_many_digits() -> None:
    ssd = "e90005:65:00.0"
    document = put(site(), {"s1: engines/0/storage/1/bdev_list": [ssd], RANGE: "0x66-0x68"})
    put(document, {f"s1: nvme/{ssd}": {"numa_node": 0, "lba_bytes": 4096}})
    assert f"a replacement of {ssd} would not be noticed" in only(document).allowed


def test_behind_a_vmd_controller_buses_are_its_own() -> None:
    assert problems(put(site("vmd"), {RANGE: "0x00-0x1f"})) == []


def test_a_controller_beside_an_ssd_behind_it_in_another_tier() -> None:
    document = site("md-on-ssd-wal")
    put(document, {"s1: engines/0/storage/1/bdev_list": ["0000:64:00.5"]})
    put(document, {"s1: engines/0/storage/2/bdev_list": ["640005:01:00.0"]})
    problem = only(document)
    assert (problem.key, problem.value) == ("engines[0].storage[2].bdev_list", "640005:01:00.0")
    assert problem.allowed.endswith("which another tier has, too")


def test_controllers_are_not_counted_as_ssds() -> None:
    """Nobody knows how many are behind one: 16 targets and three controllers may fit."""
    document = site("vmd", engines=2)
    put(document, {"s1: engines/0/storage/1/bdev_list": ["0000:64:00.5"]})
    put(document, {"s1: engines/0/targets": 15, "s1: engines/1/targets": 15})
    assert not [p for p in advice(document) if "SSDs" in p.allowed or "SSDs" in str(p.value)]


def test_emulated_ssds_on_one_engine_beside_real_ones_on_another() -> None:
    tier = {"class": "kdev", "bdev_list": ["/dev/sdb"]}
    problem = only(put(site(engines=2), {"s1: engines/1/storage/1": tier}))
    assert (problem.key, problem.value) == ("engines[1].storage", "kdev")
    assert problem.severity == "warning"


def test_a_namespace_of_pmem_beside_one_that_no_engine_uses() -> None:
    namespaces = {
        name: {"mode": "fsdax", "numa_node": 0} for name in ("/dev/pmem0", "/dev/pmem0.1")
    }
    document = put(site("pmem"), {"s1: setup/pmem": namespaces})
    problem = only(document)
    assert (problem.key, problem.value) == ("engines[0].storage[0].scm_list", "/dev/pmem0")
    assert problem.allowed.startswith("should be the whole region: /dev/pmem0.1 is in it, too")
    del namespaces["/dev/pmem0.1"]
    assert problems(document) == []
