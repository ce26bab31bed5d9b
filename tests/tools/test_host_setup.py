"""How a host is set up, read from trees of sysfs and procfs as hosts have them."""

from __future__ import annotations

import errno
import os
import resource
import socket
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.cluster.setup import Setup
from assay.tools.host import host_setup
from assay.tools.host.host_setup import read_setup
from trees import write_tree

PCI = "sys/devices/pci0000:64"
TREE = {
    "proc/sys/kernel/random/boot_id": "c0d8c99a-e7cd-4c43-a0e1-9fe521475ea7",
    "proc/sys/kernel/numa_balancing": "1",
    "proc/1/comm": "systemd",
    "proc/612/comm": "chronyd",
    "proc/self/status": "Name:\tpython3\nCapEff:\t000001ffffffffff",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance",
    "sys/fs/selinux/enforce": "1",
    "sys/kernel/security/apparmor/profiles": (
        "/usr/bin/daos_server (enforce)\n/usr/bin/daos_agent (complain)\n/usr/bin/man (enforce)"
    ),
    # As Linux 6.1 writes it, but for most of its lines.
    "sys/devices/system/node/node1/meminfo": (
        "Node 1 MemTotal:       263884800 kB\nNode 1 MemFree:        1 kB\n"
        "Node 1 HugePages_Total:  8704\nNode 1 HugePages_Free:   8700"
    ),
    f"{PCI}/0000:64:02.0/max_link_speed": "16.0 GT/s PCIe",
    f"{PCI}/0000:64:02.0/max_link_width": "2",
    f"{PCI}/0000:64:02.0/0000:65:00.0/class": "0x010802",
    f"{PCI}/0000:64:02.0/0000:65:00.0/current_link_speed": "8.0 GT/s PCIe",
    f"{PCI}/0000:64:02.0/0000:65:00.0/current_link_width": "2",
    f"{PCI}/0000:64:02.0/0000:65:00.0/max_link_speed": "16.0 GT/s PCIe",
    f"{PCI}/0000:64:02.0/0000:65:00.0/max_link_width": "4",
    # A virtual network card.
    "sys/devices/pci0000:00/0000:00:03.0/class": "0x020000",
    "sys/devices/pci0000:00/0000:00:03.0/current_link_speed": "Unknown",
    "sys/devices/pci0000:00/0000:00:03.0/current_link_width": "0",
    "sys/devices/nd/region1/size": "135291469824",
    "sys/devices/nd/region1/available_size": "0",
    "sys/devices/nd/region1/mappings": "4",
    "sys/devices/nd/region1/numa_node": "1",
    "sys/devices/nd/region1/pfn1.0/numa_node": "1",
    "sys/devices/nd/region1/btt1.1/numa_node": "-1",
    "sys/devices/nd/region1/namespace1.2/numa_node": "1",
}
"""Written by hand after the kernel's Documentation/ABI; no such machine was at hand."""
LINKS = {
    "sys/bus/pci/devices/0000:65:00.0": f"{PCI}/0000:64:02.0/0000:65:00.0",
    "sys/bus/pci/devices/0000:00:03.0": "sys/devices/pci0000:00/0000:00:03.0",
    "sys/bus/nd/devices/region1": "sys/devices/nd/region1",
    "sys/class/block/pmem1/device": "sys/devices/nd/region1/pfn1.0",
    "sys/class/block/pmem1.1s/device": "sys/devices/nd/region1/btt1.1",
    "sys/class/block/pmem1.2/device": "sys/devices/nd/region1/namespace1.2",
}


@pytest.fixture
def described(tmp_path: Path) -> dict[str, Any]:
    write_tree(tmp_path, TREE)
    for name, target in LINKS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(tmp_path / target)
    return read_setup(tmp_path, "/usr", {})


def test_it_is_what_the_description_has(described: dict[str, Any]) -> None:
    assert Setup.model_validate(described).model_fields_set == described.keys()


def test_settings_of_the_kernel(described: dict[str, Any]) -> None:
    assert described["boot"] == "c0d8c99a-e7cd-4c43-a0e1-9fe521475ea7"
    assert described["governors"] == ["performance", "powersave"]
    assert described["numa_balancing"] == 1
    assert described["selinux"] == "enforcing"
    assert described["apparmor"] == ["/usr/bin/daos_server"]
    assert described["time_service"] == "chronyd"
    assert described["limits"]["capable"] is True


def test_memory_and_huge_pages_of_each_numa_node(described: dict[str, Any]) -> None:
    assert described["nodes"] == {
        "1": {"total_mib": 257700, "hugepages": 8704, "hugepages_free": 8700}
    }


def test_the_link_of_a_card_and_what_card_and_slot_could(described: dict[str, Any]) -> None:
    assert described["pcie"] == {
        "0000:65:00.0": {
            "now": {"gts": 8.0, "lanes": 2},
            "card": {"gts": 16.0, "lanes": 4},
            "slot": {"gts": 16.0, "lanes": 2},
        }
    }


@pytest.mark.parametrize("known", ["current", "max"])
def test_a_link_of_which_one_half_is_not_known_is_left_out(tmp_path: Path, known: str) -> None:
    device = "sys/bus/pci/devices/0000:65:00.0"
    speed = {f"{device}/{known}_link_speed": "8.0 GT/s PCIe", f"{device}/{known}_link_width": "2"}
    write_tree(tmp_path, {f"{device}/class": "0x010802", **speed})
    assert host_setup.pcie(tmp_path) == {}


def test_persistent_memory_by_mode_and_region(described: dict[str, Any]) -> None:
    assert described["pmem"] == {
        "/dev/pmem1": {"mode": "fsdax", "numa_node": 1},
        "/dev/pmem1.1s": {"mode": "sector", "numa_node": None},
        "/dev/pmem1.2": {"mode": "raw", "numa_node": 1},
    }
    assert described["regions"] == {
        "region1": {
            "size_bytes": 135291469824,
            "available_bytes": 0,
            "modules": 4,
            "numa_node": 1,
        }
    }


def test_a_host_that_shows_nothing_is_not_judged(tmp_path: Path) -> None:
    setup = read_setup(tmp_path, "/none/here", {})
    of_this_process = {key: setup.pop(key) for key in ("clock", "limits", "nosuid", "read_only")}
    setup.pop("mpich")  # of this machine, whatever the directory
    assert not any(setup.values())
    assert of_this_process["limits"]["capable"] is False


def test_the_clock_of_this_machine_can_be_read_by_everybody() -> None:
    clock = host_setup.clock()
    assert clock is not None
    assert clock["error_s"] >= 0


@pytest.mark.parametrize(
    ("state", "status", "clock"),
    [
        (0, 0, {"synchronized": True, "error_s": 0.25}),
        (5, host_setup.STA_UNSYNC, {"synchronized": False, "error_s": 0.25}),
        (-1, 0, None),
    ],
)
def test_a_clock_is_synchronized_if_the_kernel_says_so(
    monkeypatch: pytest.MonkeyPatch, state: int, status: int, clock: dict[str, Any] | None
) -> None:
    def adjtimex(pointer: Any) -> int:
        pointer._obj.status, pointer._obj.maxerror = status, 250_000
        return state

    library = SimpleNamespace(adjtimex=adjtimex)
    monkeypatch.setattr("ctypes.CDLL", lambda _: library)
    assert host_setup.clock() == clock


def test_a_limit_that_is_infinite_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hard = {resource.RLIMIT_MEMLOCK: resource.RLIM_INFINITY, resource.RLIMIT_NOFILE: 4096}
    monkeypatch.setattr(resource, "getrlimit", lambda number: (1024, hard[number]))
    capable = {"capable": False}
    assert host_setup.limits(tmp_path) == {"memlock_bytes": None, "nofile": 4096, **capable}


@pytest.mark.parametrize(("flags", "is_so"), [(os.ST_NOSUID, True), (os.ST_RDONLY, False)])
def test_a_directory_that_is_not_there_yet_is_on_the_mount_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: int, *, is_so: bool
) -> None:
    asked = []

    def statvfs(directory: Path) -> SimpleNamespace:
        asked.append(directory)
        return SimpleNamespace(f_flag=flags)

    monkeypatch.setattr(os, "statvfs", statvfs)
    assert host_setup.mounted(tmp_path / "new" / "bin", os.ST_NOSUID) == is_so
    assert asked == [tmp_path]


def test_a_mount_that_does_not_answer_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def statvfs(directory: Path) -> None:
        raise OSError(errno.ESTALE, "Stale file handle", directory)

    monkeypatch.setattr(os, "statvfs", statvfs)
    assert host_setup.mounted(Path("/"), os.ST_NOSUID) is False


def test_a_helper_has_its_rights_or_not(tmp_path: Path) -> None:
    helper = tmp_path / "bin/daos_server_helper"
    assert not host_setup.has_helper(tmp_path)
    helper.parent.mkdir()
    for mode, has in ((0o755, False), (0o4750, True)):
        helper.touch()
        helper.chmod(mode)
        assert host_setup.has_helper(tmp_path) is has


def test_a_node_without_huge_pages_has_none(tmp_path: Path) -> None:
    meminfo = "sys/devices/system/node/node0/meminfo"
    write_tree(tmp_path, {meminfo: "Node 0 MemTotal:       1048576 kB"})
    none = {"hugepages": 0, "hugepages_free": 0}
    assert host_setup.nodes(tmp_path) == {"0": {"total_mib": 1024, **none}}


def test_what_a_program_printed_counts_though_it_failed() -> None:
    assert host_setup.printed("sh", "-c", "echo x; exit 3") == "x\n"
    assert host_setup.printed("/none/here") == ""


def test_names_that_lead_elsewhere_or_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = {
        "s1": ["192.0.2.1", "2001:db8::1"],
        "s2": ["127.0.1.1"],
        "s3": ["198.51.100.3"],
        "s5": ["192.0.2.5"],
        "s6": ["127.0.1.1"],
    }

    def resolve(name: str, *_: object, **__: object) -> list[Any]:
        if name not in hosts:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(0, 0, 0, "", (address, 0)) for address in hosts[name]]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    meant = {
        "s1": ["192.0.2.1"],
        "s2": ["192.0.2.2"],
        "s3": ["192.0.2.3"],
        "s4": ["192.0.2.4"],
        "s5": [],
        "s6": [],
    }
    assert host_setup.misnamed(meant) == {
        "s2": ["127.0.1.1"],
        "s3": ["198.51.100.3"],
        "s4": [],
        "s6": ["127.0.1.1"],
    }


def test_a_resolver_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_setup, "NAMES_S", 0.05)
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [answered.wait(60)][1:])
    began = time.monotonic()
    assert host_setup.misnamed({"s1": ["192.0.2.1"]}) == {"s1": []}
    assert time.monotonic() - began < 30
    answered.set()


SYSCTLS = "proc/sys/net/ipv4/conf"


def test_sysctls_of_rails_are_the_stricter_of_two(tmp_path: Path) -> None:
    of = {"all": (0, 2, 0), "ib0": (1, 0, 2), "lo": (0, 0, 0)}
    keys = ("accept_local", "arp_ignore", "rp_filter")
    files = {
        f"{SYSCTLS}/{n}/{k}": str(v) for n, vs in of.items() for k, v in zip(keys, vs, strict=True)
    }
    write_tree(tmp_path, files | {"sys/class/net/ib0/device/numa_node": "0"})
    assert host_setup.arp(tmp_path) == {"ib0": {"accept_local": 1, "arp_ignore": 2, "rp_filter": 2}}


@pytest.mark.parametrize(
    ("release", "platform"),
    [('ID="rocky"\nPLATFORM_ID="platform:el8"\n', "el8"), ("ID=debian\n", None), ("", None)],
)
def test_enterprise_linux_is_known_by_its_release(
    tmp_path: Path, release: str, platform: str | None
) -> None:
    write_tree(tmp_path, {"etc/os-release": release})
    assert host_setup.platform(tmp_path) == platform


def test_plugins_of_mercury_are_found_where_packages_have_them(tmp_path: Path) -> None:
    assert host_setup.na_plugins(tmp_path, "/usr") is None
    write_tree(tmp_path, {"usr/lib64/libna.so.4": ""})
    assert host_setup.na_plugins(tmp_path, "/usr") == []
    write_tree(tmp_path, {"usr/lib64/mercury/libna_plugin_ofi.so": ""})
    assert host_setup.na_plugins(tmp_path, "/usr") == ["ofi"]


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("MPICH Version:    \t4.0.2\nMPICH Device:    \tch4:ucx\n", "4.0.2 ch4:ucx"),
        ("MPICH Version:      5.0.2\nMPICH Device:       ch4:ucx ofi\n", "5.0.2 ch4:ucx ofi"),
        ("", None),
    ],
)
def test_the_mpich_of_a_distribution_has_a_version_and_a_device(
    printed: str, found: str | None
) -> None:
    assert host_setup.mpich(printed) == found


def test_names_of_which_nobody_knows_the_address_are_resolved() -> None:
    assert host_setup.resolved({"localhost": [], "s1": ["192.0.2.1"]}).keys() == {"localhost"}
