"""Whether hosts reach each other's ports, tried for real between network namespaces."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from needs import without

ROLE = Path(__file__).parents[2] / "roles/cluster"
MODULE = ROLE / "library/cluster_ports.py"


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def module() -> ModuleType:
    return loaded(MODULE)


def service(address: str, *ports: int) -> dict[str, Any]:
    return {"service": "daos_server", "address": address, "ports": ports, "peers": ["daos_agent"]}


class Listening:
    """The listener of a host, which a test ends."""

    def __init__(self, module: ModuleType, *services: dict[str, Any], lifetime_s: int = 60) -> None:
        answer = module.listen(list(services), lifetime_s)
        self.listener = answer["listener"]
        self.services = [{**each, "host": "s1"} for each in answer["services"]]

    def wait(self) -> int:
        """How it ended: the status of its process."""
        return os.waitpid(self.listener["pid"], 0)[1]


@pytest.fixture
def here(module: ModuleType) -> Iterator[Listening]:
    listening = Listening(module, service("127.0.0.1", 0, 0))
    yield listening
    module.stop(listening.listener)
    assert listening.wait() == signal.SIGTERM


def test_a_host_that_reaches_all_ports_reports_nothing(module: ModuleType, here: Listening) -> None:
    assert asyncio.run(module.connect(here.services, "c1", {"daos_agent"})) == []


def test_a_port_at_which_nothing_listens_is_refused(module: ModuleType, here: Listening) -> None:
    (found,) = here.services
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    found["ports"].append(port)
    assert asyncio.run(module.connect(here.services, "c1", {"daos_agent"})) == [
        {"to": "s1", "service": "daos_server", "ports": [port], "why": "refused"}
    ]


@pytest.mark.parametrize(("name", "groups"), [("s1", {"daos_agent"}), ("c1", {"slurm"})])
def test_neither_a_host_itself_nor_one_without_need_is_tried(
    module: ModuleType, here: Listening, name: str, groups: set[str]
) -> None:
    here.services[0]["ports"] = [1]
    assert asyncio.run(module.connect(here.services, name, groups)) == []


def test_a_daemon_keeps_its_port_and_is_asked_itself(module: ModuleType) -> None:
    with socket.create_server(("127.0.0.1", 0)) as daemon:
        port = daemon.getsockname()[1]
        listening = Listening(module, service("127.0.0.1", port))
        assert [each["ports"] for each in listening.services] == [[port]]
        assert [each["echoes"] for each in listening.services] == [[]]
        assert asyncio.run(module.connect(listening.services, "c1", {"daos_agent"})) == []
        module.stop(listening.listener)
        listening.wait()


def test_a_port_that_is_neither_free_nor_listened_at_is_left_out(module: ModuleType) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # as a connection has it
        listening = Listening(module, service("127.0.0.1", taken.getsockname()[1]))
    assert listening.services == []
    module.stop(listening.listener)
    listening.wait()


def test_a_listener_ends_by_itself(module: ModuleType) -> None:
    assert Listening(module, service("127.0.0.1", 0), lifetime_s=0).wait() == 0


def test_another_process_of_that_number_is_not_ended(module: ModuleType) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        module.stop({"pid": other.pid, "started": "1"})
        assert other.poll() is None
        module.stop({"pid": other.pid, "started": module.started(other.pid)})
        assert other.wait(10) == -signal.SIGTERM


# A client and a server with a router between them.
CLIENT, SERVER = "198.51.100.2", "203.0.113.2"
SETUP = """
ip link set lo up
ip link add c type veth peer name eth0 netns {client}
ip link add s type veth peer name eth0 netns {server}
ip address add 198.51.100.1/24 dev c
ip address add 203.0.113.1/24 dev s
ip link set c up; ip link set s up
echo 1 >/proc/sys/net/ipv4/ip_forward
"""
END = "ip address add {address}/24 dev eth0; ip link set eth0 up; ip route add default via {router}"
NFT = "nft add table inet t; nft 'add chain inet t c {{ type filter hook {hook} priority 0; }}'; "


class Network:
    """Three network namespaces, each held by a process that sleeps."""

    def __init__(self) -> None:
        self._held = {
            name: subprocess.Popen(["unshare", "--net", "sleep", "600"])
            for name in ("client", "router", "server")
        }
        for name in self._held:
            own = os.stat("/proc/self/ns/net").st_ino
            while os.stat(f"/proc/{self._held[name].pid}/ns/net").st_ino == own:
                os.sched_yield()
        pids = {name: str(held.pid) for name, held in self._held.items()}
        self.sh("router", SETUP.format(**pids))
        self.sh("client", END.format(address=CLIENT, router="198.51.100.1"))
        self.sh("server", END.format(address=SERVER, router="203.0.113.1"))

    def sh(self, where: str, script: str) -> str:
        command = ["nsenter", f"--target={self._held[where].pid}", "--net", "bash", "-ec", script]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def module(self, where: str, call: str) -> Any:
        """What a function of the module returns there."""
        text = f"import sys; sys.path.insert(0, {str(MODULE.parent)!r}); import asyncio, json;"
        text += f"import cluster_ports as module; print(json.dumps({call}))"
        program = f"{sys.executable} -I -c {json.dumps(text)}"
        return json.loads(self.sh(where, program))

    def end(self) -> None:
        for held in self._held.values():
            held.kill()
            held.wait()


@pytest.fixture
def network() -> Iterator[Network]:
    if os.geteuid() != 0 or not shutil.which("nft"):
        without("root, and the program nft")
    try:
        subprocess.run(["unshare", "--net", "true"], check=True, capture_output=True)
    except subprocess.CalledProcessError:
        without("network namespaces")
    network = Network()
    yield network
    network.end()


@pytest.mark.parametrize(
    ("where", "fault", "ports", "why"),
    [
        ("client", "true", None, None),
        (
            "server",
            NFT.format(hook="input") + "nft add rule inet t c tcp dport 31316 drop",
            [31316],
            "no answer",
        ),
        (
            "server",
            NFT.format(hook="input")
            + "nft add rule inet t c tcp dport 31316 reject with tcp reset",
            [31316],
            "refused",
        ),
        ("server", "ip route replace default via 203.0.113.9", [10001, 31316], "no answer"),
        ("client", "ip route del default", [10001, 31316], "network is unreachable"),
        (
            "router",
            "ip link set s mtu 1400; "
            + NFT.format(hook="output")
            + "nft add rule inet t c icmp type destination-unreachable drop",
            [10001],
            "no answer to 320 KiB",
        ),
        (
            "client",
            "ip link set eth0 mtu 9000",
            [10001],
            "no answer to packets of 9000 bytes, the MTU here",
        ),
    ],
    ids=["sound", "drop", "reject", "wrong-route", "no-route", "small-mtu", "other-mtu"],
)
def test_what_lies_between_two_hosts_is_found(
    network: Network, where: str, fault: str, ports: list[int] | None, why: str | None
) -> None:
    network.sh(where, fault)
    answer = network.module("server", f"module.listen([{service(SERVER, 10001, 31316)}], 60)")
    services = [{**each, "host": "s1"} for each in answer["services"]]
    assert [each["ports"] for each in services] == [[10001, 31316]]
    call = f"asyncio.run(module.connect({services}, 'c1', {{'daos_agent'}}))"
    failed = network.module("client", call)
    network.module("server", f"module.stop({answer['listener']})")
    left = (network.module("server", "module.is_listened_at(10001)") for _ in range(20))
    assert not all(left)  # a signal takes its time
    expected = {"to": "s1", "service": "daos_server", "ports": ports, "why": why}
    assert failed == ([] if ports is None else [expected])


FACTS = {
    "default_ipv4": {"interface": "eth0"},
    "eth0": {"ipv4": {"address": "192.0.2.1"}},
    "ib_0": {"ipv4": {"address": "198.51.100.1"}},
}
ENGINE = {"targets": 2, "nr_xs_helpers": 1, "fabric_iface": "ib-0", "fabric_iface_port": 31316}


def services_of(groups: list[str], provider: str = "ofi+tcp", **server: Any) -> dict[str, Any]:
    inventory = {"engines": [ENGINE], "server": {"telemetry_port": 9191, **server}}
    of = {"provider": provider, "port": "10001", "slurm_address": "192.0.2.1"}
    found = loaded(ROLE / "filter_plugins/ports.py").services(inventory, groups, FACTS, of)
    return {each["service"]: (each["address"], each["ports"]) for each in found}


def test_a_server_is_reached_at_the_ports_of_its_programs() -> None:
    assert services_of(["daos_server"]) == {
        "daos_server": ("192.0.2.1", [10001]),
        "telemetry": ("192.0.2.1", [9191]),
        "engine0": ("198.51.100.1", [31316, 31317, 31318, 31319, 31320]),
    }
    controlled = services_of(["daos_server"], "ofi+verbs", settings={"control_iface": "ib-0"})
    assert controlled == {
        "daos_server": ("198.51.100.1", [10001]),
        "telemetry": ("198.51.100.1", [9191]),
    }


def test_slurm_is_reached_at_its_daemons_and_at_any_port_for_srun() -> None:
    address = "192.0.2.1"
    nodes = {"slurmd": (address, [6818]), "srun": (address, [0])}
    assert services_of(["slurm"]) == nodes
    assert services_of(["slurm", "controller"]) == {"slurmctld": (address, [6817]), **nodes}
    assert services_of(["daos_agent"]) == {}


@pytest.mark.parametrize(
    "engines", [None, [{"fabric_iface": "ib-0"}], [{**ENGINE, "targets": "x"}]]
)
def test_a_mistake_in_the_inventory_is_left_to_the_rules(engines: Any) -> None:
    of = {"provider": "ofi+tcp", "port": "nonsense", "slurm_address": None}
    found = loaded(ROLE / "filter_plugins/ports.py").services
    assert found({"engines": engines}, ["daos_server", "slurm"], FACTS, of) == []
