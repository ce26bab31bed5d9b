"""What a host is given for its engines."""

from __future__ import annotations

from typing import Any

import pytest
from rendering import Rendering, read

RAM: dict[str, Any] = {"daos_server_engines": [{"storage": [{"class": "ram"}]}]}


def wants_spdk(told: dict[str, Any], *groups: str) -> Any:
    host = Rendering("daos_host", {"group_names": ["daos_host", *groups], **told})
    return host.value("__daos_host_wants_spdk")


@pytest.mark.parametrize("layout", ["pmem", "ephemeral", "md-on-ssd-wal", "file"])
def test_a_server_with_ssds_real_or_emulated_gets_what_spdk_needs(layout: str) -> None:
    assert wants_spdk(read(f"layouts/{layout}.yml"), "daos_server") is True


@pytest.mark.parametrize(
    ("told", "groups"),
    [
        (RAM, ["daos_server"]),
        ({**read("layouts/file.yml"), "daos_server_disable_hugepages": True}, ["daos_server"]),
        (read("layouts/file.yml"), ["daos_agent"]),
        ({}, ["daos_agent"]),
    ],
)
def test_no_other_host_does(told: dict[str, Any], groups: list[str]) -> None:
    assert wants_spdk(told, *groups) is False
