"""How a host is set up: the choices of its kernel, its firmware and its administrator.

The module `cluster_hardware` runs this on the hosts, so it may use only the standard library of
Python 3.9. Nothing here needs root, systemd or a network; what cannot be read is left out.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .sysfs import text

NVME, NETWORK = "0x0108", "0x02"
"""PCI classes of the devices whose links are read."""

CAP_SYS_RESOURCE = 24
"""A process with this capability can raise its own limits (capabilities(7))."""

STA_UNSYNC = 0x40
"""Set while the clock is not synchronized (adjtimex(2))."""

TIME_SERVICES = ("chronyd", "systemd-timesyn", "ntpd", "ptp4l", "phc2sys", "openntpd")
"""Process names as the kernel has them, which keeps 15 characters."""

NAMES_S = 10.0
"""Time limit in seconds of looking up all names, in parallel."""

TOOL_S = 10
PRINTED_BYTES = 2_000_000


def read_setup(root: Path, prefix: str, names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Keys of `setup` of a host in the description of a cluster.

    Args:
        root: directory with sysfs and procfs, `/` on a real host.
        prefix: installation prefix of DAOS, which may not exist yet.
        names: names of the servers, each with its correct addresses.
    """
    cpus = "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    return {
        "boot": text(root / "proc/sys/kernel/random/boot_id") or None,
        "clock": clock(),
        "time_service": time_service(root),
        "misnamed": misnamed(names),
        "governors": sorted({text(file) for file in root.glob(cpus)} - {""}),
        "numa_balancing": _number(root / "proc/sys/kernel/numa_balancing"),
        "selinux": {"1": "enforcing", "0": "permissive"}.get(text(root / "sys/fs/selinux/enforce")),
        "apparmor": confined(root / "sys/kernel/security/apparmor/profiles"),
        "limits": limits(root),
        "nosuid": mounted(Path(prefix), os.ST_NOSUID),
        "read_only": mounted(Path(prefix), os.ST_RDONLY) and not has_helper(Path(prefix)),
        "nodes": nodes(root),
        "pmem": pmem(root),
        "regions": regions(root),
        "pcie": pcie(root),
        "arp": arp(root),
        "platform": platform(root),
        "na_plugins": na_plugins(root, prefix),
        "agent_version": version("daos_agent"),
        "mpich": mpich(printed("mpichversion")),
        "resolved": resolved(names),
    }


def arp(root: Path) -> dict[str, dict[str, int]]:
    """How each physical interface answers for addresses.

    The kernel takes the larger of an interface's own sysctl and that of all (ip-sysctl.rst).
    """
    conf = root / "proc/sys/net/ipv4/conf"
    keys = ("accept_local", "arp_ignore", "rp_filter")
    found = {}
    for link in root.glob("sys/class/net/*"):
        if (link / "device").exists():
            values = {
                key: [_number(conf / name / key) for name in ("all", link.name)] for key in keys
            }
            if not any(None in pair for pair in values.values()):
                found[link.name] = {key: max(n or 0 for n in pair) for key, pair in values.items()}
    return found


def platform(root: Path) -> str | None:
    """The major release of Enterprise Linux, ``el8``; None on any other distribution."""
    for line in text(root / "etc/os-release").splitlines():
        key, _, value = line.partition("=")
        if key == "PLATFORM_ID":
            name = value.strip().strip("\"'").rpartition("platform:")[2]
            return name if name.startswith("el") else None
    return None


def na_plugins(root: Path, prefix: str) -> list[str] | None:
    """The plugins of Mercury's network abstraction; None if there is no Mercury.

    Source: the files of the packages mercury, mercury-libfabric and mercury-ucx.
    """
    libraries = [
        directory
        for lib in ("lib64", "lib")
        for directory in {root / prefix.strip("/") / lib, root / "usr" / lib}
        if any(directory.glob("libna.so*"))
    ]
    plugins = {
        plugin.name.removeprefix("libna_plugin_").removesuffix(".so")
        for directory in libraries
        for place in (directory, directory / "mercury")
        for plugin in place.glob("libna_plugin_*.so")
    }
    return sorted(plugins) if libraries else None


def version(program: str) -> str | None:
    """The version that a program of DAOS prints; None if it is not among the system's programs."""
    words = printed(program, "version").split()
    return next(
        (word.lstrip("v") for word in reversed(words) if word.lstrip("v")[:1].isdigit()), None
    )


def mpich(text: str) -> str | None:
    """The distribution's MPICH and its device, ``4.0.2 ch4:ucx``, from what mpichversion prints."""
    fields = dict(re.findall(r"^MPICH (Version|Device):\s+(.+?)\s*$", text, re.MULTILINE))
    return f"{fields['Version']} {fields['Device']}" if len(fields) == 2 else None


def _number(path: Path) -> int | None:
    digits = text(path)
    return int(digits) if digits.isdigit() else None


def printed(*command: str) -> str:
    """The output of a command, up to `PRINTED_BYTES`; empty if it is missing or hangs."""
    try:
        run = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TOOL_S,
            env={**os.environ, "LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout[:PRINTED_BYTES].decode("utf-8", "replace")


class _Timex(ctypes.Structure):
    """`struct timex` (sys/timex.h); one block at the end covers the fields that are not read."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 512),
    )


def clock() -> dict[str, Any] | None:
    """Whether the kernel's clock is synchronized, and its maximum error in s.

    chrony, systemd-timesyncd, ntpd and PTP all report there, and reading it needs no privilege.
    """
    timex = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):  # another C library
        return None
    if state < 0:
        return None
    return {"synchronized": not timex.status & STA_UNSYNC, "error_s": timex.maxerror / 1e6}


def time_service(root: Path) -> str | None:
    """The name of a running time service; None if there is none."""
    running = {text(comm) for comm in root.glob("proc/[0-9]*/comm")}
    return next((name for name in TIME_SERVICES if name in running), None)


def misnamed(names: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The names that do not resolve to their correct addresses, each with what it resolves to.

    A loopback address, such as 127.0.1.1 of Debian's /etc/hosts, is never correct. If the correct
    addresses of a name are unknown, any other address is accepted.
    """
    answers = _answers(names)
    return {
        name: answer
        for name, meant in names.items()
        for answer in [answers.get(name, [])]
        if not _leads_to(answer, meant)
    }


def resolved(names: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The addresses of the names of which nobody knew the correct ones."""
    return {
        name: found for name, found in _answers(n for n in names if not names[n]).items() if found
    }


def _answers(names: Iterable[str]) -> dict[str, list[str]]:
    """What names resolve to; nothing if they do not, or take too long."""
    answers: dict[str, list[str]] = {}

    def ask(name: str) -> None:
        try:
            entries = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
            answers[name] = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
        except (OSError, UnicodeError):
            answers[name] = []

    # A resolver that does not answer cannot be interrupted; its daemon thread is left behind.
    threads = [threading.Thread(target=ask, args=(name,), daemon=True) for name in names]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + NAMES_S
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0))
    return dict(answers)


def _leads_to(answer: Sequence[str], meant: Sequence[str]) -> bool:
    if not meant:
        return bool(answer) and not any(map(_is_loopback, answer))
    return bool(answer) and all(address in meant for address in answer if ":" not in address)


def _is_loopback(address: str) -> bool:
    return address.startswith("127.") or address == "::1"


def confined(profiles: Path) -> list[str]:
    """The AppArmor profiles that are enforced on programs of DAOS."""
    enforced = [line.rpartition(" (enforce)")[0] for line in text(profiles).splitlines()]
    return sorted(name for name in enforced if "daos" in name)


def limits(root: Path) -> dict[str, Any]:
    """The hard limits of this session (None is unlimited), and whether it is able to raise them."""
    wanted = {"memlock_bytes": resource.RLIMIT_MEMLOCK, "nofile": resource.RLIMIT_NOFILE}
    hard = {key: resource.getrlimit(number)[1] for key, number in wanted.items()}
    status = text(root / "proc/self/status").splitlines()
    held = next((line.split()[1] for line in status if line.startswith("CapEff:")), "0")
    return {
        **{key: None if most == resource.RLIM_INFINITY else most for key, most in hard.items()},
        "capable": bool(int(held, 16) >> CAP_SYS_RESOURCE & 1),
    }


def mounted(directory: Path, flag: int) -> bool:
    """Whether what a directory is on, or its parent if it is not there yet, is mounted so."""
    while not directory.is_dir() and directory != directory.parent:
        directory = directory.parent
    try:
        return bool(os.statvfs(directory).f_flag & flag)
    except OSError:
        return False


def has_helper(prefix: Path) -> bool:
    """Whether the program that acts as root for `daos_server` has root's rights already."""
    try:
        return bool((prefix / "bin/daos_server_helper").stat().st_mode & stat.S_ISUID)
    except OSError:
        return False


def nodes(root: Path) -> dict[str, dict[str, int]]:
    """The memory in MiB and the huge pages of each NUMA node, by its number."""
    memory = {}
    for node in root.glob("sys/devices/system/node/node[0-9]*"):
        # Node 0 MemTotal:       24576000 kB
        lines = [line.split()[2:4] for line in text(node / "meminfo").splitlines()]
        sizes = {line[0].rstrip(":"): int(line[1]) for line in lines if len(line) == 2}
        if "MemTotal" in sizes:
            memory[node.name[len("node") :]] = {
                "total_mib": sizes["MemTotal"] // 1024,
                "hugepages": sizes.get("HugePages_Total", 0),
                "hugepages_free": sizes.get("HugePages_Free", 0),
            }
    return memory


def pmem(root: Path) -> dict[str, dict[str, Any]]:
    """The block devices of persistent memory: the mode of their namespace, and their NUMA node.

    The kernel puts them below a `pfn` if the mode is fsdax, and below a `btt` if it is sector
    (Documentation/driver-api/nvdimm of Linux).
    """
    modes = {"pfn": "fsdax", "btt": "sector", "namespace": "raw"}
    devices = {}
    for block in root.glob("sys/class/block/pmem*"):
        device = block / "device"
        kind = device.resolve().name.rstrip("0123456789.")
        if kind in modes:
            devices[f"/dev/{block.name}"] = {
                "mode": modes[kind],
                "numa_node": _number(device / "numa_node"),
            }
    return devices


def regions(root: Path) -> dict[str, dict[str, Any]]:
    """The regions of persistent memory, and the free space of each, which no namespace uses."""
    return {
        region.name: {
            "size_bytes": _number(region / "size") or 0,
            "available_bytes": _number(region / "available_size") or 0,
            "modules": _number(region / "mappings") or 0,
            "numa_node": _number(region / "numa_node"),
        }
        for region in root.glob("sys/bus/nd/devices/region[0-9]*")
    }


def pcie(root: Path) -> dict[str, dict[str, Any]]:
    """The PCIe links of SSDs and network cards: current, and the maximum of card and slot."""
    links = {}
    for device in root.glob("sys/bus/pci/devices/*"):
        if text(device / "class").startswith((NVME, NETWORK)):
            now, card = _link(device, "current"), _link(device, "max")
            slot = _link(device.resolve().parent, "max")
            if now and card:
                links[device.name] = {"now": now, "card": card, "slot": slot}
    return links


def _link(device: Path, which: str) -> dict[str, Any] | None:
    """Speed in GT/s and lanes; None for a virtual device, which has an unknown speed or width 0."""
    speed = text(device / f"{which}_link_speed").partition(" GT/s")[0]
    width = _number(device / f"{which}_link_width")
    try:
        return {"gts": float(speed), "lanes": width} if width else None
    except ValueError:
        return None
