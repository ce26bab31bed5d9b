"""Nodes of a site that are off, reserved or shared by force, on a real Slurm."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from guest_here import ForeignSlurm, Guest, running
from private_slurm import wait_for

POWER = """SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=100000
SuspendTimeout=1
ResumeTimeout=60
"""

OFF = "nid004"
"""The node that is powered down for good: a slurmd that runs on would not register again."""


class CloudSlurm(ForeignSlurm):
    """It powers a node down, and one partition shares its nodes by force."""

    def __init__(self) -> None:
        super().__init__()
        self.partitions = {**self.partitions, "burst": ["nid001", OFF], "far": [OFF]}

    def configuration(self) -> str:
        nodes = "nid001,nid002"
        return (
            f"{super().configuration()}{POWER}"
            f"PartitionName=shared Nodes={nodes} State=UP OverSubscribe=FORCE:4\n"
            f"PartitionName=alone Nodes={nodes} State=UP OverSubscribe=EXCLUSIVE\n"
        )

    def state(self, node: str) -> str:
        return self.output("sinfo", "--noheader", f"--nodes={node}", "--format=%T").split()[0]


@pytest.fixture(scope="module")
def cloud(needed: None) -> Iterator[CloudSlurm]:
    with running(CloudSlurm()) as slurm:
        slurm.output("scontrol", "update", f"NodeName={OFF}", "State=POWER_DOWN")
        wait_for(lambda: slurm.state(OFF).endswith("~"), f"{OFF} idle~", seconds=60)
        yield slurm


@pytest.fixture
def user(cloud: CloudSlurm, request: pytest.FixtureRequest) -> Guest:
    attempt = getattr(request.node, "execution_count", 1)
    return Guest(cloud, cloud.directory / "home" / f"{request.node.name}.{attempt}")


def test_a_node_that_is_off_is_left_out(user: Guest, cloud: CloudSlurm) -> None:
    done = user.describe("--partition=burst")
    assert done.returncode == 0, done.stderr
    assert "describes 1 clients: nid001" in done.stdout
    assert f"left out: {OFF} is idle, but powered off" in done.stdout
    assert cloud.state(OFF) == "idle~"


def test_where_all_nodes_are_off_none_is_powered_up(user: Guest, cloud: CloudSlurm) -> None:
    done = user.describe("--partition=far")
    assert done.returncode == 2
    assert f"{OFF} is idle, but powered off" in done.stderr
    assert cloud.state(OFF) == "idle~"


def test_a_reservation_for_maintenance_takes_the_job(user: Guest, cloud: CloudSlurm) -> None:
    words = "ReservationName=night StartTime=now Duration=60 Flags=MAINT,IGNORE_JOBS"
    cloud.output(
        "scontrol", "create", "reservation", *words.split(), "Nodes=nid001", "Users=nobody"
    )
    try:
        wait_for(lambda: cloud.state("nid001").startswith("maint"), "nid001 maint")
        outside = user.describe("--partition=compute")
        assert "describes 1 clients: nid002" in outside.stdout, outside.stderr
        done = user.describe("--partition=compute", "--option=reservation=night", "--replace")
        assert done.returncode == 0, done.stderr
        assert "describes 1 clients: nid001" in done.stdout
        absent = user.describe("--partition=compute", "--option=reservation=day", "--replace")
        assert absent.returncode == 2
        assert "day" in absent.stderr
    finally:
        cloud.output("scontrol", "delete", "ReservationName=night")


def test_a_partition_that_shares_its_nodes_by_force(user: Guest) -> None:
    refused = user.describe("--partition=shared", "--exclusive")
    assert refused.returncode == 2
    assert "--exclusive has no effect in the partition shared" in refused.stderr
    done = user.describe("--partition=shared", "--option=hint=nomultithread")
    assert done.returncode == 0, done.stderr
    assert "note: other jobs may run on the nodes of shared" in done.stdout


def test_a_partition_whose_jobs_are_alone(user: Guest) -> None:
    done = user.describe("--partition=alone")
    assert done.returncode == 0, done.stderr
    described = json.loads((user.prefix / "cluster.json").read_text())
    assert described["slurm"].get("exclusive", True) is True
