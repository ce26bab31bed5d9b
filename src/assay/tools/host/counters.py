"""What the kernel of a host has counted since it booted: errors of links, memory, PCI, and others.

`assay soak` sends this to the hosts as text, so it may use only the standard library of Python 3.9.
Any user may read all of it. Each line that it prints has the host, a kind, a number and a place.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

MARK = "assay-counter"
"""The first word of each line: other programs of a job may print lines, too."""

END = "end"
"""The kind of the last line, whose number is that of the lines before it."""

_OF_LINK = {
    "link_down": ("carrier_down_count",),
    "link_errors": ("statistics/rx_errors", "statistics/tx_errors"),
    "link_drops": ("statistics/rx_dropped", "statistics/tx_dropped"),
}
"""Files of an interface (Documentation/ABI/testing/sysfs-class-net of Linux)."""

_OF_PORT = {
    "port_down": ("counters/link_downed",),
    "port_errors": (
        "counters/symbol_error",
        "counters/link_error_recovery",
        "counters/local_link_integrity_errors",
        "counters/port_rcv_errors",
    ),
    "port_retransmitted": (
        "hw_counters/local_ack_timeout_err",
        "hw_counters/packet_seq_err",
    ),
}
"""Files of a port of an RDMA device (sysfs-class-infiniband; hw_counters are of mlx5)."""

_LARGEST = {
    "counters/link_downed": 2**8 - 1,
    "counters/symbol_error": 2**16 - 1,
    "counters/link_error_recovery": 2**8 - 1,
    "counters/local_link_integrity_errors": 2**4 - 1,
    "counters/port_rcv_errors": 2**16 - 1,
}
"""Values at which these stay until somebody resets them (PortCounters of InfiniBand's PMA)."""

_OF_MEMORY = {"memory_uncorrected": "ue_count", "memory_corrected": "ce_count"}
"""Files of a memory controller (sysfs-devices-edac)."""

_OF_DEVICE = {
    "pci_fatal": "aer_dev_fatal",
    "pci_nonfatal": "aer_dev_nonfatal",
    "pci_corrected": "aer_dev_correctable",
}
"""Files of a PCI device with a line `TOTAL_ERR_* number` (sysfs-bus-pci-devices-aer)."""


def look(root: Path) -> Iterator[tuple[str, int, str]]:
    """Kind, number and place of everything that is counted there.

    Args:
        root: directory with sysfs and procfs, `/` on a real host.
    """
    if boot := _text(root / "proc/sys/kernel/random/boot_id"):
        yield "boot", 0, boot
    for link in sorted(root.glob("sys/class/net/*")):
        if link.name != "lo":
            master = (link / "master").resolve().name if (link / "bonding_slave").exists() else ""
            yield from _sums(link, f"{master}/{link.name}" if master else link.name, _OF_LINK)
    for port in sorted(root.glob("sys/class/infiniband/*/ports/*")):
        place = f"{port.parents[1].name}:{port.name}"
        yield from _sums(port, place, _OF_PORT)
        shown = {name: _number(port / name) for name in _LARGEST}
        if any(number is not None for number in shown.values()):
            yield "port_full", sum(shown[name] == most for name, most in _LARGEST.items()), place
    for controller in sorted(root.glob("sys/devices/system/edac/mc/mc[0-9]*")):
        for kind, name in _OF_MEMORY.items():
            yield from _sums(controller, controller.name, {kind: (name,)})
    for device in sorted(root.glob("sys/bus/pci/devices/*")):
        for kind, name in _OF_DEVICE.items():
            for word, number in _pairs(_text(device / name)):
                if word.startswith("TOTAL_ERR"):
                    yield kind, number, device.name
    throttled = root.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
    if numbers := [_number(path) for path in throttled]:
        yield "throttled", sum(number or 0 for number in numbers), "cores"
    for word, number in _pairs(_text(root / "proc/vmstat")):
        if word == "oom_kill":
            yield "oom_kills", number, "memory"
    yield from _of_tcp(_text(root / "proc/net/snmp"))


def _sums(
    directory: Path, place: str, kinds: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, int, str]]:
    for kind, names in kinds.items():
        numbers = [_number(directory / name) for name in names]
        known = [number for number in numbers if number is not None]
        if known:
            yield kind, sum(known), place


def _of_tcp(text: str) -> Iterator[tuple[str, int, str]]:
    lines = [line.split()[1:] for line in text.splitlines() if line.startswith("Tcp:")]
    for names, values in zip(lines[::2], lines[1::2]):  # noqa: B905 # strict= is of Python 3.10
        found = dict(zip(names, values))  # noqa: B905
        for kind, name in (("tcp_sent", "OutSegs"), ("tcp_retransmitted", "RetransSegs")):
            if found.get(name, "").isdigit():
                yield kind, int(found[name]), "tcp"


def _pairs(text: str) -> Iterator[tuple[str, int]]:
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[1].isdigit():
            yield words[0], int(words[1])


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.isdigit() else None


def main(root: Path = Path("/")) -> None:
    """Print all lines; the last one says how many there are."""
    host = os.environ.get("SLURMD_NODENAME") or socket.gethostname().partition(".")[0]
    found = list(look(root))
    for kind, number, place in found:
        print(MARK, host, kind, number, place)
    print(MARK, host, END, len(found), "-", flush=True)


if __name__ == "__main__":
    main()
