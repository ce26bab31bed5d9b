"""Descriptions of clusters to test with."""

from __future__ import annotations

import copy
from typing import Any

from assay.cluster import Cluster
from assay.preflight import examine

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
    cluster, findings = examine(document)
    assert cluster is not None, [str(finding) for finding in findings]
    return cluster
