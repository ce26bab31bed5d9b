"""The agent must give each described rail of a client, on its NUMA node, and none else."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay.checks.benchmarks.interfaces import INTERFACES, asks
from assay.checks.entry import Measured, run_of
from assay.checks.expect import expectation
from assay.checks.plan import requirements
from assay.checks.raw import RawOutputs
from assay.cluster.description import Cluster
from assay.cluster.rails import turns
from assay.foreign.files import Tree
from assay.subject import Subject
from assay.tools.output import Parsed
from sites import put, site

CHECKS = Path(__file__).parents[2] / "reframe-checks"

FOUR = {f"c1: interfaces/ib{number}": {"numa_node": number // 2} for number in range(4)}
"""Two rails on each of two NUMA nodes."""


def client(changes: dict[str, Any]) -> Cluster:
    return Cluster.model_validate(put(site(rails=2), changes))


def read(cluster: Cluster, given: list[list[tuple[int, str]]], directory: Path) -> Parsed:
    """The samples whose processes on a NUMA node got an interface, as the agent logs it."""
    raw = directory / "raw" / "c1"
    raw.mkdir(parents=True)
    for number, processes in enumerate(given, start=1):
        lines = [f"pid:7 (daos): numa:{node} iface:{rail} dom:x" for node, rail in processes]
        (raw / f"ask.{number}.out").write_text("\n".join(lines) + "\n")
    run = run_of(cluster, INTERFACES, "clients", "quick")
    return INTERFACES.reading.parsed(run, Subject("c1"), RawOutputs(Tree(directory)))


TURN = [(0, "ib0"), (0, "ib1"), (1, "ib2"), (1, "ib3")]


def test_each_rail_given_on_its_node_is_well(tmp_path: Path) -> None:
    parsed = read(client(FOUR), [TURN, TURN, TURN], tmp_path)
    assert parsed.problems == ()
    assert [sample.value for sample in parsed.samples] == [4, 4, 4]


def test_a_rail_that_is_never_given_is_named(tmp_path: Path) -> None:
    first = [(0, "ib0"), (0, "ib0"), (1, "ib2"), (1, "ib3")]
    (problem,) = read(client(FOUR), [first] * 3, tmp_path).problems
    assert problem.startswith("the agent never gave ib1, which is a rail of this client")


def test_a_turn_taken_by_another_process_is_no_fault(tmp_path: Path) -> None:
    missed = [(0, "ib0"), (0, "ib0"), (1, "ib2"), (1, "ib3")]
    assert read(client(FOUR), [missed, TURN, missed], tmp_path).problems == ()


def test_an_interface_that_is_no_rail_is_named(tmp_path: Path) -> None:
    cluster = client(FOUR | {"c1: agent": {"exclude_fabric_ifaces": ["ib3"]}})
    (problem,) = read(cluster, [TURN] * 3, tmp_path).problems
    assert problem == (
        "the agent gave ib3, but the rails of this client are ib0, ib1, ib2: exclude it, or"
        " describe it as one"
    )


def test_a_rail_of_another_node_is_named(tmp_path: Path) -> None:
    crossed = [(0, "ib0"), (0, "ib1"), (1, "ib2"), (0, "ib3")]
    (problem,) = set(read(client(FOUR), [crossed] * 3, tmp_path).problems)
    assert problem.startswith("1 clients on NUMA node 0 got ib3, which is on node 1")


@pytest.mark.parametrize(
    ("changes", "each"),
    [
        ({}, 1),
        (FOUR, 2),
        (FOUR | {"c1: numa_nodes": 1}, 4),
        (FOUR | {"c1: agent": {"include_fabric_ifaces": ["ib0", "ib1", "ib2"]}}, 2),
        (FOUR | {"c1: agent": {"include_fabric_ifaces": ["ib2"]}}, 1),
    ],
)
def test_each_node_asks_as_often_as_one_has_rails(changes: dict[str, Any], each: int) -> None:
    cluster = client(changes)
    assert asks(cluster, "c1") == each
    (required,) = (r for r in requirements(cluster) if r.check == INTERFACES.name)
    figure = expectation(cluster, required, Measured({}))
    assert figure.floor == figure.ceiling == each * cluster.hosts["c1"].numa_nodes


@pytest.mark.parametrize(("nodes", "asked"), [("1", 1), ("1x3", 3)])
def test_the_job_asks_the_agent_so_many_times(nodes: str, asked: int, tmp_path: Path) -> None:
    log, configuration = tmp_path / "agent.log", tmp_path / "daos_agent.yml"
    log.write_text("pid:1 (daos): numa:0 iface:old dom:x\n")
    configuration.write_text("disable_caching: false\n")
    ask = tmp_path / "daos"
    ask.write_text(f'#!/bin/bash\necho "pid:$$ (daos): numa:0 iface:ib0 dom:x" >>{log}\n')
    ask.chmod(0o755)
    done = subprocess.run(
        ["bash", "client/interfaces.sh", log, configuration, nodes, ask],
        cwd=CHECKS,
        capture_output=True,
        text=True,
        check=True,
    )
    first, *given = done.stdout.splitlines()
    assert first == "disable_caching: false"
    assert [line.partition(" ")[2] for line in given] == ["(daos): numa:0 iface:ib0 dom:x"] * asked


@pytest.mark.parametrize(
    ("changes", "processes", "nodes"),
    [
        (FOUR, 2, (0, 1)),
        (FOUR, 6, (0, 0, 0, 1, 1, 1)),
        ({"c1: interfaces/ib1/network": "192.0.2.0/24"}, 4, (0, 0, 1, 1)),
        ({"c1: interfaces/ib1": {"numa_node": 0}}, 4, ()),
        ({"c1: agent": {"include_fabric_ifaces": ["ib1"]}}, 4, ()),
    ],
    ids=["one-each", "several-each", "two-rails", "one-node", "one-rail"],
)
def test_processes_are_spread_over_the_nodes_of_the_rails(
    changes: dict[str, Any], processes: int, nodes: tuple[int, ...]
) -> None:
    assert turns(client(changes), "c1", processes) == nodes


def test_three_rails_have_as_many_processes_each() -> None:
    three = {f"c1: interfaces/ib{number}": {"numa_node": number // 2} for number in range(3)}
    assert turns(client(three), "c1", 6) == (0, 0, 0, 0, 1, 1)
