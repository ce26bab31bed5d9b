"""Interfaces of engines and of agents."""

import pytest

from sites import only, problems, put, site


def test_an_interface_that_the_host_lacks() -> None:
    problem = only(put(site(), {"s1: engines/0/fabric_iface": "ib7"}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].fabric_iface", "ib7")
    assert problem.allowed == "should be an interface of this host: ib0, ib1"


def test_an_interface_that_is_down() -> None:
    problem = only(put(site(), {"s1: interfaces/ib0/up": False}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].fabric_iface", "ib0")
    assert problem.allowed == "should be up; this interface is down"
    assert problem.severity == "error"


@pytest.mark.parametrize("port", [31316, 31337])
def test_two_engines_with_ports_that_overlap(port: int) -> None:
    document = put(
        site("file", engines=2),
        {
            "s1: interfaces/ib0/numa_node": None,
            "s1: engines/1/fabric_iface": "ib0",
            "s1: engines/1/fabric_iface_port": port,
        },
    )
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[1].fabric_iface_port")
    assert problem.value == port
    assert (
        problem.allowed == "should be above 31337: engines[0] has the ports 31316 to 31337 of ib0"
    )
    assert problems(put(document, {"s1: engines/1/fabric_iface_port": 31338})) == []


@pytest.mark.parametrize("port", [0, 65536])
def test_a_port_out_of_range(port: int) -> None:
    problem = only(put(site(), {"s1: engines/0/fabric_iface_port": port}))
    assert (problem.host, problem.key, problem.value) == (
        "s1",
        "engines[0].fabric_iface_port",
        port,
    )


@pytest.mark.parametrize("key", ["s1: server/telemetry_port", "c1: agent/telemetry_port"])
def test_a_port_for_metrics_that_does_not_exist_although_daos_takes_it(key: str) -> None:
    problem = only(put(site(), {key: 65536}))
    assert problem.value == 65536
    assert problem.allowed.startswith("should be at most 65535: DAOS accepts it")
    assert problems(put(site(), {key: 65535})) == []


def test_several_interfaces_in_one_subnet_are_a_warning() -> None:
    problem = only(put(site(engines=2), {"s1: interfaces/ib1/network": "192.0.2.0/24"}))
    assert (problem.host, problem.key) == ("s1", "interfaces")
    assert problem.value == "ib0, ib1 in 192.0.2.0/24"
    assert "as the role daos_host sets them" in problem.allowed
    assert problem.severity == "warning"


def test_an_interface_that_no_engine_uses_disturbs_nobody() -> None:
    assert problems(put(site(), {"s1: interfaces/ib1/network": "192.0.2.0/24"})) == []


def test_an_agent_that_is_told_both_what_to_hand_out_and_what_not() -> None:
    agent = {"include_fabric_ifaces": ["ib0"], "exclude_fabric_ifaces": ["ib1"]}
    problem = only(put(site(), {"c1: agent": agent}))
    assert (problem.host, problem.key) == ("c1", "agent.exclude_fabric_ifaces")
    assert problem.value == "ib1"
    assert problem.allowed.startswith("should not be combined with include_fabric_ifaces")


def test_an_agent_that_hands_out_what_the_host_lacks() -> None:
    problem = only(put(site(), {"c1: agent": {"include_fabric_ifaces": ["ib0", "eth0"]}}))
    assert (problem.host, problem.key) == ("c1", "agent.include_fabric_ifaces")
    assert problem.value == "eth0"
    assert problem.allowed == "should be interfaces of this host: ib0, ib1"


def test_an_agent_may_leave_out_what_the_host_lacks() -> None:
    assert problems(put(site(), {"c1: agent": {"exclude_fabric_ifaces": ["docker0"]}})) == []


def test_an_interface_whose_mtu_is_not_that_of_its_network() -> None:
    document = site(servers=3)
    for name in ("s1", "s2", "s3", "c1"):
        put(document, {f"{name}: interfaces/ib0/mtu": 9000})
    assert problems(document) == []
    problem = only(put(document, {"c1: interfaces/ib0/mtu": 1500}))
    assert (problem.host, problem.key, problem.value) == ("c1", "interfaces.ib0.mtu", 1500)
    assert problem.allowed.startswith("should be 9000 bytes")
