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
    problem = only(put(site(rails=2), {"c1: agent": {"include_fabric_ifaces": ["ib0", "eth0"]}}))
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


def test_slingshot_on_an_interface_of_infiniband() -> None:
    document = put(site(), {"provider": "ofi+cxi", "s1: interfaces/ib0/rdma": True})
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].fabric_iface", "ib0")
    assert problem.allowed.startswith("should be a port of Slingshot (hsn0)")
    assert problems(put(document, {"s1: interfaces/ib0/rdma": None})) == []


def test_a_client_in_none_of_the_engines_networks() -> None:
    networks = {
        "c1: interfaces/ib0/network": "10.1.0.0/24",
        "c1: interfaces/ib1/network": "10.2.0.0/24",
    }
    problem = only(put(site(servers=3), networks))
    assert (problem.host, problem.key, problem.severity) == ("c1", "interfaces", "warning")
    assert "a network of the engines: 192.0.2.0/24" in problem.allowed
    unknown = dict.fromkeys(networks)
    assert problems(put(site(servers=3), unknown)) == []


@pytest.mark.parametrize(("pool", "severity"), [("tank", "error"), (None, "warning")])
def test_a_client_without_an_agent(pool: str | None, severity: str) -> None:
    document = put(site(clients=2), {"daos/agents": ["login", "c1"], "daos/pool": pool})
    problem = only(document)
    assert (problem.host, problem.key, problem.severity) == ("c2", "daos.agents", severity)
    assert problems(put(document, {"daos/agents": []})) == []


def test_an_excluded_interface_with_a_letter_for_a_digit() -> None:
    problem = only(put(site(), {"c1: agent": {"exclude_fabric_ifaces": ["ibO"]}}))
    assert (problem.host, problem.value, problem.severity) == ("c1", "ibO", "warning")
    assert "did you mean ib0?" in problem.allowed
    assert problems(put(site(), {"c1: agent": {"exclude_fabric_ifaces": ["ib7"]}})) == []


def fabric_ifaces(*devices: dict[str, str]) -> dict[str, object]:
    return {"fabric_ifaces": [{"numa_node": 0, "devices": list(devices)}]}


@pytest.mark.parametrize(
    ("agent", "key", "message"),
    [
        (
            {"exclude_fabric_ifaces": ["ib1"], "settings": fabric_ifaces({"iface": "ib1"})},
            "agent.exclude_fabric_ifaces",
            "should leave clients one of ib1",
        ),
        (
            {"include_fabric_ifaces": ["ib0"], "settings": fabric_ifaces({"iface": "ib1"})},
            "agent.include_fabric_ifaces",
            "should leave clients one of ib1",
        ),
        (
            {"settings": fabric_ifaces({"domain": "mlx5_0"})},
            "agent.settings.fabric_ifaces[0].devices[0].iface",
            "is missing: set one of ib0, ib1",
        ),
    ],
)
def test_interfaces_that_an_agent_cannot_give_out(
    agent: dict[str, object], key: str, message: str
) -> None:
    problem = only(put(site(rails=2), {"c1: agent": agent}))
    assert (problem.key, problem.severity) == (key, "error")
    assert problem.allowed.startswith(message)


def test_interfaces_that_an_agent_gives_out() -> None:
    devices = fabric_ifaces({"iface": "ib0"}, {"iface": "ib1"})
    agent = {"exclude_fabric_ifaces": ["ib1"], "settings": devices}
    assert problems(put(site(rails=2), {"c1: agent": agent})) == []


def test_tcp_on_infiniband() -> None:
    document = put(site(), {"provider": "ofi+tcp", "s1: interfaces/ib0/rdma": True})
    problem = only(document)
    assert (problem.key, problem.severity) == ("engines[0].fabric_iface", "warning")
    assert problem.allowed.startswith("has an RDMA device, which ofi+tcp leaves unused")
    assert problems(put(document, {"s1: interfaces/ib0/rdma_device": "hfi1_0"})) == []
    assert problems(put(document, {"s1: interfaces/ib0/rdma": None})) == []


@pytest.mark.parametrize("provider", ["ofi+opx", "ofi+psm2", "ofi+sockets"])
def test_a_provider_that_daos_does_not_work_with(provider: str) -> None:
    problem = only(put(site(), {"provider": provider}))
    assert (problem.key, problem.severity) == ("provider", "error")
    assert "ofi+tcp" in problem.allowed


def test_sockets_under_the_last_release_that_has_them() -> None:
    assert problems(put(site(), {"provider": "ofi+sockets", "daos/version": "2.4"})) == []


def test_a_provider_of_rdma_on_an_interface_without_it() -> None:
    changes = {"provider": "ucx+dc_x", "s1: interfaces/ib0/rdma": False}
    problem = only(put(site(), changes))
    assert (problem.host, problem.key, problem.severity) == (
        "s1",
        "engines[0].fabric_iface",
        "error",
    )
    assert problem.allowed.startswith("should have an RDMA device for ucx+dc_x")
    assert problems(put(site(), {**changes, "provider": "ucx+tcp"})) == []


@pytest.mark.parametrize(
    ("mtu", "gbits", "warned"), [(1500, 100.0, True), (1500, 25.0, False), (9000, 400.0, False)]
)
def test_a_small_mtu_on_a_fast_interface(mtu: int, gbits: float, warned: bool) -> None:
    changes = {f"s1: interfaces/ib{port}/speed_gbits": gbits for port in (0, 1)}
    changes["s1: interfaces/ib0/mtu"] = mtu
    found = problems(put(site(), changes))
    assert [(p.key, p.severity) for p in found] == [("interfaces.ib0.mtu", "warning")] * warned


RIGHT = {"accept_local": 1, "arp_ignore": 2, "rp_filter": 2}


def test_rails_in_one_subnet_whose_sysctls_are_right() -> None:
    """The warning about them goes once they are."""
    document = put(site(engines=2), {"s1: interfaces/ib1/network": "192.0.2.0/24"})
    put(document, {"s1: setup/arp": {"ib0": RIGHT, "ib1": RIGHT}})
    assert problems(document) == []
    put(document, {"s1: setup/arp/ib1": {**RIGHT, "rp_filter": 1}})
    problem = only(document)
    assert problem.allowed.endswith(": ib1 has rp_filter=1")
    assert problem.severity == "warning"


def test_an_interface_without_an_address() -> None:
    problem = only(put(site(), {"s1: interfaces/ib0/has_address": False}))
    assert (problem.key, problem.severity) == ("engines[0].fabric_iface", "error")
    assert problem.allowed.startswith("should have an IP address")
