"""The probe of a node, on a tree of sysfs and procfs as a node has it."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from assay.tools.host import probe
from trees import write_tree

TREE = {
    "proc/meminfo": "MemTotal:       65536000 kB\nHugepagesize:       2048 kB\n",
    "proc/self/mountinfo": "1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 8:2 / /tmp rw - tmpfs none rw\n",
    "sys/class/net/lo/mtu": "65536",
    "sys/class/net/none0/mtu": "0",
    "sys/class/net/none0/speed": "100000",
    "sys/class/net/ib0/mtu": "2044",
    "sys/class/net/ib0/speed": "200000",
    "sys/class/net/ib0/device/numa_node": "1",
    "sys/class/net/ib1/speed": "-1",
    "sys/class/net/ib1/device/numa_node": "1",
    "sys/class/net/eth0/speed": "10000",
    "sys/class/net/eth0/device/vendor": "0x1af4",
}
for cpu, (package, core) in enumerate([(0, 0), (0, 1), (0, 0), (0, 1), (1, 0)]):
    topology = f"sys/devices/system/cpu/cpu{cpu}/topology"
    TREE |= {f"{topology}/physical_package_id": str(package), f"{topology}/core_id": str(core)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path, TREE)
    for name, driver in (("ib0", "mlx5_core"), ("ib1", "mlx5_core"), ("eth0", "virtio_net")):
        (tmp_path / f"sys/class/net/{name}/device/driver").symlink_to(tmp_path / driver)
    return tmp_path


@pytest.fixture
def seen(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(socket, "gethostname", lambda: "n1.example.org")
    monkeypatch.delenv("SLURMD_NODENAME", raising=False)
    return probe.look(root, str(root), "/tmp", ["sh", "no-such-program"])


def test_a_node_has_a_name_memory_cores_and_programs(seen: dict[str, Any]) -> None:
    assert seen["name"] == "n1"
    assert seen["host"]["names"] == ["n1", "n1.example.org"]
    assert seen["host"]["memory"]["total_mib"] == 64000
    # Two cores with two threads each, and one of the other socket.
    assert seen["host"]["cores"] == 3
    assert list(seen["programs"]) == ["sh"]
    assert seen["scratch"]["filesystem"] == "tmpfs"
    assert seen["campaigns"]["writable"]


def test_engines_and_programs_with_daos_are_seen(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("daos_engine", "daos_engine", "daos_agent"), start=1):
        write_tree(root, {f"proc/{number}/comm": f"{name}\n"})
    programs = {"ior": b"\x7fELF libdfs.so\0", "fio": b"\x7fELF libaio.so.1\0"}
    for name, content in programs.items():
        (root / name).write_bytes(content)
        (root / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(root))
    answer = probe.look(root, str(root), "", ["ior", "fio"])
    assert (answer["engines"], answer["dfs"]) == (2, ["ior"])
    assert not probe.has_dfs(str(root / "absent"))


def test_a_shared_directory_is_seen_or_its_absence_is(root: Path) -> None:
    assert probe.look(root, "/", "", [])["shared"] is None
    shared = probe.look(root, "/", "", [], shared=str(root))["shared"]
    assert (shared["inode"], shared["writable"]) == (root.stat().st_ino, True)
    absent = probe.look(root, "/", "", [], shared=str(root / "absent"))["shared"]
    assert (absent["inode"], absent["writable"]) == (None, False)


def test_slurms_name_of_a_node_comes_first(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURMD_NODENAME", "node7")
    assert probe.look(root, "/", "", [])["name"] == "node7"


def test_a_node_that_shows_nothing_has_no_memory_and_all_of_its_cpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    bare = probe.look(tmp_path, "/", "", [])
    assert bare["host"]["memory"]["total_mib"] == 0
    assert bare["host"]["cores"] == 12
    assert bare["scratch"] is None
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert probe.cores(tmp_path) == 1


@pytest.mark.parametrize(
    ("name", "mtu", "speed"),
    [
        ("lo", 65536, None),
        ("ib0", 2044, 200.0),
        # No carrier, a virtual device, and one that is no device at all.
        ("ib1", None, None),
        ("eth0", None, None),
        ("none0", None, None),
    ],
)
def test_a_speed_is_that_of_a_wire(
    seen: dict[str, Any], name: str, mtu: int | None, speed: float | None
) -> None:
    interface = seen["host"]["interfaces"][name]
    assert (interface["mtu"], interface["speed_gbits"]) == (mtu, speed)


def test_an_interface_has_an_address_with_its_network(seen: dict[str, Any]) -> None:
    loopback = seen["host"]["interfaces"]["lo"]
    assert (loopback["address"], loopback["network"]) == ("127.0.0.1", "127.0.0.0/8")
    absent = seen["host"]["interfaces"]["none0"]
    assert (absent["address"], absent["network"]) == (None, None)


def test_a_name_of_fifteen_characters_is_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ioctl(_: object, number: int, request: bytes) -> bytes:
        asked.append(request)
        return bytes(20) + bytes([192, 0, 2, number & 7]) + bytes(232)

    monkeypatch.setattr(probe.fcntl, "ioctl", ioctl)
    assert probe._address("a" * 20) == "192.0.2.5/192.0.2.3"
    assert asked[0].rstrip(b"\0") == b"a" * 15


def test_of_two_mounts_of_one_directory_the_last_counts(tmp_path: Path) -> None:
    mounts = "".join(
        f"{number} 1 8:1 / {point} rw - {kind} /dev/{kind} rw\n"
        for number, (point, kind) in enumerate(
            [("/", "ext4"), (tmp_path, "nfs4"), (tmp_path, "xfs"), (f"{tmp_path}x", "tmpfs")]
        )
    )
    place = probe.place(str(tmp_path / "new"), mounts)
    assert (place["filesystem"], place["device"]) == ("xfs", "/dev/xfs")
    assert not place["writable"]
    (tmp_path / "new").write_text("a file")
    assert not probe.place(str(tmp_path / "new"), mounts)["writable"]
    assert probe.place(str(tmp_path), mounts)["writable"]
    assert probe.place(str(tmp_path), "")["filesystem"] == ""


def test_an_answer_has_lines_that_srun_does_not_split(capsys: pytest.CaptureFixture[str]) -> None:
    probe.print_answer({"name": "n1", "long": "x" * 2000})
    *lines, end = capsys.readouterr().out.splitlines()
    parts = [line.split(" ", 3) for line in lines]
    assert [(name, int(start)) for _, name, start, _ in parts] == [
        ("n1", 0),
        ("n1", 900),
        ("n1", 1800),
    ]
    assert [len(text) for *_, text in parts][:2] == [900, 900]
    assert len("".join(text for *_, text in parts)) == int(end.split()[2])
