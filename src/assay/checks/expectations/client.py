"""How clients should be set up, and what may be believed of their page cache."""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.figures import Expectation, Measured, Rule, nothing
from assay.checks.plan import Owed
from assay.cluster.description import Cluster


def _counted(metric: Owed, count: int, derivation: str) -> Expectation:
    exactly = float(count)
    return Expectation(metric.metric.unit, "count", exactly, exactly, exactly, derivation)


def _placement(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    cores = cluster.hosts[metric.host].cores
    return _counted(metric, cores, f"{cores} cores, one process bound to each")


def _interfaces(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    nodes = cluster.hosts[metric.host].numa_nodes
    return _counted(metric, nodes, f"{nodes} NUMA nodes, one process on each")


_UNSYNCED = "not to be believed: what was written need not have left the client's memory"
_OWN_CACHE = "not to be believed: a process reads what its own client still has in memory"
_OTHERS = "read on another client than wrote it; to be believed with two clients or more"
_SYNCED = "to be believed: its time includes fsync"
_HONESTY: Mapping[str, str] = {
    **{f"{rung}_write": _UNSYNCED for rung in ("naive", "files", "shifted")},
    **{f"{rung}_write": _SYNCED for rung in ("synced", "squeezed", "direct")},
    **{f"{rung}_read": _OWN_CACHE for rung in ("naive", "files")},
    **{f"{rung}_read": _OTHERS for rung in ("shifted", "synced")},
    "squeezed_read": "to be believed as far as the files are larger than the memory that is left",
    "direct_read": "to be believed: past the page cache (O_DIRECT), but as no usual program reads",
}
"""Which of the ladder's figures may be believed, and why (the tutorial in IOR's documentation)."""


def _honest(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    """A rung of the ladder, which is there to be believed or not."""
    del cluster
    return nothing(metric, _HONESTY[metric.metric.name])


CLIENT: Mapping[str, Rule] = {
    "ClientPlacement": _placement,
    "ClientInterfaces": _interfaces,
    "PageCacheHonesty": _honest,
}
