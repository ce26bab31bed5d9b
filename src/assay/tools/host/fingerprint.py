"""The fingerprint of a host, made of what `host_identity` read there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.cluster.fingerprint import Fingerprint
from assay.foreign.text import one_line
from assay.tools.host import dmidecode, smart

NAMELESS = frozenset({"", "N/A", "Unknown", "To be filled by O.E.M.", "Not Specified"})
"""What firmware shows if nobody filled in a field."""


def fingerprint(identity: Mapping[str, Any]) -> Fingerprint:
    """The fingerprint of a host: its traits, identities and readings, each by name."""
    disks = {
        name: disk
        for name, printed in identity["smartctl"].items()
        if (disk := smart.smartctl(printed)) is not None
    }
    modules = dmidecode.parse(identity["dmidecode"])
    return Fingerprint(
        traits=_known(_traits(identity, disks, modules)),
        identities=_known(_identities(identity, disks, modules)),
        readings=_known(_readings(identity, disks)),
    )


def _traits(
    identity: Mapping[str, Any],
    disks: Mapping[str, smart.Disk],
    modules: Iterable[dmidecode.Module],
) -> Iterator[tuple[str, str]]:
    dmi, cpu = identity["dmi"], identity["cpu"]
    yield "machine", f"{dmi['sys_vendor']} {dmi['product_name']}".strip()
    yield "BIOS", f"{dmi['bios_vendor']} {dmi['bios_version']} {dmi['bios_date']}".strip()
    yield "kernel", identity["kernel"]
    yield "kernel command line", _of_interest(identity["command_line"])
    yield "CPU", cpu.get("model name", "")
    yield "microcode", cpu.get("microcode", "")
    yield "SMT", identity["smt"]
    yield "turbo", {"0": "on", "1": "off"}.get(identity["turbo_off"], "")
    yield from identity["tuning"].items()
    for module, version in identity["drivers"].items():
        yield f"driver {module}", version
    yield "memory modules", _counted(f"{m.size} {m.kind} {m.part}".strip() for m in modules)
    yield "memory speed", _counted(module.speed for module in modules)
    ssds = [*((s["model"], s["firmware"]) for s in identity["nvme"])]
    yield "NVMe devices", _counted(_pci_kind(device) for device in identity.get("pci_nvme", ()))
    ssds += [(disk.model, disk.firmware) for disk in disks.values()]
    yield "SSDs", _counted(model for model, _ in ssds)
    for model in {model for model, _ in ssds}:
        yield f"firmware of {model}", _counted(firm for other, firm in ssds if other == model)
    driven = [(ssd["model"], ssd["firmware"]) for ssd in identity.get("in_user_space", ())]
    yield "SSDs in user space", _counted(model for model, _ in driven)
    for model in {model for model, _ in driven}:
        firmware = _counted(firm for other, firm in driven if other == model)
        yield f"firmware of {model} in user space", firmware
    boards = [(device["board"], device["firmware"]) for device in identity["rdma"]]
    yield "RDMA adapters", _counted(board for board, _ in boards)
    for board in {board for board, _ in boards}:
        yield f"firmware of {board}", _counted(firm for other, firm in boards if other == board)
    for name, driver in _drivers(identity):
        yield f"driver of {name}", driver.get("driver", "")
        yield f"firmware of {name}", driver.get("firmware-version", "")


def _identities(
    identity: Mapping[str, Any],
    disks: Mapping[str, smart.Disk],
    modules: Iterable[dmidecode.Module],
) -> Iterator[tuple[str, str]]:
    yield "serial number", identity["dmi"]["product_serial"]
    for ssd in (*identity["nvme"], *identity.get("in_user_space", ())):
        yield f"SSD at {ssd['address']}", f"{ssd['model']} {ssd['serial']}"
    for device in identity.get("pci_nvme", ()):
        yield f"PCIe serial number of {device['address']}", device["serial"]
    for name, disk in disks.items():
        yield f"disk {name}", f"{disk.model} {disk.serial}".strip()
    for device in identity["rdma"]:
        yield f"RDMA adapter {device['name']}", device["guid"]
    for module in modules:
        yield f"memory module {module.slot}", module.serial


def _readings(
    identity: Mapping[str, Any], disks: Mapping[str, smart.Disk]
) -> Iterator[tuple[str, str]]:
    by_name = {ssd["name"]: ssd["address"] for ssd in identity["nvme"]}
    for name, printed in identity["smart_log"].items():
        worn = smart.smart_log(printed)
        yield f"{WEAR}the SSD at {by_name.get(name, name)}", "" if worn is None else f"{worn:g} %"
    for name, disk in disks.items():
        if disk.worn_percent is not None:
            yield f"{WEAR}the disk {name}", f"{disk.worn_percent:g} %"


WEAR = "wear of "


def worn_percent(reading: str, value: str) -> float | None:
    """The used percentage of an endurance; None for a reading of something else."""
    try:
        return float(value.removesuffix(" %")) if reading.startswith(WEAR) else None
    except ValueError:
        return None


def _pci_kind(device: Mapping[str, str]) -> str:
    """As lspci -nn has it: IDs of the device, of its subsystem, and the revision."""
    return (
        f"{device['vendor']}:{device['device']} ({device['subsystem_vendor']}:"
        f"{device['subsystem_device']}) rev {device['revision']}"
    )


def _drivers(identity: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """The driver of each interface; ethtool prints it as `key: value` (ethtool(8), --driver)."""
    for name, printed in identity["ethtool"].items():
        pairs = [row.partition(":") for row in str(printed).splitlines()]
        yield name, {key.strip(): value.strip() for key, _, value in pairs}


def _of_interest(command_line: str) -> str:
    """The kernel options that can change a figure; the others are private to the host."""
    return " ".join(word for word in command_line.split() if word.startswith(OPTIONS))


OPTIONS = (
    *(
        "amd_iommu",
        "intel_iommu",
        "iommu",
        "amd_pstate",
        "intel_pstate",
        "intel_idle",
        "processor.",
    ),
    *("cpufreq", "cpuidle", "idle=", "isolcpus", "nohz", "rcu_nocbs", "irqaffinity", "mitigations"),
    *("default_hugepagesz", "hugepages", "transparent_hugepage", "numa", "memmap", "mem="),
    *("maxcpus", "nr_cpus", "nosmt", "pci", "nvme", "mlx5", "selinux", "enforcing", "apparmor"),
    *("security", "audit", "swiotlb", "cgroup", "tsc", "clocksource", "preempt"),
)
"""Prefixes of kernel options that can change figures (Documentation/admin-guide of Linux)."""


def _counted(words: Iterable[str]) -> str:
    """The distinct words with their counts, such as `1 x 1.2, 3 x 1.4`."""
    counts = Counter(word for word in words if word not in NAMELESS)
    return ", ".join(f"{count} x {word}" for word, count in sorted(counts.items()))


def _known(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {one_line(key): one_line(value) for key, value in pairs if value not in NAMELESS}
