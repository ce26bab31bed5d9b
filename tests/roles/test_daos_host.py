"""What a host is given for its engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rendering import Rendering, read
from test_given_away import run

RAM: dict[str, Any] = {"daos_server_engines": [{"storage": [{"class": "ram"}]}]}


def wants_spdk(variables: dict[str, Any], *groups: str) -> Any:
    host = Rendering("daos_host", {"group_names": ["daos_host", *groups], **variables})
    return host.value("__daos_host_wants_spdk")


@pytest.mark.parametrize("layout", ["pmem", "ephemeral", "md-on-ssd-wal", "file"])
def test_a_server_with_ssds_real_or_emulated_gets_what_spdk_needs(layout: str) -> None:
    assert wants_spdk(read(f"layouts/{layout}.yml"), "daos_server") is True


@pytest.mark.parametrize(
    ("variables", "groups"),
    [
        (RAM, ["daos_server"]),
        ({**read("layouts/file.yml"), "daos_server_disable_hugepages": True}, ["daos_server"]),
        (read("layouts/file.yml"), ["daos_agent"]),
        ({}, ["daos_agent"]),
    ],
)
def test_no_other_host_does(variables: dict[str, Any], groups: list[str]) -> None:
    assert wants_spdk(variables, *groups) is False


def test_time_servers_are_refused_where_root_may_not_set_the_clock(tmp_path: Path) -> None:
    """Debian's init script says that it runs while chronyd has ended: as seen in a container."""
    no_capability = {"__daos_host_sys_time": 2**62}
    ran = run(
        tmp_path,
        "daos_host",
        "validate.yml",
        daos_host_time_servers=["192.0.2.1"],
        daos_host_nofile=0,
        **no_capability,
    )
    assert ran.returncode != 0
    printed = " ".join((ran.stdout + ran.stderr).split())
    assert "daos_host_time_servers is 192.0.2.1; should be empty on a host where root" in printed
    assert "daos_host_nofile is 0; should be a whole number above 0" in printed


@pytest.mark.parametrize(("rc", "governors", "found"), [(0, 0, 1), (3, 1, 0)])
def test_the_governor_is_left_to_tuned_where_that_is_active(
    rc: int, governors: int, found: int
) -> None:
    host = Rendering(
        "daos_host",
        {
            "group_names": ["daos_server"],
            "ansible_facts": {"service_mgr": "systemd"},
            "__daos_host_tuned": {"rc": rc},
            "__daos_host_kernel": {"denied": [], "iommu": True, "small_lba": []},
        },
    )
    settings = host.value("__daos_host_governors")
    assert isinstance(settings, dict)
    assert len(settings) == governors
    findings = host.value("__daos_host_findings")
    assert isinstance(findings, list)
    said = [each for finding in findings for each in finding["found"] if "tuned" in each]
    assert len(said) == found
