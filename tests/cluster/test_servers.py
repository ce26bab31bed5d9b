"""The servers of an inventory, and where their engines keep what."""

from typing import Any

import pytest

from assay.cluster.servers import server, unformatted

LOGS = "/var/log/daos/daos_server"


def host(name: str = "s1", **settings: Any) -> dict[str, Any]:
    """The variables and facts of a server with two engines."""
    return {
        "inventory_hostname": name,
        "ansible_facts": {
            "all_ipv4_addresses": ["192.0.2.1"],
            "all_ipv6_addresses": [],
            "nodename": "vm",
            "hostname": "vm",
        },
        "daos_server_engines": [
            {"fabric_iface_port": port, "storage": [{"class": "ram", "scm_mount": mount}]}
            for port, mount in ((31316, "/mnt/daos0"), (31416, "/mnt/daos1"))
        ],
        **settings,
    }


@pytest.mark.parametrize(
    ("settings", "superblock", "persistent"),
    [
        ({}, "/mnt/daos0/superblock", False),
        (
            {"daos_server_control_metadata": {"path": "/var/daos"}},
            "/var/daos/daos_control/engine0/superblock",
            True,
        ),
        (
            {
                "daos_server_engines": [
                    {
                        "storage": [
                            {"class": "dcpm", "scm_mount": "/mnt/pmem"},
                            {"class": "nvme", "bdev_list": ["0000:81:00.0"]},
                        ]
                    }
                ]
            },
            "/mnt/pmem/superblock",
            True,
        ),
    ],
)
def test_the_superblock_is_where_the_layout_has_it(
    settings: dict[str, Any], superblock: str, persistent: bool
) -> None:
    engine = server(host(**settings), LOGS)["engines"][0]
    assert (engine["superblock"], engine["persistent"]) == (superblock, persistent)


def test_an_engine_logs_where_the_site_says_or_by_its_index() -> None:
    named = host(daos_server_engines=[{"log_file": "/logs/first"}, {}])
    logs = [engine["log"] for engine in server(named, LOGS)["engines"]]
    assert logs == ["/logs/first", f"{LOGS}/daos_engine.1.log"]


def test_only_engines_without_superblock_are_unformatted() -> None:
    assert unformatted([server(host(), LOGS)], {"s1": ["/mnt/daos0/superblock"]}) == [
        {"host": "s1", "engine": "s1 engine 1 (/mnt/daos1/superblock)", "persistent": False}
    ]


def test_a_server_that_nobody_looked_at_is_not_taken_for_unformatted() -> None:
    with pytest.raises(KeyError):
        unformatted([server(host(), LOGS)], {})
