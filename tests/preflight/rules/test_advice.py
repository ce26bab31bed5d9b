"""What DAOS's pages advise."""

from __future__ import annotations

import pytest

from sites import advice, put, site


@pytest.mark.parametrize(
    ("layout", "changes", "key", "message"),
    [
        ("ephemeral", {"s1: engines/0/targets": 18}, "engines[0].targets", "such as 16 or 20"),
        ("md-on-ssd-wal-meta", {}, "engines[0].targets", "such as 15 or 18"),
        ("ephemeral", {"s1: engines/0/nr_xs_helpers": 0}, "engines[0].nr_xs_helpers", "about 4"),
        ("ephemeral", {"s1: engines/0/nr_xs_helpers": 9}, "engines[0].nr_xs_helpers", "about 4"),
        (
            "ephemeral",
            {"s1: server/system_ram_reserved": 15},
            "server.system_ram_reserved",
            "at least 16 GiB",
        ),
        ("ephemeral", {"daos/name": "tank"}, "daos.name", "should be daos_server"),
    ],
)
def test_what_is_advised_is_a_warning(
    layout: str, changes: dict[str, object], key: str, message: str
) -> None:
    (problem,) = advice(put(site(layout), changes))
    assert (problem.key, problem.severity) == (key, "warning")
    assert message in problem.allowed


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"s1: engines/0/env_vars": ["D_LOG_MASK=debug"]}, "engines[0].env_vars"),
        ({"s1: engines/0/log_mask": "DBUG,MEM=ERR"}, "engines[0].log_mask"),
    ],
)
def test_all_debug_messages_are_too_many(changes: dict[str, object], key: str) -> None:
    (problem,) = advice(put(site(), changes))
    assert problem.key == key
    assert "INFO,RPC=DEBUG" in problem.allowed


@pytest.mark.parametrize("mask", ["INFO", "ERR,RPC=DEBUG", ""])
def test_debug_messages_of_some_subsystems_are_fine(mask: str) -> None:
    assert advice(put(site(), {"s1: engines/0/log_mask": mask})) == []


def test_a_timeout_that_clients_do_not_learn() -> None:
    (problem,) = advice(put(site(), {"s1: engines/0/env_vars": ["CRT_TIMEOUT=30"]}))
    assert "crt_timeout in daos_server_settings" in problem.allowed


ODD = [
    ({"s2: engines/0/targets": 8, "s2: engines/0/nr_xs_helpers": 2}, "engines[0].targets", 8),
    ({"s2: engines/0/nr_xs_helpers": 3}, "engines[0].targets", "16, with nr_xs_helpers = 3"),
    ({"s2: cores": 60}, "cores", 60),
    ({"s2: interfaces/ib0/network": "203.0.113.0/24"}, "engines[0].fabric_iface", "in 203.0.113"),
    ({"s2: engines/0/storage/1/bdev_list": ["0000:65:00.0"]}, "engines[0].storage", "1 SSDs"),
    ({"s2: engines": site(engines=2)["hosts"]["s1"]["engines"]}, "engines", "2 engines"),
]


@pytest.mark.parametrize(("changes", "key", "value"), ODD)
def test_a_server_unlike_the_others_is_named(
    changes: dict[str, object], key: str, value: object
) -> None:
    document = put(site(servers=3), {"daos/mgmt_svc_replicas": ["s1", "s2", "s3"]})
    (problem,) = advice(put(document, changes))
    assert (problem.host, problem.key, problem.severity) == ("s2", key, "warning")
    assert str(problem.value).startswith(str(value))
    assert "as on 2 of 3 servers" in problem.allowed


def test_of_two_generations_of_servers_none_is_odd() -> None:
    document = put(site(servers=4), {"daos/mgmt_svc_replicas": ["s1", "s2", "s3"]})
    assert advice(document) == []
    for name in ("s3", "s4"):
        put(document, {f"{name}: engines/0/targets": 8, f"{name}: engines/0/nr_xs_helpers": 2})
    assert advice(document) == []


def test_scm_of_six_per_cent() -> None:
    document = site("pmem")
    for number, address in enumerate(("65", "66", "67", "68")):
        put(document, {f"s1: nvme/0000:{address}:00.0/namespaces": [f"/dev/nvme{number}n1"]})
    blocks = document["hosts"]["s1"]["blocks"] = {
        f"/dev/nvme{number}n1": {"size_bytes": 4 * 10**12} for number in range(4)
    }
    blocks["/dev/pmem0"] = {"size_bytes": 10**12}
    assert advice(document) == []
    blocks["/dev/pmem0"] = {"size_bytes": 9 * 10**11}
    (problem,) = advice(document)
    assert "at least 6% of the SSDs" in problem.allowed


@pytest.mark.parametrize(
    ("layout", "changes"),
    [
        ("ephemeral", {"s1: server/system_ram_reserved": 16}),
        ("pmem", {"s1: server/system_ram_reserved": 1}),
        ("file", {"s1: server/system_ram_reserved": 1, "s1: memory/total_mib": 128 * 1024}),
    ],
)
def test_a_reserve_that_suffices(layout: str, changes: dict[str, object]) -> None:
    assert advice(put(site(layout), changes)) == []


def test_a_server_with_another_class_of_scm() -> None:
    tier = {"class": "dcpm", "scm_mount": "/mnt/pmem0", "scm_list": ["/dev/pmem0"]}
    document = put(site(servers=3), {"s2: engines/0/storage/0": tier})
    assert ("s2", "engines[0].storage[0].class", "dcpm") in [
        (problem.host, problem.key, problem.value) for problem in advice(document)
    ]


def test_one_replica_of_three_servers() -> None:
    (problem,) = advice(site(servers=3))
    assert problem.key == "daos.mgmt_svc_replicas"
    assert advice(site(servers=2)) == []


def test_engines_with_differing_numbers_of_ssds() -> None:
    document = put(site(engines=2), {"s1: engines/1/storage/1/bdev_list": ["0000:e3:00.0"]})
    (problem,) = advice(document)
    assert (problem.key, problem.value) == ("engines[1].storage", "1 SSDs")
