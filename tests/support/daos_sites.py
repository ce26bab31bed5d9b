"""Sites with DAOS, and round trips that were measured there."""

from __future__ import annotations

from typing import Any

from assay.checks.expect import Measured
from assay.checks.plan import CHECKS, Requirement
from assay.cluster.description import Cluster
from assay.subject import Subject
from clusters import described
from sites import put, site

GBIT_IN_MIB = 1e9 / 8 / 2**20


def wired_site(servers: int = 1, **changes: Any) -> Cluster:
    """Two clients with one interface of 200 Gbit/s each, and servers with two engines each."""
    document = site(servers=servers, engines=2, clients=2)
    document["benchmarks"] = {
        **{name: f"/opt/{name}" for name in ("fio", "fio_dfs", "ior", "mdtest")},
        "io500": "/opt/io500",
        "fdb_hammer_daos": "/opt/fdb/bin/fdb-hammer",
        "fdb_share": "/opt/fdb/share",
        "ior_apis": ["DFS"],
        "shared_directory": "/share",
    }
    document["daos"] |= {"pool": "tank", "container": "posix", "mount": "/mnt/dfuse"}
    document["daos"]["perf_pool"] = "perf"
    return described(put(document, changes))


def tripped(least: float, scale: str = "") -> Measured:
    """Round trips to two engines, of which the shortest takes so many microseconds."""
    check = CHECKS["SelfTestClientServer"]
    (trip,) = (metric for metric in check.metrics if metric.name == "latency_empty")
    far, near = (
        Requirement(check.name, check.layer, "clients", trip, Subject("s1", engine=number))
        for number in (0, 1)
    )
    return Measured({near: [least * 1.2, least, least * 1.1], far: [least * 2] * 3}, scale)


def with_servers_as_clients(*clients: str) -> Cluster:
    """A server with two engines, and clients of which it is one."""
    document = site(servers=1, engines=2, clients=2)
    tools = {name: f"/opt/{name}" for name in ("mdtest", "ior", "fio_dfs")}
    document["benchmarks"] = {**tools, "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix", "agents": list(clients)}
    return described(document | {"clients": list(clients), "colocated": True})
