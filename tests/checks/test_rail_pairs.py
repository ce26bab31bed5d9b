"""The rails of clients as subjects: each is measured with a rail of a neighbour."""

from __future__ import annotations

from typing import Any

import pytest

from assay.checks.benchmarks.fi_pingpong import FI_PINGPONG, rounds
from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.checks.subjects import each_pair
from assay.cluster.description import Cluster
from assay.subject import Subject
from sites import put, site


def cluster(changes: dict[str, object] | None = None, **shape: Any) -> Cluster:
    document = put(site(**{"clients": 3, "rails": 2, "engines": 2} | shape), changes or {})
    document["benchmarks"] = {"fi_pingpong": "/opt/bin/fi_pingpong"}
    return Cluster.model_validate(document)


def pairs(of: Cluster) -> list[str]:
    return [str(pair) for pair in each_pair(of, "clients")]


def test_each_rail_is_paired_with_that_of_the_neighbour() -> None:
    assert pairs(cluster()) == [
        f"{one}/rail-ib{rail}>{other}/rail-ib{rail}"
        for one, other in (("c1", "c2"), ("c2", "c3"), ("c3", "c1"))
        for rail in (0, 1)
    ]


def test_clients_of_one_rail_keep_their_names() -> None:
    assert pairs(cluster(rails=1)) == ["c1>c2", "c2>c3", "c3>c1"]
    assert pairs(cluster(clients=1)) == ["c1>c1"]


def test_servers_keep_their_names() -> None:
    assert [str(pair) for pair in each_pair(cluster(servers=2), "servers")] == ["s1>s2"]


def test_a_rail_is_paired_within_its_network() -> None:
    swapped: dict[str, object] = {
        "c2: interfaces/ib0/network": "198.51.100.0/24",
        "c2: interfaces/ib1/network": "192.0.2.0/24",
    }
    assert pairs(cluster(swapped, clients=2)) == [
        "c1/rail-ib0>c2/rail-ib1",
        "c1/rail-ib1>c2/rail-ib0",
    ]


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        # The kernel's routes are not those of RDMA: it would send by one of both.
        ("ofi+verbs;ofi_rxm", ["c1>c2"]),
        # They are DAOS's, too: a rail without traffic is to be found.
        ("ofi+tcp", ["c1/rail-ib0>c2/rail-ib0", "c1/rail-ib1>c2/rail-ib1"]),
    ],
)
def test_rails_in_one_network(provider: str, expected: list[str]) -> None:
    same: dict[str, object] = {
        f"c{client}: interfaces/ib{rail}/network": "192.0.2.0/24"
        for client in (1, 2)
        for rail in (0, 1)
    }
    assert pairs(cluster(same | {"provider": provider}, clients=2)) == expected


@pytest.mark.parametrize("fewer", ["c1", "c2"])
def test_the_only_rail_of_a_client_is_paired_with_all_of_its_neighbour(fewer: str) -> None:
    one = {f"{fewer}: agent": {"exclude_fabric_ifaces": ["ib1"]}}
    ends = {name: (name,) * 2 for name in (fewer,)}
    ends |= {n: (f"{n}/rail-ib0", f"{n}/rail-ib1") for n in ("c1", "c2") if n != fewer}
    expected = [f"{one}>{other}" for one, other in zip(ends["c1"], ends["c2"], strict=True)]
    assert pairs(cluster(one, clients=2)) == expected


def test_in_a_round_no_client_is_in_two_pairs() -> None:
    every = each_pair(cluster(clients=5), "clients")
    made = rounds(every)
    assert sorted(pair for together in made for pair in together) == sorted(every)
    assert len(made) == 6
    for together in made:
        hosts = [end.host for pair in together for end in pair.ends]
        assert len(set(hosts)) == len(hosts)


def test_rounds_of_clients_with_one_rail_are_those_of_a_ring() -> None:
    made = rounds(each_pair(cluster(clients=5, rails=1), "clients"))
    named = [[str(pair) for pair in together] for together in made]
    assert named == [["c1>c2", "c3>c4"], ["c2>c3", "c4>c5"], ["c5>c1"]]


def test_the_bound_of_a_pair_is_that_of_its_slower_rail() -> None:
    slow = cluster({"c2: interfaces/ib1/speed_gbits": 100.0}, clients=2)
    bounds = {
        each.subject: expectation(slow, each, Measured({})).bound
        for each in requirements(slow)
        if (each.check, each.name) == (FI_PINGPONG.name, "bandwidth_1m")
        and each.partition == "clients"
    }
    gbits = {str(pair): bound and bound * 8 * 2**20 / 1e9 for pair, bound in bounds.items()}
    assert gbits == {
        "c1/rail-ib0>c2/rail-ib0": pytest.approx(200),
        "c1/rail-ib1>c2/rail-ib1": pytest.approx(100),
    }


def test_a_rail_is_spelled_with_its_host() -> None:
    rail = Subject.parse("c1/rail-enp65s0f0np0.12")
    assert rail == Subject("c1", rail="enp65s0f0np0.12")
    assert rail.hosts == ("c1",)
    assert Subject.parse("c1/rail-ib0>s1/engine0").end == Subject("c1", rail="ib0")
