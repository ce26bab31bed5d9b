"""The description of a cluster that was there before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.checks.plan import requirements
from assay.cluster.hardware import shipped
from assay.cluster.slurm import Slurm
from assay.preflight.examine import examine
from assay.survey.foreign_slurm import Seen
from assay.survey.guest import Asked, document, left_open, refusals

IB, ETH = "ib0", "eno1"
LUSTRE = {
    "directory": "/lustre",
    "filesystem": "lustre",
    "device": "mgs@o2ib:/scratch",
    "inode": 9,
    "writable": True,
}


def seen(name: str, **more: Any) -> Seen:
    interfaces = {
        "lo": {"up": True, "address": "127.0.0.1"},
        ETH: {"up": True, "address": "192.0.2.1", "speed_gbits": 25.0},
        IB: {"up": True, "address": "198.51.100.1", "speed_gbits": 200.0},
    }
    host = {
        "cores": 64,
        "numa_nodes": 2,
        "memory": {"total_mib": 262144},
        "interfaces": interfaces,
    }
    scratch = {"directory": "/local", "filesystem": "xfs", "device": "/dev/sdb", "writable": True}
    answer = {
        "name": name,
        "host": host,
        "campaigns": {"inode": 7, "writable": True},
        "scratch": scratch,
        "shared": LUSTRE,
        "programs": {"fio": "/opt/fio", "ior": "/opt/ior"},
    }
    return Seen.model_validate({**answer, **more})


def asked(**more: Any) -> Asked:
    slurm = Slurm.model_validate({"partitions": {"clients": "compute"}})
    return Asked("borealis", slurm, Path("/home/me/assay"), **more)


NODES = [seen("n1"), seen("n2")]


def open_keys(**more: Any) -> set[str]:
    return {each.key for each in left_open(asked(**more), NODES)}


def test_a_description_of_clients_alone_is_valid_and_has_a_plan() -> None:
    described, problems = examine(document(asked(shared=Path("/lustre")), seen("login"), NODES))
    assert described, list(map(str, problems))
    assert described.hosts["n1"].interface == IB
    assert described.servers == ()
    required = requirements(described)
    assert {each.partition for each in required} == {"clients"}
    assert {"SsdFio", "PosixFio", "IorEasy"} <= {each.check for each in required}


def test_without_servers_a_cluster_that_the_roles_deploy_is_refused() -> None:
    mine = document(asked(), seen("login"), NODES)
    del mine["slurm"]
    assert "servers: should have at least one entry" in map(str, examine(mine)[1])


def test_without_scratch_no_disk_is_required_and_the_key_is_named() -> None:
    bare = [seen("n1", scratch=None), seen("n2", scratch=None)]
    described, _ = examine(document(asked(), seen("login"), bare))
    assert described
    assert not {"SsdFio", "PosixFio"} & {each.check for each in requirements(described)}
    assert "hosts.n[1-2].scratch" in open_keys()


def test_the_ssd_of_a_scratch_directory_is_to_be_named() -> None:
    keys = open_keys(scratch=Path("/local"))
    assert "hosts.n[1-2].scratch" not in keys
    assert "hosts.n[1-2].scratch.ssd" in keys


def test_the_data_sheets_that_are_named_are_those_of_each_node() -> None:
    named = {"ssd": next(iter(shipped().ssd)), "fabric": next(iter(shipped().fabric))}
    mine = document(asked(scratch=Path("/local"), **named), seen("login"), NODES)
    described, problems = examine(mine)
    assert described, list(map(str, problems))
    for node in ("n1", "n2"):
        scratch = described.hosts[node].scratch
        assert scratch is not None
        assert (scratch.ssd, described.hosts[node].datasheets.fabric) == tuple(named.values())
    links = {"eth0": {"up": True, "address": "192.0.2.1", "speed_gbits": None}}
    host = {"cores": 2, "numa_nodes": 1, "memory": {"total_mib": 1024}, "interfaces": links}
    unknown = left_open(asked(scratch=Path("/local"), **named), [seen("n1", host=host)])
    assert not [each.key for each in unknown if "ssd" in each.key or "fabric" in each.key]


def test_a_program_that_has_no_place_to_write_is_left_out_and_the_key_is_named() -> None:
    assert "ior" not in document(asked(), seen("login"), NODES)["benchmarks"]
    assert {"benchmarks.ior", "benchmarks.shared_directory"} <= open_keys()
    assert not {"benchmarks.ior", "benchmarks.shared_directory"} & open_keys(shared=Path("/l"))


def test_a_program_at_another_path_on_one_node_is_left_open() -> None:
    nodes = [seen("n1"), seen("n2", programs={"fio": "/usr/bin/fio"})]
    reasons = {each.key: each.why for each in left_open(asked(), nodes)}
    assert reasons["benchmarks.fio"] == "fio has different paths on the nodes"
    assert reasons["benchmarks.mdtest"].startswith("mdtest is not on the PATH of n[1-2]")


def test_a_directory_that_nodes_do_not_share_is_refused() -> None:
    nodes = [seen("n1"), seen("n2", campaigns={"inode": 8, "writable": True})]
    (why,) = refusals(asked(), seen("login"), nodes)
    assert why.startswith("/home/me/assay on n2 is not the same directory as on this host")


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"inode": None, "writable": False}, "on n2 it does not exist, or you may not write to it"),
        ({"writable": False}, "on n2 it does not exist, or you may not write to it"),
        ({"inode": 8}, "n2 has another directory there than n1"),
        # The root of an XFS is always inode 128, on each node.
        ({"filesystem": "xfs"}, "n2 has another directory there than n1"),
    ],
    ids=["absent", "read only", "another", "local"],
)
def test_a_shared_directory_that_is_none_is_refused(other: dict[str, Any], why: str) -> None:
    nodes = [seen("n1"), seen("n2", shared=LUSTRE | other)]
    (refused,) = refusals(asked(shared=Path("/lustre")), seen("login"), nodes)
    assert refused.startswith(f"--shared /lustre: {why}")
    assert refusals(asked(), seen("login"), nodes) == []


def test_containers_of_one_host_share_its_directories() -> None:
    mine = {"shared": LUSTRE | {"filesystem": "ext4"}, "boot": "5c7e"}
    nodes = [seen("n1", **mine), seen("n2", **mine)]
    assert refusals(asked(shared=Path("/lustre")), seen("login"), nodes) == []
    other = [*nodes, seen("n3", **mine | {"boot": "9a01"})]
    (refused,) = refusals(asked(shared=Path("/lustre")), seen("login"), other)
    assert refused.startswith("--shared /lustre: n3 has another directory there than n1")


def test_the_interface_that_is_asked_for_is_there_or_refused() -> None:
    mine = document(asked(interface=ETH), seen("login"), NODES)
    assert mine["hosts"]["n1"]["interface"] == ETH
    (why,) = refusals(asked(interface="ib1"), seen("login"), NODES)
    assert why == "--interface ib1: n[1-2] has no interface of that name"


def test_a_servers_partition_is_required_where_servers_are_named() -> None:
    mine = document(asked(), seen("login"), [seen("n1"), seen("s1")])
    mine |= {"clients": ["n1"], "servers": ["s1"]}
    assert any(problem.key == "slurm.partitions.servers" for problem in examine(mine)[1])


def test_the_data_sheet_that_is_proposed_for_a_network_is_one() -> None:
    links = {"eth0": {"up": True, "address": "192.0.2.1", "speed_gbits": None}}
    host = {"cores": 2, "numa_nodes": 1, "memory": {"total_mib": 1024}, "interfaces": links}
    (why,) = (
        each.why for each in left_open(asked(), [seen("n1", host=host)]) if "fabric" in each.key
    )
    proposed = why.partition("such as ")[2].partition(" (")[0]
    assert proposed in shipped().fabric
