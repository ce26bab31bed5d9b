"""A cluster that nobody has bought yet, described from its inventory and the kinds of its hosts."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.checks.whole import paths
from assay.cluster.description import Cluster
from assay.preflight import examine as preflight
from planning import plan

REPOSITORY = Path(__file__).parents[2]
PLANNED = REPOSITORY / "inventories/planned"
PLUGIN = REPOSITORY / "roles/cluster/action_plugins/cluster_planned.py"

KIND: dict[str, Any] = {
    "cores": 64,
    "numa_nodes": 2,
    "memory": {"total_mib": 515000},
    "interfaces": {"ib0": {"speed_gbits": 200, "network": "10.20.0.0/16"}, "lo": None},
}


def plugin() -> Any:
    spec = importlib.util.spec_from_file_location("cluster_planned", PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """The planned inventory, in which one server has been given other SSDs than the rest."""
    directory = tmp_path_factory.mktemp("planned")
    inventory = directory / "inventory"
    shutil.copytree(PLANNED, inventory)
    (inventory / "host_vars").mkdir()
    others = {"ssds": [["0000:a1:00.0", "0000:a2:00.0"], ["0000:b1:00.0", "0000:b2:00.0"]]}
    (inventory / "host_vars/server3.yml").write_text(yaml.safe_dump(others))
    # What judges it is called here, and not by a second Python.
    run = plan(inventory, directory / "cluster.json", "--skip-tags=judge")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "WARNING" not in run.stdout + run.stderr
    cluster, problems = preflight.examine(json.loads((directory / "cluster.json").read_text()))
    assert cluster is not None, [str(problem) for problem in problems]
    assert problems[0].key == "daos.version"  # what upstream knows against the release
    # It has half the SSDs of the others, as the inventory says.
    assert [(each.severity, each.host, each.key) for each in problems[1:]] == [
        ("warning", "server3", f"engines[{number}].storage") for number in range(2)
    ]
    return cluster


def test_the_example_is_eight_servers_with_two_engines_and_a_hundred_clients(
    planned: Cluster,
) -> None:
    assert [len(planned.hosts[server].engines) for server in planned.servers] == [2] * 8
    assert len(planned.clients) == 100
    addresses = {str(host.address) for host in planned.hosts.values()}
    assert len(addresses) == 109
    assert all(address.startswith("10.20.") for address in addresses)


def test_two_engines_differ_where_the_inventory_says_so(planned: Cluster) -> None:
    first, second = planned.hosts["server1"].engines
    assert (first.targets, first.nr_xs_helpers) == (second.targets, second.nr_xs_helpers) == (16, 4)
    assert (first.fabric_iface, second.fabric_iface) == ("ib0", "ib1")
    assert (first.pinned_numa_node, second.pinned_numa_node) == (0, 1)
    assert first.bdev_tiers[0].bdev_roles == second.bdev_tiers[0].bdev_roles
    assert not set(first.bdev_tiers[0].devices) & set(second.bdev_tiers[0].devices)


def test_one_server_with_other_ssds_needs_one_variable(planned: Cluster) -> None:
    other = planned.hosts["server3"]
    assert [engine.bdev_tiers[0].devices for engine in other.engines] == [
        ("0000:a1:00.0", "0000:a2:00.0"),
        ("0000:b1:00.0", "0000:b2:00.0"),
    ]
    assert set(other.nvme) == {"0000:a1:00.0", "0000:a2:00.0", "0000:b1:00.0", "0000:b2:00.0"}
    assert planned.hosts["server4"].engines == planned.hosts["server5"].engines


def test_racks_are_fault_domains(planned: Cluster) -> None:
    assert planned.hosts["server4"].server.settings["fault_path"] == "/rack1/server4"
    assert planned.hosts["server5"].server.settings["fault_path"] == "/rack2/server5"


def test_the_bounds_of_the_whole_are_those_of_the_parts(planned: Cluster) -> None:
    bounds = {what: bound.value.to("GB/s").value for what, bound in paths(planned) if "MiB" in what}
    # 7 servers with 8 SSDs and one with 4, of 3.5 GB/s each, for four replicas; 16 ports of 25
    # GB/s, 60 SSDs of 7.0.
    assert bounds["write in blocks of 1.00 MiB"] == pytest.approx(60 * 3.5 / 4)
    assert bounds["read in blocks of 1.00 MiB"] == pytest.approx(400)


def test_each_host_has_an_address_of_its_own_in_the_network_of_its_interface() -> None:
    facts = [dict(plugin()._facts(f"s{n}", KIND, n)) for n in (0, 255)]
    assert [fact["ib0"]["ipv4"]["address"] for fact in facts] == ["10.20.0.1", "10.20.1.0"]
    assert facts[0]["default_ipv4"] == {"address": "10.20.0.1", "netmask": "255.255.0.0"}
    assert facts[0]["ib0"]["speed"] == 200_000
    assert "ipv4" not in facts[0]["lo"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (None, "s1: cluster_kind is not set; it should be"),
        ([1], "s1: cluster_kind is list; it should be keys and values"),
        ({"cores": 4}, "s1: cluster_kind has no interfaces, memory, numa_nodes; it should have"),
        ({**KIND, "interfaces": ["ib0"]}, "s1: interfaces of cluster_kind is list; it should"),
        ({**KIND, "memory": 512}, "s1: memory of cluster_kind is int; it should"),
    ],
)
def test_an_invalid_kind_is_refused(kind: Any, message: str) -> None:
    module = plugin()
    with pytest.raises(module.AnsibleActionFail, match=message):
        module._validate("s1", kind)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("10.20.0.0/30", "s9: network of ib0 in cluster_kind is 10.20.0.0/30, which has no room"),
        ("10.20.0.1/16", "s9: network of ib0 in cluster_kind is 10.20.0.1/16; it should be an IP"),
    ],
)
def test_a_network_that_holds_no_host_is_refused(network: str, message: str) -> None:
    module = plugin()
    kind = {**KIND, "interfaces": {"ib0": {"network": network}}}
    with pytest.raises(module.AnsibleActionFail, match=message):
        dict(module._facts("s9", kind, 8))


def test_a_host_of_a_description_is_a_kind(planned: Cluster, tmp_path: Path) -> None:
    """One that is there, multiplied: its own address and what the inventory says are left out."""
    host = json.loads(planned.hosts["server1"].model_dump_json(by_alias=True))
    module = plugin()
    module._validate("s2", host)
    facts = dict(module._facts("s2", host, 1))
    assert facts["ib0"]["ipv4"]["address"] == "10.20.0.2"
    assert {"engines", "address", "server"} <= set(module.CHOSEN)


def test_a_plan_with_packages_of_daos_has_the_programs_of_its_repository(tmp_path: Path) -> None:
    """As docs/platforms.md has it; the names of EL stand for hosts that nobody can ask."""
    inventory = tmp_path / "inventory"
    shutil.copytree(REPOSITORY / "inventories/pmem", inventory)
    variables = inventory / "group_vars/all.yml"
    site = yaml.safe_load(variables.read_text()) | {
        "daos_install": "packages",
        "daos_repository": "https://mirror.example/daos",
        "daos_repository_key": "https://mirror.example/daos/RPM-GPG-KEY-DAOS",
    }
    variables.write_text(yaml.safe_dump(site))
    run = plan(inventory, tmp_path / "cluster.json", "--skip-tags=judge")
    assert run.returncode == 0, run.stdout + run.stderr
    benchmarks = json.loads((tmp_path / "cluster.json").read_text())["benchmarks"]
    assert (benchmarks["ior"], benchmarks["mdtest"]) == (
        "/usr/lib64/mpich/bin/ior",
        "/usr/lib64/mpich/bin/mdtest",
    )
