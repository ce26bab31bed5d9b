"""What a node of somebody's Slurm has, as a normal user sees it there.

It is sent to the node as text, together with `assay.tools.host.sysfs`, and may use only the
standard library of Python 3.9. It prints JSON in the words of cluster.json, and changes nothing.
Arguments: the directory of campaigns, a scratch directory and a shared one or empty words, and
names of programs.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import struct
import sys
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from assay.tools.host import sysfs

VIRTUAL = {"bridge", "bonding", "tun", "veth", "virtio_net"}
"""Drivers of interfaces whose speed is no line rate."""

MOST_BYTES = 2**28
"""Size of a program above which it is not read (own choice)."""

SIOCGIFADDR, SIOCGIFNETMASK = 0x8915, 0x891B
"""From linux/sockios.h."""


def look(
    root: Path, campaigns: str, scratch: str, programs: list[str], shared: str = ""
) -> dict[str, Any]:
    """All that is seen of this host; `root` is below which sysfs and procfs are."""
    names = {socket.gethostname(), socket.gethostname().partition(".")[0]}
    paths = {name: path for name in programs if (path := shutil.which(name))}
    mountinfo = sysfs.text(root / "proc/self/mountinfo")
    host = sysfs.look(root)
    host["memory"]["total_mib"] = (sysfs.meminfo_kib(root, "MemTotal") or 0) // 1024
    for name, link in host["interfaces"].items():
        link.update(interface(root / "sys/class/net" / name))
    return {
        "name": os.environ.get("SLURMD_NODENAME") or socket.gethostname().partition(".")[0],
        "host": {"names": sorted(names), "cores": cores(root), **host},
        "campaigns": seen(campaigns),
        "scratch": place(scratch, mountinfo) if scratch else None,
        "shared": place(shared, mountinfo) if shared else None,
        "boot": sysfs.text(root / "proc/sys/kernel/random/boot_id") or None,
        "programs": paths,
        "dfs": [name for name, path in paths.items() if has_dfs(path)],
        "engines": engines(root),
    }


def has_dfs(program: str) -> bool:
    """Whether a program is linked with DAOS's file system library."""
    try:
        with open(program, "rb") as file:
            return os.fstat(file.fileno()).st_size < MOST_BYTES and b"libdfs.so" in file.read()
    except OSError:
        return False


def engines(root: Path) -> int:
    """The engines of DAOS that run here."""
    names = (sysfs.text(process / "comm") for process in root.glob("proc/[0-9]*"))
    return sum(name == "daos_engine" for name in names)


def cores(root: Path) -> int:
    """Physical cores; CPUs where the kernel does not show which of them share one."""
    distinct = {
        (sysfs.text(cpu / "physical_package_id"), sysfs.text(cpu / "core_id"))
        for cpu in root.glob("sys/devices/system/cpu/cpu[0-9]*/topology")
    }
    return len(distinct) or os.cpu_count() or 1


def interface(link: Path) -> dict[str, Any]:
    """The MTU, speed and address of an interface, in the words of cluster.json."""
    driver = os.path.basename(os.path.realpath(link / "device/driver"))
    mbits, mtu = sysfs.text(link / "speed"), sysfs.text(link / "mtu")
    is_physical = (link / "device").exists() and driver not in VIRTUAL
    address = _address(link.name)
    return {
        "mtu": int(mtu) if mtu.isdigit() and int(mtu) else None,
        "speed_gbits": int(mbits) / 1000 if is_physical and mbits.isdigit() else None,
        "address": address and str(ip_interface(address).ip),
        "has_address": address is not None or _has_ipv6(link),
        "network": address and str(ip_interface(address).network),
    }


def _has_ipv6(link: Path) -> bool:
    """Whether the kernel lists an IPv6 address of an interface."""
    addresses = sysfs.text(link.parents[3] / "proc/net/if_inet6").splitlines()
    return any(line.split()[-1:] == [link.name] for line in addresses)


def _address(name: str) -> str | None:
    """The IPv4 address of an interface with its mask; None without one."""
    request = struct.pack("256s", name.encode()[:15])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            words = [
                socket.inet_ntoa(fcntl.ioctl(asking, number, request)[20:24])
                for number in (SIOCGIFADDR, SIOCGIFNETMASK)
            ]
        except OSError:
            return None
    return "/".join(words)


def seen(directory: str) -> dict[str, Any]:
    """Whether a directory is here, and which: two hosts that share it see the same inode."""
    try:
        return {"inode": os.stat(directory).st_ino, "writable": os.access(directory, os.W_OK)}
    except OSError as error:
        return {"error": error.strerror}


def place(directory: str, mountinfo: str) -> dict[str, Any]:
    """A directory for files, what is mounted there, and whether this user may write to it."""
    real, mounted = os.path.realpath(directory), ("", "", "")
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        point, (kind, source) = before.split()[4].replace("\\040", " "), after.split()[:2]
        is_above = real == point or real.startswith(point.rstrip("/") + "/")
        if is_above and len(point) >= len(mounted[0]):
            mounted = (point, kind, source)
    return {
        "directory": directory,
        "filesystem": mounted[1],
        "device": mounted[2],
        "inode": seen(directory).get("inode"),
        "writable": os.path.isdir(directory) and os.access(directory, os.W_OK),
    }


LINE = 900
"""Characters of a line: srun mixes the lines of its tasks, and splits longer ones at 1 KiB."""


def print_answer(answer: dict[str, Any]) -> None:
    """Print what was found, in lines that each say whose they are and which."""
    text = json.dumps(answer)
    for start in range(0, len(text), LINE):
        print(f"assay-probe {answer['name']} {start} {text[start : start + LINE]}")
    print(f"assay-probe {answer['name']} {len(text)} end")


if __name__ == "__main__":
    campaigns, scratch, shared, *programs = sys.argv[1:]
    print_answer(look(Path("/"), campaigns, scratch, programs, shared))
