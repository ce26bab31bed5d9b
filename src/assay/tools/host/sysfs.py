"""What the kernel shows of a host to any user: NUMA nodes, interfaces, SSDs, huge pages.

The module `cluster_hardware` and the probe of `assay describe` run this on the hosts, so it may use
only the standard library of Python 3.9.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

NVME, RAID, INTEL = "0x0108", "0x0104", "0x8086"
"""PCI classes and a vendor; Intel's VMD controllers have the class RAID."""


def look(root: Path) -> dict[str, Any]:
    """Keys of a host in cluster.json: NUMA nodes, interfaces, SSDs, memory.

    Args:
        root: directory with sysfs and procfs, `/` on a real host.
    """
    nvme, vmd = {}, {}
    nodes = root.glob("sys/devices/system/node/node[0-9]*")
    rdma = {
        link.name: link.parents[2].name for link in root.glob("sys/class/infiniband/*/device/net/*")
    }
    for device in sorted(root.glob("sys/bus/pci/devices/*")):
        kind = text(device / "class")
        if kind.startswith(NVME):
            nvme[device.name] = {"numa_node": _numa_node(device), **_namespace(device)}
        elif kind.startswith(RAID) and text(device / "vendor") == INTEL:
            vmd[device.name] = {"numa_node": _numa_node(device)}
    return {
        "numa_nodes": max(len(list(filter(_has_cpus, nodes))), 1),
        "interfaces": {
            # An interface without a carrier, such as loopback, has the state unknown.
            link.name: {
                "up": text(link / "operstate") in ("up", "unknown"),
                "numa_node": _numa_node(link / "device"),
                "rdma": link.name in rdma,
                **({"rdma_device": rdma[link.name]} if link.name in rdma else {}),
            }
            for link in root.glob("sys/class/net/*")
        },
        "nvme": nvme,
        "vmd": vmd,
        "block_devices": [f"/dev/{block.name}" for block in sorted(root.glob("sys/class/block/*"))],
        "iommu": any(root.glob("sys/class/iommu/*")),
        "memory": {
            "hugepage_kib": meminfo_kib(root, "Hugepagesize") or 2048,
            "transparent_hugepages": _chosen(
                text(root / "sys/kernel/mm/transparent_hugepage/enabled")
            ),
        },
    }


def text(path: Path) -> str:
    """The content of a file of the kernel; empty if a kernel or a container does not show it."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def meminfo_kib(root: Path, key: str) -> int | None:
    """A size in /proc/meminfo, KiB; None if the kernel does not show it."""
    lines = text(root / "proc/meminfo").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{key}:")), None)


def _has_cpus(node: Path) -> bool:
    """Whether engines can run there: memory alone, of HBM or CXL, is a node as well."""
    return not (node / "cpulist").exists() or text(node / "cpulist") != ""


def _numa_node(device: Path) -> int | None:
    """The NUMA node; None for a virtual device, or if the firmware does not report it (-1)."""
    number = text(device / "numa_node")
    return int(number) if number.isdigit() else None


def _namespace(device: Path) -> dict[str, Any]:
    """Model, block size and namespaces; unknown for a device that is in user space."""
    controller = next(device.glob("nvme/nvme*"), device / "none")
    namespaces = sorted(controller.glob("nvme*n*"))
    block = next(iter(namespaces), device / "none")
    lba_bytes = text(block / "queue/logical_block_size")
    return {
        "model": text(controller / "model") or None,
        "lba_bytes": int(lba_bytes) if lba_bytes else None,
        "namespaces": [f"/dev/{namespace.name}" for namespace in namespaces],
    }


def _chosen(choices: str) -> str:
    """The choice in brackets; `never` for a kernel without huge pages."""
    return choices.partition("[")[2].partition("]")[0] or "never"
