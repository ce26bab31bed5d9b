"""Cores and NUMA nodes: every engine has its own, and enough of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sites import GONE, only, problems, put, site


def test_a_pin_beyond_the_nodes_of_the_host() -> None:
    problem = only(put(site(), {"s1: engines/0/pinned_numa_node": 2}))
    assert (problem.host, problem.key) == ("s1", "engines[0].pinned_numa_node")
    assert problem.value == 2
    assert problem.allowed == "should be a NUMA node of this host: 0 to 1"


def test_a_pin_beside_a_first_core() -> None:
    problem = only(put(site(), {"s1: engines/0/first_core": 4}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].first_core", 4)
    assert "should not be combined with pinned_numa_node" in problem.allowed


def test_a_pin_beside_the_first_core_of_another_engine() -> None:
    changes = {"s1: engines/1/first_core": 32, "s1: engines/1/pinned_numa_node": GONE}
    problem = only(put(site(engines=2), changes))
    assert (problem.host, problem.key) == ("s1", "engines[0].pinned_numa_node")
    assert "should not be combined with the first_core of another engine" in problem.allowed


def test_a_first_core_that_the_host_lacks() -> None:
    changes = {"s1: engines/0/first_core": 64, "s1: engines/0/pinned_numa_node": GONE}
    problem = only(put(site(), changes))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].first_core", 64)
    assert problem.allowed == "should be a core of this host: 0 to 63"


def test_a_node_of_a_host_that_has_one() -> None:
    problem = only(put(site(), {"s1: numa_nodes": 1, "s1: engines/0/pinned_numa_node": 1}))
    assert problem.allowed == "should be a NUMA node of this host: 0"


@pytest.mark.parametrize(
    ("changes", "most", "cores"),
    [
        ({"s1: engines/0/targets": 27}, 30, "its NUMA node has 32 cores"),
        ({"s1: engines/0/targets": 59, "s1: engines/0/pinned_numa_node": GONE}, 62, "the host has"),
        # Far from node 0, DAOS pins it without being told.
        (
            {
                "s1: engines/0/targets": 27,
                "s1: engines/0/pinned_numa_node": GONE,
                "s1: interfaces/ib0/numa_node": 1,
            },
            30,
            "its NUMA node has 32 cores",
        ),
        (
            {
                "s1: engines/0/targets": 51,
                "s1: engines/0/pinned_numa_node": GONE,
                "s1: engines/0/first_core": 8,
            },
            54,
            "the host has 56 cores for it",
        ),
    ],
)
def test_more_targets_and_helpers_than_cores(
    changes: dict[str, object], most: int, cores: str
) -> None:
    document = put(site(), changes)
    problem = only(document)
    targets = changes["s1: engines/0/targets"]
    assert (problem.host, problem.key) == ("s1", "engines[0].targets")
    assert problem.value == f"{targets}, with nr_xs_helpers = 4"
    assert problem.allowed.startswith(f"should add up to at most {most}: {cores}")
    assert problem.severity == "error"
    put(document, {"s1: engines/0/targets": most - 4})
    assert problems(document) == []


@pytest.mark.parametrize(("cores", "has"), [(1, "1 core"), (2, "2 cores")])
def test_where_no_engine_fits_no_number_of_targets_is_asked_for(cores: int, has: str) -> None:
    document = put(site(), {"s1: cores": cores, "s1: numa_nodes": 1})
    put(document, {"s1: engines/0/targets": 1, "s1: engines/0/nr_xs_helpers": 0})
    (said,) = (each.allowed for each in problems(document) if each.key == "engines[0].targets")
    assert said.startswith("should be of an engine with at least 3 cores, of which 2 serve the")
    assert f"itself: the host has {has} for it. " in said or f"node has {has} for it. " in said


def test_an_engine_that_is_told_to_start_anyway_gets_a_warning() -> None:
    document = put(
        site(),
        {"s1: engines/0/targets": 40, "s1: engines/0/env_vars": ["DAOS_TARGET_OVERSUBSCRIBE=1"]},
    )
    problem = only(document)
    assert (problem.key, problem.severity) == ("engines[0].targets", "warning")
    put(document, {"s1: engines/0/env_vars": ["DAOS_TARGET_OVERSUBSCRIBE=0"]})
    assert only(document).severity == "error"


@pytest.mark.parametrize(("cores", "warnings"), [(5, 0), (6, 1)])
def test_engines_that_share_cores_by_consent_are_warned_of_where_there_are_enough(
    cores: int, warnings: int
) -> None:
    document = site(engines=2)
    put(document, {"s1: cores": cores, "s1: numa_nodes": 1})
    for number in range(2):
        at = f"s1: engines/{number}"
        put(document, {f"{at}/targets": 1, f"{at}/nr_xs_helpers": 0, f"{at}/first_core": number})
        put(document, {f"{at}/env_vars": ["DAOS_TARGET_OVERSUBSCRIBE=1"]})
        put(document, {f"{at}/pinned_numa_node": GONE})
    refused = [problem for problem in problems(document) if "core" in problem.allowed]
    assert [problem.severity for problem in refused] == ["warning"] * warnings


def test_more_helpers_than_the_targets_can_use() -> None:
    problem = only(put(site(), {"s1: engines/0/targets": 2, "s1: engines/0/nr_xs_helpers": 5}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].nr_xs_helpers", 5)
    assert problem.allowed == "should be at most 2 per target, here 4: DAOS starts no more"


def test_two_engines_on_one_numa_node() -> None:
    problem = only(put(site(engines=2), {"s1: engines/1/pinned_numa_node": 0}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[1].pinned_numa_node", 0)
    assert problem.allowed.endswith("DAOS puts it on node 0, on the cores of engines[0]")
    assert problem.severity == "error"


def test_two_engines_whose_interfaces_put_them_on_one_node() -> None:
    changes = {f"s1: engines/{number}/pinned_numa_node": GONE for number in (0, 1)}
    document = put(site(engines=2), changes)
    assert problems(document) == []
    problem = only(put(document, {"s1: interfaces/ib1/numa_node": 0}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[1].fabric_iface", "ib1")


@pytest.mark.parametrize("pins", [{}, {f"s1: engines/{n}/pinned_numa_node": 0 for n in (0, 1)}])
def test_two_engines_on_the_only_node_are_a_trial(pins: dict[str, object]) -> None:
    document = site("file", engines=2)
    unpin = {f"s1: engines/{number}/pinned_numa_node": GONE for number in (0, 1)}
    one_node = {"s1: numa_nodes": 1, "s1: interfaces/ib1/numa_node": 0}
    problem = only(put(document, unpin | one_node | pins))
    assert problem.severity == "warning"
    assert problem.allowed.endswith("the only node, acceptable for trials")


def test_two_engines_on_the_same_cores() -> None:
    document = site(engines=2)
    put(document, {f"s1: engines/{number}/pinned_numa_node": GONE for number in (0, 1)})
    put(document, {"s1: engines/0/first_core": 22, "s1: engines/1/first_core": 1})
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].first_core", 22)
    assert problem.allowed == "should be above 22: engines[1] runs on the cores 1 to 22"
    assert problems(put(document, {"s1: engines/0/first_core": 23})) == []


@given(targets=st.integers(1, 64), helpers=st.integers(0, 20))
def test_an_engine_is_refused_exactly_where_daos_would_not_start_it(
    targets: int, helpers: int
) -> None:
    counts = {"s1: engines/0/targets": targets, "s1: engines/0/nr_xs_helpers": helpers}
    refused = problems(put(site("pmem"), counts))
    assert bool(refused) == (helpers > 2 * targets or 2 + targets + helpers > 32)
    assert len(refused) <= 1


def test_an_interface_on_another_node_than_its_engine_is_a_warning() -> None:
    problem = only(put(site(), {"s1: interfaces/ib0/numa_node": 1}))
    assert (problem.host, problem.key, problem.severity) == (
        "s1",
        "engines[0].fabric_iface",
        "warning",
    )
    assert problem.value == "ib0 (node 1)"
    assert problem.allowed == "should be an interface of NUMA node 0, where the engine is pinned"


def test_ssds_on_another_node_than_their_engine_are_a_warning() -> None:
    problem = only(put(site(), {"s1: nvme/0000:65:00.0/numa_node": 1}))
    assert (problem.host, problem.key, problem.severity) == (
        "s1",
        "engines[0].storage",
        "warning",
    )
    assert problem.value == "0000:65:00.0 (node 1)"
    assert problem.allowed == "should have SSDs of NUMA node 0, where the engine is pinned"


def test_a_device_of_an_unknown_node_gets_no_warning() -> None:
    nowhere = {"s1: interfaces/ib0/numa_node": None, "s1: nvme/0000:65:00.0/numa_node": None}
    assert problems(put(site(), nowhere)) == []


def test_what_an_engine_is_told_beyond_what_is_judged_is_not_a_mistake() -> None:
    assert problems(put(site(), {"s1: engines/0/acceleration": {"engine": "spdk"}})) == []
    assert only(put(site(), {"s1: engines/0/accelerator": {}})).key == "engines[0].accelerator"
