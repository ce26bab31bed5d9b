"""How a client's page cache distorts figures: IOR, with one more option against it at a time.

No figure of this ladder is judged: each says whether it can be trusted, and why (after the tutorial
in IOR's documentation).
"""

from __future__ import annotations

from assay.checks.backends import ior_backends
from assay.checks.bounds.devices import MEBIBYTE, Direction
from assay.checks.entry import Check, Metric
from assay.checks.figures import Unrated
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject


def each_cached_backend(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """All hosts together, by each backend that goes through the kernel of hosts without engines.

    Occupying a host's memory would take it from its engines.
    """
    system = cluster.daos
    if system is not None and set(system.servers) & set(cluster.members(partition)):
        return ()
    return tuple(
        Subject(partition, backend=backend.name)
        for backend in ior_backends(cluster)
        if backend.name in ("posix", "dfuse")
    )


def _metric(rung: str, direction: Direction, believed: str) -> Metric:
    rule = Unrated(believed)
    return Metric(f"{rung}_{direction}", "MiB/s", rule, direction=direction, transfer=MEBIBYTE)


_UNSYNCED = "not credible: what was written may still be in the client's memory"
_OWN_CACHE = "not credible: a process reads what its own client still has in memory"
_OTHERS = "read by another client than wrote it; credible with two clients or more"
_SYNCED = "credible: its time includes fsync"

PAGE_CACHE = Check(
    "PageCacheHonesty",
    "client",
    "system",
    ("client", "ior", "page_cache"),
    each_cached_backend,
    (
        _metric("naive", "write", _UNSYNCED),
        _metric("naive", "read", _OWN_CACHE),
        _metric("files", "write", _UNSYNCED),
        _metric("files", "read", _OWN_CACHE),
        _metric("shifted", "write", _UNSYNCED),
        _metric("shifted", "read", _OTHERS),
        _metric("synced", "write", _SYNCED),
        _metric("synced", "read", _OTHERS),
        _metric("squeezed", "write", _SYNCED),
        _metric(
            "squeezed",
            "read",
            "credible as far as the files are larger than the memory that is left",
        ),
        _metric("direct", "write", _SYNCED),
        _metric(
            "direct",
            "read",
            "credible: past the page cache (O_DIRECT), but few programs read like this",
        ),
    ),
)
