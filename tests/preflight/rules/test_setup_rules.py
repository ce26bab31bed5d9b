"""How hosts are set up: clocks, names, packet filters, links, memory, and the kernel's settings."""

from __future__ import annotations

from typing import Any

import pytest

from assay.problems import Problem
from sites import only, problems, put, site

SSD = "0000:65:00.0"
UNSET = {"synchronized": False, "error_s": 16}
SET = {"synchronized": True, "error_s": 0.002}


def two(changes: dict[str, object]) -> dict[str, Any]:
    """Two servers, which have booted apart."""
    apart = {"s1: setup/boot": "a", "s2: setup/boot": "b"}
    return put(site(servers=2), {**apart, **changes})


def warning(document: dict[str, Any]) -> Problem:
    problem = only(document)
    assert problem.severity == "warning"
    return problem


def test_a_clock_that_nobody_sets_is_refused() -> None:
    problem = only(two({"s1: setup/clock": SET, "s2: setup/clock": UNSET}))
    assert (problem.host, problem.key, problem.severity) == ("s2", "setup.clock", "error")
    assert problem.allowed.startswith("nothing has set this clock: the servers of DAOS need")
    assert "daos_host_time_servers" in problem.allowed
    service = {"s2: setup/time_service": "chronyd", "s2: setup/clock": UNSET}
    assert only(two(service)).allowed.startswith("chronyd runs, but has not set this clock")


@pytest.mark.parametrize(
    "changes",
    [
        {"s2: setup/clock": SET},
        {"s2: setup/clock": {"synchronized": True, "error_s": 0.49}},
        {"s2: setup/clock": None},
        {"s2: setup/clock": UNSET, "s2: setup/deploys": ["time"]},
        {"s2: setup/clock": UNSET, "s2: setup/boot": "a"},
        {"c1: setup/clock": UNSET},
    ],
)
def test_a_clock_may_be_in_step_unknown_deployed_or_shared_with_all_servers(
    changes: dict[str, object],
) -> None:
    assert problems(two(changes)) == []


def test_the_clock_of_a_single_server_need_not_agree_with_another() -> None:
    assert problems(put(site(), {"s1: setup/clock": UNSET})) == []


def test_a_clock_half_as_far_off_as_daos_bears_is_refused() -> None:
    far = {"synchronized": True, "error_s": 0.5}
    problem = only(two({"s2: setup/clock": far, "s2: setup/time_service": "chronyd"}))
    assert problem.value == "off by up to 0.5 s"
    assert "until chronyd is synchronized" in problem.allowed


def test_chrony_is_not_put_beside_another_time_service() -> None:
    both = {"s2: setup/deploys": ["time"], "s2: setup/time_service": "ntpd"}
    problem = only(two(both))
    assert (problem.value, problem.severity) == ("ntpd", "error")
    assert problem.allowed.startswith("already keeps the time")
    assert problems(two({**both, "s2: setup/time_service": "chronyd"})) == []


@pytest.mark.parametrize(
    ("addresses", "message"),
    [
        ([], "cannot be resolved on this host, and should"),
        (["198.51.100.9"], "resolves to 198.51.100.9 on this host, and should"),
        (["127.0.1.1"], "resolves to 127.0.1.1 on this host (Debian writes 127.0.1.1"),
    ],
)
def test_a_replica_that_a_host_does_not_find_is_refused(addresses: list[str], message: str) -> None:
    problem = only(put(site(), {"c1: setup/misnamed": {"s1": addresses}}))
    assert (problem.host, problem.value) == ("c1", "s1")
    assert (problem.key, problem.severity) == ("daos.mgmt_svc_replicas", "error")
    assert problem.allowed.startswith(message)
    assert problem.allowed.endswith("or use the address")


def test_another_server_that_a_host_does_not_find_is_a_warning() -> None:
    problem = warning(put(site(servers=2), {"c1: setup/misnamed": {"s2": []}}))
    assert (problem.host, problem.key, problem.value) == ("c1", "setup.misnamed", "s2")


def to_s1(why: str, *ports: int) -> dict[str, Any]:
    return {"failed": [{"to": "s1", "service": "engine0", "ports": list(ports), "why": why}]}


@pytest.mark.parametrize(
    ("why", "severity", "remedy"),
    [
        ("no answer", "error", "A packet filter drops it, or a route is wrong"),
        ("refused", "error", "A packet filter rejects it"),
        ("no route to host", "error", "Correct the routes between them"),
        ("no answer to 320 KiB", "error", "Set one MTU"),
        ("no answer to packets of 9000 bytes, the MTU here", "warning", "Set one MTU"),
    ],
)
def test_a_service_that_hosts_do_not_reach_is_reported_once(
    why: str, severity: str, remedy: str
) -> None:
    document = site(clients=2)
    for name in ("c1", "c2", "login"):
        put(document, {f"{name}: setup/connections": to_s1(why, 31318, 31316, 31317)})
    (problem,) = problems(document)
    assert problem.host == "s1"
    assert problem.value == ("full packets" if severity == "warning" else "engine0 31316-31318")
    assert problem.allowed.startswith(f"should reach s1 from c[1-2],login: {why}. {remedy}")
    assert problem.severity == severity


def test_a_host_that_reaches_no_other_is_reported_once() -> None:
    document = site(servers=3)
    failures = [to_s1("no answer", 10001)["failed"][0] | {"to": to} for to in ("s1", "s2", "s3")]
    (problem,) = problems(put(document, {"c1: setup/connections": {"failed": failures}}))
    assert (problem.host, problem.value) == (None, "engine0 10001")
    assert problem.allowed.startswith("should reach s[1-3] from c1: no answer")


def test_connections_that_a_site_forbids_are_said_not_to_be_tried() -> None:
    untried = {"untried": "cluster_try_ports is false"}
    document = put(site(), {f"{name}: setup/connections": untried for name in ("c1", "s1")})
    (problem,) = problems(document)
    assert (problem.host, problem.value) == (None, "not tried from s1,c1")
    assert problem.severity == "warning"
    assert problem.allowed.endswith("(cluster_try_ports is false)")


def test_hosts_that_reach_each_other_or_are_not_there_yet_are_no_problem() -> None:
    assert problems(put(site(), {"c1: setup/connections": {}, "s1: setup/connections": None})) == []


FULL, HALF = {"gts": 16, "lanes": 4}, {"gts": 16, "lanes": 2}


@pytest.mark.parametrize(
    ("slot", "reason"),
    [(FULL, "its slot supports it, too"), (HALF, "its slot supports 16 GT/s x2"), (None, "")],
)
def test_an_ssd_with_fewer_lanes_than_it_could_have(
    slot: dict[str, object] | None, reason: str
) -> None:
    link = {"now": HALF, "card": FULL, "slot": slot}
    problem = warning(put(site(), {f"s1: setup/pcie/{SSD}": link}))
    assert (problem.key, problem.value) == (f"setup.pcie.{SSD}", "SSD at 16 GT/s x2")
    assert problem.allowed.startswith("should be at 16 GT/s x4, which the card supports: ")
    assert reason in problem.allowed


def test_a_link_as_good_as_the_card_and_an_ssd_of_others_are_nobodys_matter() -> None:
    full = {"now": FULL, "card": FULL, "slot": {"gts": 32, "lanes": 16}}
    assert problems(put(site(), {f"s1: setup/pcie/{SSD}": full})) == []
    other = {
        "s1: nvme/0000:01:00.0": {},
        "s1: setup/pcie/0000:01:00.0": {"now": HALF, "card": FULL},
    }
    assert problems(put(site(), other)) == []


def test_a_network_card_in_a_slow_slot() -> None:
    slow = {"now": {"gts": 8, "lanes": 16}, "card": {"gts": 16, "lanes": 16}}
    problem = warning(put(site(), {"c1: setup/pcie/0000:17:00.0": slow}))
    assert problem.value == "network card at 8 GT/s x16"


def test_a_port_that_has_fallen_back_is_slower_than_its_peers() -> None:
    slow: dict[str, object] = {f"s2: interfaces/ib{port}/speed_gbits": 100.0 for port in (0, 1)}
    problem = warning(put(site(servers=3), slow))
    assert (problem.host, problem.key, problem.value) == ("s2", "interfaces.ib0.speed_gbits", 100)
    assert problem.allowed.startswith("should be 200 Gbit/s, as the other interfaces in 192.0.2.0")


def test_clients_may_have_other_cards_than_servers() -> None:
    document = put(site(servers=3), {"c1: interfaces/ib0/speed_gbits": 100.0})
    assert problems(document) == []


def with_rails(changes: dict[str, object]) -> dict[str, object]:
    return put(site(servers=2, clients=3, engines=2, rails=2), changes)


def test_a_rail_that_has_fallen_back_is_named() -> None:
    assert problems(with_rails({})) == []
    problem = warning(with_rails({"c2: interfaces/ib1/speed_gbits": 100.0}))
    assert (problem.host, problem.key, problem.value) == ("c2", "interfaces.ib1.speed_gbits", 100)
    # No rail of its own: nobody asks how fast it is.
    left_out: dict[str, object] = {"c2: interfaces/ib1/speed_gbits": 100.0}
    left_out |= {f"c{n}: agent": {"exclude_fabric_ifaces": ["ib1"]} for n in (1, 2, 3)}
    assert problems(with_rails(left_out)) == []


def test_rails_of_several_speeds_are_named() -> None:
    slower: dict[str, object] = {
        f"c{number}: interfaces/ib1/speed_gbits": 100.0 for number in (1, 2, 3)
    }
    found = problems(with_rails(slower))
    assert [problem.host for problem in found] == ["c1", "c2", "c3"]
    assert {problem.severity for problem in found} == {"warning"}
    assert found[0].value == "ib1 at 100 Gbit/s, ib0 at 200 Gbit/s"
    assert "so without ib1: the agent gives rails in turn" in found[0].allowed


NODES = {"0": {"total_mib": 257000}, "1": {"total_mib": 257000}}


def test_huge_pages_have_to_fit_on_the_node_of_the_engine() -> None:
    assert problems(put(site("pmem", engines=2), {"s1: setup/nodes": NODES})) == []
    small = {**NODES, "1": {"total_mib": 16 * 1024}}
    problem = only(put(site("pmem", engines=2), {"s1: setup/nodes": small}))
    assert (problem.key, problem.value) == ("server.nr_hugepages", "16 GiB on NUMA node 1")
    assert "memory of that node, 16 GiB: " in problem.allowed
    fits = {**NODES, "1": {"total_mib": 16 * 1024 + 1}}
    assert problems(put(site("pmem", engines=2), {"s1: setup/nodes": fits})) == []


def test_huge_pages_that_something_else_has() -> None:
    taken = {"0": {"total_mib": 32768, "hugepages": 9000, "hugepages_free": 100}}
    problem = warning(put(site("pmem"), {"s1: setup/nodes": taken}))
    assert (problem.key, problem.value) == ("setup.nodes.0.hugepages_free", 100)
    assert "8900 of 9000 huge pages of NUMA node 0 are in use" in problem.allowed


PMEM = {"mode": "fsdax", "numa_node": 0}


@pytest.mark.parametrize("mode", ["raw", "sector"])
def test_persistent_memory_that_cannot_be_mapped_is_refused(mode: str) -> None:
    assert problems(put(site("pmem"), {"s1: setup/pmem": {"/dev/pmem0": PMEM}})) == []
    namespaces = {"/dev/pmem0": {**PMEM, "mode": mode}}
    problem = only(put(site("pmem"), {"s1: setup/pmem": namespaces}))
    assert (problem.key, problem.value) == ("engines[0].storage[0].scm_list", "/dev/pmem0")
    assert f"this is {mode}" in problem.allowed
    assert problem.severity == "error"


def test_persistent_memory_on_the_other_node_is_slow() -> None:
    problem = warning(
        put(site("pmem"), {"s1: setup/pmem": {"/dev/pmem0": {**PMEM, "numa_node": 1}}})
    )
    assert problem.allowed.startswith("should be on NUMA node 0, as the engine is; this is on 1")


def test_a_region_that_is_used_in_part_or_lacks_modules() -> None:
    whole = {"size_bytes": 1000, "available_bytes": 0, "modules": 8, "numa_node": 0}
    regions = {"region0": whole, "region1": {**whole, "available_bytes": 1000}}
    assert problems(put(site("pmem"), {"s1: setup/regions": regions})) == []
    regions["region1"] = {**whole, "available_bytes": 400}
    assert warning(put(site("pmem"), {"s1: setup/regions": regions})).value == 400
    regions["region1"] = {**whole, "modules": 7}
    problem = warning(put(site("pmem"), {"s1: setup/regions": regions}))
    assert (problem.key, problem.value) == ("setup.regions.region1.modules", 7)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("governors", ["performance", "powersave"], "should be performance"),
        ("numa_balancing", 1, "should be 0"),
        ("selinux", "enforcing", "should be permissive"),
        ("apparmor", ["/usr/bin/daos_server"], "should not be enforced"),
        ("limits", {"memlock_bytes": 8388608}, "should be unlimited"),
        ("limits", {"nofile": 65535}, "should be at least 65536"),
    ],
)
def test_a_setting_that_is_slow_or_stops_daos_is_a_warning(
    key: str, value: object, message: str
) -> None:
    problem = warning(put(site(), {f"s1: setup/{key}": value}))
    assert problem.host == "s1"
    assert problem.allowed.startswith(message)


@pytest.mark.parametrize(
    "setup",
    [
        {"governors": ["performance"], "numa_balancing": 0, "selinux": "permissive"},
        {"governors": ["powersave"], "deploys": ["governor"]},
        {"numa_balancing": 1, "deploys": ["numa_balancing"]},
        {"limits": {"memlock_bytes": 8388608, "nofile": 1024, "capable": True}},
        {"limits": {"memlock_bytes": None, "nofile": 65536}},
        {"nosuid": True, "read_only": True},
    ],
)
def test_what_is_well_or_set_by_a_role_is_not_mentioned(setup: dict[str, object]) -> None:
    assert problems(put(site(), {"s1: setup": setup})) == []


@pytest.mark.parametrize(("key", "how"), [("nosuid", "nosuid"), ("read_only", "read-only")])
def test_the_helper_of_a_server_that_is_not_root_needs_its_rights(key: str, how: str) -> None:
    problem = only(put(site(), {"s1: setup": {key: True, "needs_helper": True}}))
    assert (problem.key, problem.severity) == ("daos.prefix", "error")
    assert f"mounted {how}" in problem.allowed
