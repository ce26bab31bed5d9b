"""A cluster with a DAOS that the site runs, as `assay describe` writes it."""

from __future__ import annotations

from typing import Any

from clusters import description


def found_description(**daos: Any) -> dict[str, Any]:
    """Two clients c1 and c2, the pool `guests`, and the container `mine`, with IOR, mdtest and fio.

    Args:
        daos: keys of the system, beside those below; `found` has those of that key.
    """
    document = description(clients=2, servers=0)
    seen = {"ranks": 2, "targets": 2} | daos.pop("found", {})
    document["slurm"] = {"partitions": {"clients": "batch"}, "exclusive": False}
    document["benchmarks"] |= {
        "ior": "/opt/ior",
        "mdtest": "/opt/mdtest",
        "fio_dfs": "/opt/fio",
        "ior_apis": ["DFS"],
    }
    document["daos"] = {
        "name": "daos_server",
        "version": "2.8",
        "servers": [],
        "mgmt_svc_replicas": [],
        "agents": ["c1", "c2"],
        "admin": "login",
        "pool": "guests",
        "container": "mine",
        "found": seen,
        **daos,
    }
    return document
