"""What differs between distributions."""

from __future__ import annotations

from typing import get_args

import pytest
from rendering import ROLES, Rendering

from assay.cluster.daos_packages import packages
from assay.cluster.platforms import Component, platforms

FAMILIES = sorted(platforms())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_packages_of_each_component(family: str) -> None:
    assert platforms()[family].packages.keys() == set(get_args(Component))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_source_of_slurm_has_packages_of_each_daemon(family: str) -> None:
    for source in platforms()[family].slurm.values():
        assert all(source.packages[part] for part in ("common", "slurmctld", "slurmd"))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_source_of_each_name_is_stated(family: str) -> None:
    each = platforms()[family]
    assert {"packages"} <= each.sources.keys()
    stated = {name.removeprefix("slurm ") for name in each.sources if name.startswith("slurm ")}
    assert family == "Debian" or stated == each.slurm.keys()


def test_no_role_knows_a_distribution_by_its_name() -> None:
    knowing = [
        str(path.relative_to(ROLES))
        for path in ROLES.rglob("*.yml")
        if path.parent.name in ("tasks", "handlers") or "tasks" in path.parts
        if "os_family'] ==" in path.read_text() or "'RedHat'" in path.read_text()
    ]
    # Debian's init scripts are not those of others.
    assert knowing == ["daos/tasks/validate.yml"]


@pytest.mark.parametrize(
    ("family", "given", "installed"),
    [
        ("Debian", "", ["slurm-client", "slurmctld"]),
        ("RedHat", "", ["slurm", "slurm-slurmctld"]),
        ("RedHat", "ohpc", ["slurm-ohpc", "slurm-slurmctld-ohpc"]),
        ("Suse", "", ["slurm", "slurm-munge"]),
    ],
)
def test_slurm_comes_from_the_source_that_is_asked_for(
    family: str, given: str, installed: list[str]
) -> None:
    role = Rendering(
        "slurm", {"ansible_facts": {"os_family": family}, "slurm_packages_from": given}
    )
    words = "['common', 'slurmctld'] | map('extract', __slurm_source.packages) | flatten | unique"
    assert role.value(words) == installed


def test_the_versions_of_what_a_client_runs_are_recorded() -> None:
    installed = ["bash 5.2", "fio 3.36", "daos-client 2.8.0"]
    lines = [*(f"installed {each}" for each in installed), "config-files slurmd 22.05"]
    client = {"os_family": "Suse", "distribution": "L", "distribution_version": "1", "kernel": "k"}
    given = {
        "groups": {"clients": ["c1"]},
        "hostvars": {"c1": {"ansible_facts": client}},
        "__reframe_packages": {"stdout_lines": lines},
    }
    recorded = Rendering("reframe", given).value("__reframe_versions")
    assert recorded == {"system": "L 1", "kernel": "k", "fio": "3.36", "daos-client": "2.8.0"}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_package_manager_lists_versions(family: str) -> None:
    assert platforms()[family].manager in Rendering("reframe", {}).value("__reframe_query")


def test_the_packages_of_daos_follow_from_what_a_host_is_for() -> None:
    server = packages("2.8", ["daos_server"], "ofi+tcp", ["ram", "nvme"])
    assert server == ["daos-server", "daos-server-tests", "daos-spdk"]
    assert packages("2.6", ["daos_server"], "ofi+tcp", ["nvme"])[-1] == "spdk"
    assert packages("2.8", ["daos_server"], "ofi+tcp", ["dcpm"])[-2:] == ["ndctl", "ipmctl"]
    assert "ndctl" not in packages("2.6", ["daos_server"], "ofi+tcp", ["dcpm"])
    client = packages("2.8", ["daos_agent", "daos_client"], "ucx+dc_x", [])
    assert client == [
        "daos-client",
        "daos-client-tests",
        "daos-client-tests-openmpi",
        "mercury-ucx",
    ]
    assert packages("2.8", ["daos_admin"], "ucx+dc_x", []) == ["daos-admin"]


@pytest.mark.parametrize(
    ("family", "install", "path"),
    [
        ("RedHat", "packages", "/usr/lib64/mpich/bin/ior"),
        ("Suse", "packages", "/usr/bin/ior"),
        ("Debian", "packages", ""),
        ("RedHat", "prefix", ""),
    ],
)
def test_ior_of_daos_packages_is_found(family: str, install: str, path: str) -> None:
    given = {
        "ansible_facts": {"os_family": family},
        "daos_install": install,
        "groups": {"daos_client": ["c1"]},
    }
    assert Rendering("benchmarks", given).value("benchmarks_ior") == path
