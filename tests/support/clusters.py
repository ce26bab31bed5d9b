"""Descriptions of clusters to test with."""

from __future__ import annotations

import copy
from typing import Any

from assay.checks.plan import Requirement, requirements
from assay.cluster.description import Cluster
from assay.preflight.examine import examine

HOST: dict[str, Any] = {
    "address": "192.0.2.1",
    "cores": 4,
    "memory": {"total_mib": 16384},
    "numa_nodes": 1,
    "interface": "eth0",
    "interfaces": {"eth0": {"speed_gbits": 25.0}},
    "scratch": {"directory": "/scratch", "filesystem": "ext4", "device": "/dev/sda1"},
}
ENGINE: dict[str, Any] = {
    "targets": 2,
    "nr_xs_helpers": 1,
    "fabric_iface": "eth0",
    "storage": [{"class": "ram", "scm_mount": "/mnt/daos0", "scm_size": 4}],
}


def description(*, clients: int = 2, servers: int = 2) -> dict[str, Any]:
    """A cluster.json of some clients c1, c2 ... and servers s1, s2 ..., each with one engine."""
    names = {
        "clients": [f"c{number + 1}" for number in range(clients)],
        "servers": [f"s{number + 1}" for number in range(servers)],
    }
    hosts = {name: copy.deepcopy(HOST) for group in names.values() for name in group}
    for name in names["servers"]:
        hosts[name]["engines"] = [copy.deepcopy(ENGINE)]
    hosts["login"] = copy.deepcopy(HOST)
    return {
        "name": "proving-ground",
        "controller": "login",
        **names,
        "benchmarks": {
            "fio": "/usr/bin/fio",
            "fi_pingpong": "/usr/bin/fi_pingpong",
            "fdb_hammer": "/opt/assay/bin/fdb-hammer",
            "fdb_share": "/opt/assay/fdb/share",
        },
        "hosts": hosts,
    }


def described(document: dict[str, Any]) -> Cluster:
    """The cluster of a description that must be valid."""
    cluster, problems = examine(document)
    assert cluster is not None, [str(problem) for problem in problems]
    return cluster


SSD = "Intel D7-P5500 3.84TB"
PMEM = "Intel Optane PMem 200 128GB"

LAYOUTS: dict[str, list[tuple[list[str], int]]] = {
    "shared": [(["wal", "meta", "data"], 4)],
    "wal": [(["wal"], 1), (["meta", "data"], 3)],
    "wal-meta": [(["wal", "meta"], 1), (["data"], 3)],
}
"""The tier layouts of Hennecke's talk: roles, and how many SSDs have them."""


def system(
    layout: str | None = None,
    *,
    clients: int = 2,
    servers: int = 1,
    ssds: int = 4,
    nic_gbits: float = 200.0,
    memory: str | None = None,
) -> Cluster:
    """A DAOS system with PMem and some SSDs, or with MD-on-SSD in one of the layouts."""
    document = description(clients=clients, servers=servers)
    for name, host in document["hosts"].items():
        host["interfaces"] = {"eth0": {"speed_gbits": nic_gbits}}
        if name.startswith("s"):
            host["datasheets"] = {"ssd": SSD, "pmem": PMEM, "memory": memory}
            _put(host, layout, ssds)
    document["daos"] = {
        "name": "daos_server",
        "version": "2.8",
        "mgmt_svc_replicas": ["s1"],
        "servers": document["servers"],
        "admin": "login",
    }
    # What the rules say of it is their tests' matter.
    return Cluster.model_validate(document)


def find(cluster: Cluster, key: str) -> Requirement:
    """The metric of a key, such as ``SsdFio.read_1m on s1``, which the cluster owes."""
    return next(metric for metric in requirements(cluster) if metric.key == key)


def _put(host: dict[str, Any], layout: str | None, ssds: int) -> None:
    scm_tier: dict[str, Any] = {"class": "dcpm", "scm_mount": "/mnt/pmem0", "scm_list": ["/dev/p"]}
    tiers: list[tuple[list[str], int]] = [([], ssds)]
    if layout is not None:
        scm_tier = {"class": "ram", "scm_mount": "/mnt/dram0", "scm_size": 16}
        tiers = LAYOUTS[layout]
    host["engines"][0]["storage"] = [
        scm_tier,
        *(
            {
                "class": "nvme",
                "bdev_roles": roles,
                "bdev_list": [f"0000:{10 * t + n:02x}:00.0" for n in range(count)],
            }
            for t, (roles, count) in enumerate(tiers)
            if count
        ),
    ]
