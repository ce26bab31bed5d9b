"""The checks that a DAOS system that is found leaves out, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.entry import Check
from assay.checks.plan import CHECKS, features, requirements
from assay.cluster.description import Cluster

_WITHOUT_DAOS = "ram_tier"
"""A feature of clusters without DAOS alone."""

_BY_PHASE = "it needs the engines of the clients' hosts stopped, which a user may not"

_REASONS: Mapping[str, str] = {
    "server": "it needs the engines stopped, and their hosts, which a user may not use",
    "failure": "it takes a part of the system away, which only an administrator may",
    "ior_by_rank": "it makes a pool on each rank, which only an administrator may",
    "daos": "it needs the configuration of engines and agents, which only an administrator has",
    "fabric": "it needs two clients, or one that is its own peer",
    "client": "there is no client",
    "disk": "no scratch directory is described: hosts.*.scratch",
    "fi_pingpong": "benchmarks.fi_pingpong is not set",
    "fio": "benchmarks.fio is not set",
    "fdb_hammer": "benchmarks.fdb_hammer is not set",
    "page_cache": "it fills the memory of the nodes, which needs slurm.exclusive",
    "daos_perf": "it needs a pool in which nobody else makes containers: daos.perf_pool",
    "fdb_daos": "benchmarks.fdb_hammer_daos is not set",
    "shared_fdb_daos": "benchmarks.fdb_hammer_daos is not set",
    "ior": "benchmarks.ior is not set, or has no DFS in benchmarks.ior_apis",
    "mdtest": "benchmarks.mdtest is not set, or has no DFS in benchmarks.ior_apis",
    **dict.fromkeys(
        ("io500_place", "io500_path"),
        "no share of the pool limits the files of all its phases together; a shared directory may"
        " have them: benchmarks.shared_directory",
    ),
    "io500": "benchmarks.io500 is not set",
    "interference": "no share of the pool limits the files of two loads together",
    "fio_dfs": "benchmarks.fio_dfs is not set: a fio with the engine dfs",
    "mount": "no dfuse mount of the container is described: daos.mount",
}
"""Why a feature is lacking; of several the first counts."""


def untested(cluster: Cluster) -> list[tuple[str, str]]:
    """The names of checks that are not required of a system that is found, and why not."""
    if cluster.daos is None or cluster.daos.found is None:
        return []
    required = {each.check for each in requirements(cluster)}
    names: dict[str, list[str]] = {}
    for check in CHECKS.values():
        if check.name not in required and _WITHOUT_DAOS not in check.needs:
            names.setdefault(_reason(cluster, check), []).append(check.name)
    return [(", ".join(checks), why) for why, checks in names.items()]


def not_tested(cluster: Cluster) -> list[str]:
    """The same in sentences."""
    return [f"not tested: {names}: {why}" for names, why in untested(cluster)]


def _reason(cluster: Cluster, check: Check) -> str:
    present = features(cluster, "clients")
    if check.phase not in present and "server" not in check.needs:
        return _BY_PHASE
    lacking = set(check.needs) - present
    return next((why for need, why in _REASONS.items() if need in lacking), "nothing to measure")
