"""What is said once for the whole system."""

from __future__ import annotations

from typing import Any

import pytest
from rendering import Rendering


def daos(**variables: Any) -> Rendering:
    return Rendering("daos", variables)


@pytest.mark.parametrize(("servers", "replicas"), [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (9, 5)])
def test_an_odd_number_of_servers_keeps_the_management_service(servers: int, replicas: int) -> None:
    names = [f"s{number}" for number in range(servers)]

    assert daos(groups={"daos_server": names}).value("daos_mgmt_svc_replicas") == names[:replicas]


@pytest.mark.parametrize(
    ("install", "prefix"),
    [("spack", "/opt/assay/spack/view"), ("packages", "/usr"), ("prefix", "/usr")],
)
def test_programs_are_where_the_installation_puts_them(install: str, prefix: str) -> None:
    assert daos(daos_install=install).value("daos_prefix") == prefix


@pytest.mark.parametrize(
    ("groups", "programs", "packages"),
    [
        (
            ["daos_server"],
            {"daos_server", "daos_engine", "daos_server_helper"},
            ["daos-server", "daos-server-tests"],
        ),
        (["daos_agent", "all"], {"daos_agent"}, ["daos-client"]),
        (
            ["daos_agent", "daos_client"],
            {"daos_agent", "daos", "dfuse"},
            ["daos-client", "daos-client-tests", "daos-client-tests-openmpi"],
        ),
        (["daos_admin", "daos_system"], {"dmg", "daos"}, ["daos-admin", "daos-client"]),
        (["clients"], set(), []),
    ],
)
def test_a_host_gets_what_its_groups_need(
    groups: list[str], programs: set[str], packages: list[str]
) -> None:
    role = daos(group_names=groups)

    assert set(role.value("__daos_programs")) == programs
    assert role.value("__daos_packages") == packages


@pytest.mark.parametrize(
    ("provider", "versions"),
    [
        ("ofi+tcp", ["2.4", "2.6", "2.8"]),
        ("ofi+verbs;ofi_rxm", ["2.4", "2.6", "2.8"]),
        ("ofi+cxi", ["2.4", "2.6", "2.8"]),
        ("ofi+opx", []),
        ("ucx+dc_x", ["2.4", "2.6", "2.8"]),
        ("ucx+dc_mlx5", ["2.6", "2.8"]),
        ("verbs", []),
        ("ofi+sockets", ["2.4"]),
    ],
)
def test_a_release_knows_its_providers(provider: str, versions: list[str]) -> None:
    knowing = [
        version
        for version in ["2.4", "2.6", "2.8"]
        if provider in daos(daos_version=version).value("__daos_providers")
    ]

    assert knowing == versions
