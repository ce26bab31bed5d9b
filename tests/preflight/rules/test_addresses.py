"""Addresses of hosts and of the interfaces of engines."""

from __future__ import annotations

import pytest

from sites import only, problems, put, site


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("0.0.0.0", "not one that stands for many"),
        ("::", "not one that stands for many"),
        ("224.0.0.1", "not one that stands for many"),
        ("192.0.2.0", "this one is of the whole network 192.0.2.0/24"),
        ("192.0.2.255", "this one is of the whole network 192.0.2.0/24"),
        ("fe80::1", "needs no interface's name"),
        ("127.0.0.1", "an address that s1 can reach"),
        ("192.0.2.1", "s1 has this one"),
    ],
)
def test_an_address_at_which_no_other_host_reaches_a_server(address: str, message: str) -> None:
    problem = only(put(site(servers=3), {"s2: address": address}))
    assert (problem.host, problem.key, problem.value) == ("s2", "address", address)
    assert (problem.severity, message in problem.allowed) == ("error", True)


@pytest.mark.parametrize("address", ["203.0.113.7", "2001:db8::7"])
def test_an_address_at_which_others_reach_it(address: str) -> None:
    assert problems(put(site(servers=3), {"s2: address": address})) == []


def test_both_addresses_of_a_network_of_two_are_of_hosts() -> None:
    document = put(site(servers=3), {"s2: interfaces/ib0/network": "192.0.2.0/31"})
    put(document, {"s2: address": "192.0.2.0"})
    assert [p for p in problems(document) if p.key == "address"] == []


def test_one_machine_may_be_reached_by_loopback() -> None:
    document = put(site(), {"s1: address": "127.0.0.1", "daos/agents": ["s1"]})
    assert [p for p in problems(document) if p.key == "address"] == []


def test_two_servers_with_one_address_on_the_fabric() -> None:
    both = {f"{name}: interfaces/ib0/address": "192.0.2.1" for name in ("s1", "s2")}
    problem = only(put(site(servers=3), both))
    assert (problem.host, problem.key) == ("s2", "interfaces.ib0.address")
    assert problem.allowed.startswith("should be an address of its own: s1 has this one")
    assert problems(put(site(servers=3), {**both, "s2: interfaces/ib0/address": "192.0.2.2"})) == []


def test_an_address_of_an_interface_that_no_engine_has_may_be_anywhere() -> None:
    bridges = {f"{name}: interfaces/br0": {"address": "172.17.0.1"} for name in ("s1", "s2")}
    assert problems(put(site(servers=3), bridges)) == []


def test_an_engine_that_others_cannot_reach() -> None:
    changes = {
        "provider": "ofi+tcp",
        "s1: interfaces/lo": {"address": "127.0.0.1"},
        "s1: engines/0/fabric_iface": "lo",
    }
    problem = only(put(site(servers=3), changes))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].fabric_iface", "lo")
    assert problem.allowed == "should be an interface at which s2 can reach the engine"
    alone = put(site(), {**changes, "daos/agents": ["s1"], "clients": ["s1"], "colocated": True})
    # c1 is in no group then.
    assert [each.key for each in problems(alone)] == ["hosts"]
