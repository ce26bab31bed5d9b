"""What the module `cluster_hardware` reads from sysfs and procfs."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from assay.tools import host_identity, host_setup, nft, writable

MODULE = Path(__file__).parents[2] / "roles/cluster/library/cluster_hardware.py"
SHARED = {
    "host_identity": host_identity,
    "host_setup": host_setup,
    "nft": nft,
    "writable": writable,
}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for name, shared in SHARED.items():
        monkeypatch.setitem(sys.modules, f"ansible.module_utils.{name}", shared)
    spec = importlib.util.spec_from_file_location("cluster_hardware", MODULE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FILES = {
    "sys/devices/system/node/node0/cpulist": "0-31",
    "sys/devices/system/node/node1/cpulist": "32-63",
    "sys/class/net/ib0/operstate": "up",
    "sys/class/net/ib0/device/numa_node": "1",
    "sys/class/net/ib1/operstate": "down",
    "sys/class/net/ib1/device/numa_node": "-1",
    "sys/class/net/lo/operstate": "unknown",
    "sys/class/infiniband/mlx5_0/device/net/ib0/mtu": "2044",
    # The kernel drives this SSD,
    "sys/bus/pci/devices/0000:65:00.0/class": "0x010802",
    "sys/bus/pci/devices/0000:65:00.0/numa_node": "0",
    "sys/bus/pci/devices/0000:65:00.0/nvme/nvme0/model": "INTEL SSDPF2KX038TZ   ",
    "sys/bus/pci/devices/0000:65:00.0/nvme/nvme0/nvme0n1/queue/logical_block_size": "512",
    # this one is handed to user space,
    "sys/bus/pci/devices/0000:66:00.0/class": "0x010802",
    "sys/bus/pci/devices/0000:66:00.0/numa_node": "0",
    # and these are a VMD controller, a RAID controller and a network card.
    "sys/bus/pci/devices/0000:64:00.5/class": "0x010400",
    "sys/bus/pci/devices/0000:64:00.5/vendor": "0x8086",
    "sys/bus/pci/devices/0000:64:00.5/numa_node": "0",
    "sys/bus/pci/devices/0000:05:00.0/class": "0x010400",
    "sys/bus/pci/devices/0000:05:00.0/vendor": "0x1000",
    "sys/bus/pci/devices/0000:17:00.0/class": "0x020000",
    "sys/class/block/pmem0/size": "1",
    "sys/class/iommu/dmar0/name": "dmar0",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "proc/meminfo": "MemTotal: 1024 kB\nHugepagesize:    1048576 kB\n",
}


@pytest.fixture
def host(module: ModuleType, tmp_path: Path) -> dict[str, Any]:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return dict(module.look(tmp_path))


def test_numa_nodes_are_counted(host: dict[str, Any]) -> None:
    assert host["numa_nodes"] == 2


def test_interfaces_are_up_or_down_and_near_a_numa_node_or_none(host: dict[str, Any]) -> None:
    assert host["interfaces"] == {
        "ib0": {"up": True, "numa_node": 1, "rdma": True},
        "ib1": {"up": False, "numa_node": None, "rdma": False},
        "lo": {"up": True, "numa_node": None, "rdma": False},
    }


def test_nvme_ssds_are_found_whoever_drives_them(host: dict[str, Any]) -> None:
    assert host["nvme"] == {
        "0000:65:00.0": {
            "numa_node": 0,
            "model": "INTEL SSDPF2KX038TZ",
            "lba_bytes": 512,
            "namespaces": ["/dev/nvme0n1"],
        },
        "0000:66:00.0": {"numa_node": 0, "model": None, "lba_bytes": None, "namespaces": []},
    }


def test_only_intels_raid_class_is_vmd(host: dict[str, Any]) -> None:
    assert host["vmd"] == {"0000:64:00.5": {"numa_node": 0}}


def test_block_devices_memory_and_iommu(host: dict[str, Any]) -> None:
    assert host["block_devices"] == ["/dev/pmem0"]
    assert host["iommu"] is True
    assert host["memory"] == {"hugepage_kib": 1048576, "transparent_hugepages": "madvise"}


def test_a_host_that_shows_nothing_has_one_numa_node_and_nothing_else(
    module: ModuleType, tmp_path: Path
) -> None:
    assert module.look(tmp_path) == {
        "numa_nodes": 1,
        "interfaces": {},
        "nvme": {},
        "vmd": {},
        "block_devices": [],
        "iommu": False,
        "memory": {"hugepage_kib": 2048, "transparent_hugepages": "never"},
    }


def test_the_file_system_of_a_directory_yet_to_be_made_is_that_of_its_parent(
    module: ModuleType, tmp_path: Path
) -> None:
    assert module.file_system(tmp_path / "a/b") == module.file_system(tmp_path)
    assert set(module.file_system(tmp_path)) == {"filesystem", "device"}


def test_a_directory_is_described_by_the_file_system_below_it(
    module: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    there, absent = module.directory(tmp_path), module.directory(tmp_path / "none" / "below")
    assert (there["exists"], there["mounted"], there["entries"]) == (True, False, 1)
    assert (absent["exists"], absent["entries"]) == (False, 0)
    assert there["filesystem"] == absent["filesystem"]
    assert module.directory(Path("/proc"))["mounted"] is True


@pytest.mark.parametrize(
    ("content", "blobs", "blank"),
    [(b"", False, True), (b"\0" * 8192, False, True), (b"SPDKBLOB\x03", True, False)],
)
def test_a_file_of_an_emulated_ssd_is_known_by_its_beginning(
    module: ModuleType, tmp_path: Path, content: bytes, blobs: bool, blank: bool
) -> None:
    (tmp_path / "bdev0").write_bytes(content)
    assert module.backing_file(tmp_path / "bdev0") == {
        "type": "file",
        "size_bytes": len(content),
        "blobs": blobs,
        "blank": blank,
    }


def test_what_is_no_file_is_not_read(module: ModuleType, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert module.backing_file(tmp_path / "pipe")["type"] == "other"
    assert module.backing_file(tmp_path)["type"] == "directory"


def test_a_superblock_says_of_which_system_its_engine_is(
    module: ModuleType, tmp_path: Path
) -> None:
    superblock = tmp_path / "superblock"
    superblock.write_text("version: 1\nuuid: 0ff\nsystem: daos_server\nrank: 0\n")
    assert module.system_of(superblock) == "daos_server"
    assert module.system_of(tmp_path / "none") is None


def test_the_packet_filter_is_asked_for_ports_alone(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = Path(__file__).parents[1] / "recorded" / "nft" / "workstation.json"
    monkeypatch.setattr(module, "printed", lambda *_: recorded.read_text())
    ports = {"10001": "eth0", "31316": "ib0"}
    assert module.blocked(ports, "203.0.113.9") == {"10001": "inet filter input"}
    assert module.blocked(ports, "192.0.2.9") == {}
    assert module.blocked(ports, "") == {}


def test_a_shared_directory_is_described_by_the_file_system_below_it(
    module: ModuleType, tmp_path: Path
) -> None:
    absent = module.shared(str(tmp_path / "none/below"))
    assert absent["path"] == str(tmp_path / "none/below")
    assert absent["filesystem"] == module.file_system(tmp_path)["filesystem"]
    assert absent["source"] == module.file_system(tmp_path)["device"]
    assert absent["locks"] is True
    assert "rw" in absent["options"]
    assert absent["available_mib"] > 0
    assert absent["sees_controller"] is None


def test_a_file_that_another_host_wrote_is_there_or_not(module: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "sign").touch()
    assert module.shared(str(tmp_path), str(tmp_path / "sign"))["sees_controller"] is True
    assert module.shared(str(tmp_path), str(tmp_path / "none"))["sees_controller"] is False


def test_links_are_followed_to_the_device(module: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to(tmp_path / "sda")
    assert module.links([str(tmp_path / "by-id"), str(tmp_path / "sda")]) == {
        str(tmp_path / "by-id"): str(tmp_path / "sda")
    }
