"""The scripts that put a program on a rail, and that see whether its bytes crossed one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.tools.fi_pingpong import parse
from needs import without

NETWORK = Path(__file__).parents[2] / "reframe-checks" / "network"
SHOW = 'echo "$D_INTERFACE $D_DOMAIN"; taskset --cpu-list --pid $$ | sed "s/.*: //"'


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """Two ports: ib0 beside CPU 0, with an RDMA device, and Slingshot's hsn1 on an unknown node."""
    for rail, device in (("ib0", "infiniband/mlx5_0"), ("hsn1", "cxi/cxi1")):
        (tmp_path / "class" / "net" / rail / "device" / device).mkdir(parents=True)
    (tmp_path / "class" / "net" / "ib0" / "device" / "numa_node").write_text("0\n")
    node = tmp_path / "devices" / "system" / "node" / "node0"
    node.mkdir(parents=True)
    (node / "cpulist").write_text("0\n")
    return tmp_path


def on_rail(sysfs: Path, domains: str, given: str, process: int = 0) -> tuple[int, str]:
    """The exit status of a program on a rail of c1, and what it printed."""
    variables = ("D_INTERFACE", "D_DOMAIN")
    done = subprocess.run(
        ["bash", NETWORK / "rail.sh", domains, *variables, given, "--", "bash", "-c", SHOW],
        env={
            **os.environ,
            "SYSFS": str(sysfs),
            "SLURMD_NODENAME": "c1",
            "SLURM_LOCALID": str(process),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("domains", "process", "chosen"),
    [
        ("infiniband", 0, "ib0 mlx5_0"),
        ("net", 0, "ib0 ib0"),
        ("cxi", 1, "hsn1 cxi1"),
        # A client with fewer rails than another takes them in turn.
        ("cxi", 3, "hsn1 cxi1"),
        # Without such a device, the domain is the interface, as the agent assumes.
        ("infiniband", 1, "hsn1 hsn1"),
    ],
)
def test_each_process_of_a_host_takes_the_next_rail(
    sysfs: Path, domains: str, process: int, chosen: str
) -> None:
    status, printed = on_rail(sysfs, domains, "c1=ib0,hsn1", process)
    assert (status, printed.splitlines()[0]) == (0, chosen)


def test_a_process_runs_on_the_node_of_its_rail(sysfs: Path) -> None:
    assert on_rail(sysfs, "net", "c1=ib0")[1].splitlines()[1] == "0"


def test_a_rail_that_is_not_there_is_refused(sysfs: Path) -> None:
    assert on_rail(sysfs, "net", "c1=ib7") == (1, "rail.sh: c1 has no interface ib7\n")
    assert on_rail(sysfs, "net", "c2=ib0") == (1, "rail.sh: no rail is described for c1\n")


EXCHANGE = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
for sender, receiver in ((client, peer), (peer, client)):
    sender.sendall(bytes(3000))
    receiver.recv(3000, socket.MSG_WAITALL)
"""
"""Sends 3000 bytes there and back by loopback."""


def crossing(interface: str, *command: str) -> tuple[int, str]:
    """Run a command in a network of its own, which has loopback and the idle interface d0."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        without("unshare and ip")
    script = (
        "ip link set lo up && ip link add d0 type veth peer name d1 || exit 77\n"
        f'exec bash {NETWORK / "crossing.sh"} {interface} 3000 "$@"'
    )
    done = subprocess.run(
        ["unshare", "--map-root-user", "--net", "bash", "-c", script, "bash", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode == 77:
        without("a network namespace with a veth interface")
    return done.returncode, done.stdout


def test_what_crossed_the_interface_is_well() -> None:
    assert crossing("lo", sys.executable, "-c", EXCHANGE) == (0, "")


def test_what_crossed_another_interface_is_an_error() -> None:
    status, printed = crossing("d0", sys.executable, "-c", EXCHANGE)
    assert status == 1
    assert printed.startswith("[error] d0 of ")
    assert "sent 0 and received 0 of 3000 bytes: the kernel routes them by another" in printed
    assert parse(printed).problems == (f"fi_pingpong: {printed.strip()}",)


def test_a_program_keeps_its_exit_status() -> None:
    assert crossing("d0", "bash", "-c", "exit 111") == (111, "")


def test_an_interface_that_is_not_there_is_an_error() -> None:
    status, printed = crossing("ib7", "true")
    assert (status, printed.rpartition(" has ")[2]) == (1, "no interface ib7\n")
