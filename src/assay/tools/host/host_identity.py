"""The parts of a host: firmware, serial numbers, drivers, and the reports of tools about them.

The modules `cluster_hardware` and `cluster_identity` run this on the hosts, so it may use only the
standard library of Python 3.9. sysfs has most of it. The rest comes from Debian's `dmidecode`,
`ethtool`, `nvme-cli` and `smartmontools`, if the host has them. `lshw` would add nothing to these.
Instead of `chrony`, `host_setup` asks the kernel about the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

# Relative, since Ansible ships them to another package.
from .host_setup import printed
from .sysfs import text

DMI = ("sys_vendor", "product_name", "product_serial", "bios_vendor", "bios_version", "bios_date")
NVME_CLASS = "0x0108"
"""PCI class of non-volatile memory controllers (PCI Code and ID Assignment)."""

MOST_DISKS = 64
"""Maximum number of disks to query one by one; further ones are skipped."""


def read_identity(root: Path, ask: Callable[..., str] = printed) -> dict[str, Any]:
    """Read what the host shows of itself, unparsed; what it does not show is empty.

    Args:
        root: directory with sysfs and procfs, `/` on a real host.
        ask: runs a command and returns its output.
    """
    interfaces = [
        link.name
        for link in sorted(root.glob("sys/class/net/*"))
        if (link / "device/driver").exists()
    ]
    disks = [disk.name for disk in sorted(root.glob("sys/class/nvme/nvme*"))][:MOST_DISKS]
    others = [
        block.name
        for block in sorted(root.glob("sys/class/block/*"))
        if (block / "device").exists() and not block.name.startswith(("nvme", "pmem"))
    ][:MOST_DISKS]
    return {
        "dmi": {key: text(root / "sys/class/dmi/id" / key) for key in DMI},
        "kernel": text(root / "proc/sys/kernel/osrelease"),
        "command_line": text(root / "proc/cmdline"),
        "cpu": _cpu(text(root / "proc/cpuinfo")),
        "turbo_off": text(root / "sys/devices/system/cpu/intel_pstate/no_turbo"),
        "smt": text(root / "sys/devices/system/cpu/smt/control"),
        "tuning": _tuning(root),
        "nvme": [_nvme(root / "sys/class/nvme" / disk) for disk in disks],
        "pci_nvme": [
            _pci(device)
            for device in sorted(root.glob("sys/bus/pci/devices/*"))
            if text(device / "class").startswith(NVME_CLASS)
        ],
        "rdma": [_rdma(device) for device in sorted(root.glob("sys/class/infiniband/*"))],
        "drivers": {
            module: text(root / "sys/module" / module / "version")
            or text(root / "sys/module" / module / "srcversion")
            for module in ("mlx5_core", "nvme", "vfio_pci", "irdma", "ice", "cxi_ss1", "hfi1")
            if (root / "sys/module" / module).exists()
        },
        "dmidecode": ask("dmidecode", "--type", "memory"),
        "ethtool": {name: ask("ethtool", "--driver", name) for name in interfaces},
        "smart_log": {
            disk: ask("nvme", "smart-log", "--output-format=json", f"/dev/{disk}") for disk in disks
        },
        "smartctl": {disk: ask("smartctl", "--json", "--all", f"/dev/{disk}") for disk in others},
    }


def _tuning(root: Path) -> dict[str, str]:
    """The kernel settings that the roles or the site chose, in the kernel's words."""
    pages = text(root / "sys/kernel/mm/transparent_hugepage/enabled")
    governors = root.glob("sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
    settings = ("kernel/numa_balancing", "vm/max_map_count", "vm/swappiness", "net/core/rmem_max")
    return {
        "governor": ", ".join(sorted({text(file) for file in governors} - {""})),
        "transparent huge pages": pages.partition("[")[2].partition("]")[0],
        **{name.replace("/", "."): text(root / "proc/sys" / name) for name in settings},
    }


def _cpu(cpuinfo: str) -> dict[str, str]:
    """Model and microcode of the first core, which stands for all."""
    first = cpuinfo.partition("\n\n")[0].splitlines()
    pairs = [line.partition(":") for line in first]
    known = {key.strip(): value.strip() for key, _, value in pairs}
    return {key: known[key] for key in ("model name", "microcode") if key in known}


def _nvme(controller: Path) -> dict[str, str]:
    return {
        "address": text(controller / "address"),
        "model": text(controller / "model"),
        "serial": text(controller / "serial"),
        "firmware": text(controller / "firmware_rev"),
        "name": controller.name,
    }


def _pci(device: Path) -> dict[str, str]:
    """An SSD as a PCI device, which it is also while SPDK drives it in user space."""
    keys = ("vendor", "device", "subsystem_vendor", "subsystem_device", "revision")
    return {
        "address": device.name,
        **{key: text(device / key).removeprefix("0x") for key in keys},
        "serial": _device_serial(device / "config"),
    }


def _device_serial(config: Path) -> str:
    """The Device Serial Number of PCIe's extended capabilities; empty if a device has none.

    Source: PCI Express Base Specification, 7.9.3. Only root can read so far.
    """
    try:
        space = config.read_bytes()
    except OSError:
        return ""
    at, seen = 0x100, set()
    while at and at not in seen and at + 12 <= len(space):
        seen.add(at)
        header = int.from_bytes(space[at : at + 4], "little")
        if header & 0xFFFF == 0x0003:
            return space[at + 4 : at + 12][::-1].hex("-")
        at = header >> 20 & 0xFFC
    return ""


def _rdma(device: Path) -> dict[str, str]:
    return {
        "name": device.name,
        "firmware": text(device / "fw_ver"),
        "board": text(device / "board_id"),
        "guid": text(device / "node_guid"),
    }
