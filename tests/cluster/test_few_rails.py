"""Clients with fewer rails than others; descriptions are made up."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cluster.few_rails import few_rails
from clusters import described
from sites import put, site

EXCLUDED: dict[str, object] = {"agent": {"exclude_fabric_ifaces": ["ib1"]}}


def of(clients: dict[str, dict[str, object]], rails: int = 2) -> list[tuple[str, bool, str]]:
    """Clients with few rails, by what is changed of each."""
    changes = {
        f"{name}: {key}": value for name, its in clients.items() for key, value in its.items()
    }
    document: dict[str, Any] = put(site(clients=4, engines=2, rails=rails), changes)
    cluster = described(document)
    return [(e.client, e.is_narrowed, e.why) for e in few_rails(cluster, cluster.hosts)]


@pytest.mark.parametrize("rails", [1, 2])
def test_clients_with_all_rails_are_not_named(rails: int) -> None:
    assert of({}, rails) == []


@pytest.mark.parametrize(
    "agent",
    [
        {"exclude_fabric_ifaces": ["ib1"]},
        {"include_fabric_ifaces": ["ib0"]},
        {"settings": {"fabric_ifaces": [{"numa_node": 0, "devices": [{"iface": "ib0"}]}]}},
    ],
)
def test_a_rail_that_one_agent_leaves_out_narrows_it(agent: dict[str, object]) -> None:
    why = "a peer has 2 rails, and its daos_agent.yml leaves out ib1"
    assert of({"c3": {"agent": agent}}) == [("c3", True, why)]


def test_a_majority_that_leaves_a_rail_out_is_narrowed_too() -> None:
    assert [
        (name, narrowed) for name, narrowed, _ in of(dict.fromkeys(("c1", "c2", "c3"), EXCLUDED))
    ] == [
        ("c1", True),
        ("c2", True),
        ("c3", True),
    ]


def test_a_rail_that_all_leave_out_is_named_and_narrows_nobody() -> None:
    """Sites keep rails for MPI or another file system."""
    found = of(dict.fromkeys(("c1", "c2", "c3", "c4"), EXCLUDED))
    assert [(narrowed, why) for _, narrowed, why in found] == [
        (False, "its daos_agent.yml leaves out ib1")
    ] * 4


def test_a_rail_that_is_down_is_named_and_is_no_choice_of_a_description() -> None:
    ((name, narrowed, why),) = of({"c2": {"interfaces/ib1/up": False}})
    assert (name, narrowed) == ("c2", False)
    assert why == (
        "most clients have 2 rails, and no other interface of this one is up, as fast, and in the"
        " servers' networks"
    )


def test_a_rail_that_no_peer_uses_narrows_nobody() -> None:
    """All keep ib1 for MPI, and one client has a third port."""
    more = {"interfaces/ib2": {"address": "198.51.100.9", "network": "192.0.2.0/24", "up": True}}
    clients = dict.fromkeys(("c1", "c2", "c3"), EXCLUDED) | {"c4": EXCLUDED | more}
    assert not any(narrowed for _, narrowed, _ in of(clients))


def test_a_slower_port_that_is_left_out_is_no_rail() -> None:
    """A management port, say: the client is named for what it lacks, and not for a choice."""
    slow = EXCLUDED | {"interfaces/ib1/speed_gbits": 1.0}
    ((name, narrowed, why),) = of({"c3": slow})
    assert (name, narrowed) == ("c3", False)
    assert "leaves out" not in why
