"""What DAOS said of configurations that it was given, and what the preflight says of the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from daos_yml import described
from sites import problems

RECORDED = Path(__file__).parents[3] / "tests" / "recorded" / "bad_configs"
NO_YAML = ("bad_yaml_syntax", "tab_indent")
"""Ansible reads the inventory, and would refuse these before any role sees them."""

ENGINE = "engines[0]"
TIER = "engines[0].storage"

SAID: dict[str, list[tuple[str, str | None, str]]] = {
    "bad_storage_class": [
        (f"{TIER}[1].class", "floppy", "should be one of ram, dcpm, nvme, file, kdev")
    ],
    "control_metadata_without_roles": [
        (
            "server.control_metadata.path",
            "/run/daos/ctrl_meta",
            "should not be set without bdev_roles",
        )
    ],
    "dcpm_no_list": [(f"{TIER}[0].scm_list", None, "is missing: set it for class dcpm")],
    "dcpm_with_roles": [
        (f"{TIER}[1].bdev_roles", "meta, wal, data", "should not be combined with dcpm")
    ],
    "default_ram_reserved": [
        ("server.system_ram_reserved", "64 GiB", "should be at most 18 GiB: 23.5 GiB less")
    ],
    "dup_mgmt_svc_replicas": [("daos.mgmt_svc_replicas", "s1", "should be listed once")],
    "even_mgmt_svc_replicas": [
        ("daos.mgmt_svc_replicas", "127.0.0.1, 127.0.0.2", "should be an odd number")
    ],
    "fabric_iface_missing": [(f"{ENGINE}.fabric_iface", None, "is missing")],
    "fabric_iface_nonexistent": [
        (f"{ENGINE}.fabric_iface", "ib7", "should be an interface of this host: eth0, lo")
    ],
    "fabric_port_negative": [(f"{ENGINE}.fabric_iface_port", "-1", "should be 1 to 65535")],
    "helpers_too_many": [
        (f"{ENGINE}.nr_xs_helpers", "9", "should be at most 2 per target, here 2")
    ],
    "legacy_access_points": [],
    "log_mask_bad": [
        (f"{ENGINE}.log_mask", "LOUD", "should be one of DEBUG, DBUG, INFO, NOTE, WARN")
    ],
    "meta_device_no_path": [("server.control_metadata.path", None, "is missing")],
    "no_scm_tier": [
        (TIER, "nvme", "should have exactly one tier of class ram or dcpm"),
        # Of this DAOS said nothing, because it stopped at the first mistake of the file.
        ("server.disable_hugepages", "true", "should be false: engines with tiers of class nvme"),
    ],
    "no_storage": [(TIER, None, "is missing")],
    "nr_hugepages_and_disabled": [
        ("server.nr_hugepages", "512", "should be 0 beside server.disable_hugepages")
    ],
    "numa_out_of_range": [
        (f"{ENGINE}.pinned_numa_node", "7", "should be a NUMA node of this host: 0 to 1")
    ],
    "nvme_bad_pci": [
        (f"{TIER}[1].bdev_list", "not-a-pci", "should be PCI addresses such as 0000:81:00.0")
    ],
    "nvme_dup_bdev": [(f"{TIER}[1].bdev_list", "0000:d8:00.0", "should be listed once")],
    "nvme_empty_bdev_list": [(f"{TIER}[1].bdev_list", None, "is missing: set it for class nvme")],
    "nvme_hugepages_disabled": [("server.disable_hugepages", "true", "class nvme need hugepages")],
    "nvme_missing_bdev": [
        (
            f"{TIER}[1].bdev_list",
            "0000:d8:00.0",
            "should be SSDs or VMD controllers of this host: none",
        )
    ],
    "pinned_numa_and_first_core": [
        (f"{ENGINE}.first_core", "1", "should not be combined with pinned_numa_node")
    ],
    "ram_with_scm_list": [
        (f"{TIER}[0].scm_list", "/dev/pmem0", "should be left out: class ram accepts")
    ],
    "roles_data_twice": [(f"{TIER}[1].bdev_roles", "wal, data", "should also have meta")],
    "roles_four_tiers": [(TIER, "4 tiers with bdev_roles", "should be at most 3, one per role")],
    "roles_missing_wal": [
        (f"{TIER}.bdev_roles", "wal on no tier", "each of wal, meta, data on exactly one tier")
    ],
    "roles_only_data": [
        (f"{TIER}.bdev_roles", "wal on no tier, meta on no tier", "on exactly one tier")
    ],
    "roles_partially_set": [(f"{TIER}[2].bdev_roles", None, "is missing: give roles")],
    "roles_unknown": [
        (f"{TIER}[1].bdev_roles[2]", "dat", "should be one of wal, meta, data (did you mean data?)")
    ],
    "roles_wal_data_sep_meta": [(f"{TIER}[1].bdev_roles", "wal, data", "should also have meta")],
    "roles_wal_twice": [(f"{TIER}[2].bdev_roles", "wal, data", "should also have meta")],
    "scm_size_too_big": [(f"{TIER}[0].scm_size", "64 GiB", "should be 4 to 18 GiB: 23.5 GiB less")],
    "scm_size_too_small": [(f"{TIER}[0].scm_size", "1 GiB", "should be at least 4 GiB")],
    "system_ram_reserved_zero": [("server.system_ram_reserved", "0", "greater than or equal to 1")],
    "targets_missing": [(f"{ENGINE}.targets", None, "is missing")],
    "targets_negative": [(f"{ENGINE}.targets", "-1", "should be at least 1")],
    "targets_zero": [(f"{ENGINE}.targets", "0", "should be at least 1")],
    "thp_not_allowed": [],
    "two_engines_same_log": [
        (
            "engines[1].log_file",
            "/var/log/daos/daos_engine.0.log",
            "should be a file of its own; engines[0]",
        )
    ],
    "two_engines_same_pinned_numa": [
        ("engines[1].pinned_numa_node", "0", "should be on a NUMA node of its own")
    ],
    "two_engines_same_port": [
        (
            "engines[1].fabric_iface_port",
            "31316",
            "should be above 31318: engines[0] has the ports 31316",
        )
    ],
    "two_engines_same_scm_mount": [
        (
            "engines[1].storage[0].scm_mount",
            "/mnt/daos0",
            "should be a mount of its own; engines[0]",
        )
    ],
    "two_engines_target_mismatch": [("engines[1].targets", "2", "should be 1, as engines[0] has")],
    "unresolvable_replica": [
        ("daos.mgmt_svc_replicas", "nosuchhost.invalid", "should be a server of the system: s1")
    ],
}


def recorded(name: str) -> dict[str, Any]:
    configuration: dict[str, Any] = yaml.safe_load((RECORDED / f"{name}.conf").read_text())
    return configuration


def test_every_recorded_configuration_is_judged() -> None:
    names = {path.stem for path in RECORDED.glob("*.conf")}
    assert names == {*SAID, *NO_YAML}
    assert names == {path.stem for path in RECORDED.glob("*.txt")}


@pytest.mark.parametrize("name", SAID)
def test_a_mistake_is_reported_once_with_key_value_and_remedy(name: str) -> None:
    document = described(recorded(name), has_ssd=name != "nvme_missing_bdev")
    errors = [problem for problem in problems(document) if problem.severity == "error"]
    sentences = [
        (problem.key, None if problem.value is None else str(problem.value)) for problem in errors
    ]
    assert sentences == [(key, value) for key, value, _ in SAID[name]]
    for problem, (_, _, words) in zip(errors, SAID[name], strict=True):
        assert words in problem.allowed
        assert problem.host == (None if problem.key.startswith("daos.") else "s1")
        assert f"`{problem}`" in (RECORDED / "README.md").read_text()


@pytest.mark.parametrize("name", NO_YAML)
def test_what_is_not_yaml_reaches_no_rule(name: str) -> None:
    with pytest.raises(yaml.YAMLError):
        recorded(name)
