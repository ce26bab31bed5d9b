"""What the kernel shows of a host."""

from pathlib import Path
from typing import Any

import pytest

from assay.tools.host.sysfs import look
from trees import write_tree

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
def host(tmp_path: Path) -> dict[str, Any]:
    write_tree(tmp_path, FILES)
    return look(tmp_path)


def test_numa_nodes_are_counted(host: dict[str, Any]) -> None:
    assert host["numa_nodes"] == 2


def test_numa_nodes_without_cpus_are_no_place_for_engines(tmp_path: Path) -> None:
    """Memory of HBM or CXL is a node, too."""
    write_tree(tmp_path, FILES | {"sys/devices/system/node/node2/cpulist": "\n"})
    assert look(tmp_path)["numa_nodes"] == 2


def test_interfaces_are_up_or_down_and_near_a_numa_node_or_none(host: dict[str, Any]) -> None:
    assert host["interfaces"] == {
        "ib0": {"up": True, "numa_node": 1, "rdma": True, "rdma_device": "mlx5_0"},
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
    tmp_path: Path,
) -> None:
    assert look(tmp_path) == {
        "numa_nodes": 1,
        "interfaces": {},
        "nvme": {},
        "vmd": {},
        "block_devices": [],
        "iommu": False,
        "memory": {"hugepage_kib": 2048, "transparent_hugepages": "never"},
    }
