"""What the checks ask of DAOS at once: processes, operations of each, bytes of each file.

The checks take their figures from here, so that a bound is of what was run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.cluster.description import Cluster
from assay.tools.io500 import HARD_FILE_BYTES

RANKS: Mapping[str, int] = {"quick": 2, "acceptance": 32}
"""Most ranks of an MPI program on each client, by scale; fewer where it has fewer cores (this
project's own choice; DAOS's own runs of IO500 have 32)."""

FIO_PROCESSES: Mapping[str, int] = {"quick": 2, "acceptance": 16}
"""Processes of fio on each client of DAOS, by scale."""

FDB_DAOS_PROCESSES: Mapping[str, int] = {"quick": 10, "acceptance": 200}
"""Most processes of fdb-hammer on all clients of DAOS together, by scale. From 200 on, to open one
container from all of them was seen to be slow (Jackson and Manubens, DUG'23)."""

DEPTH: Mapping[str, int] = {"FioDfs": 16, "FioDfuse": 1, "DaosPerf": 16}
"""Operations that each process has under way at once; of mdtest it is one."""

FILE_BYTES: Mapping[str, int] = {
    "MdtestEasy": 0,
    "MdtestHard": HARD_FILE_BYTES,
    "MdtestHard2": 2 * HARD_FILE_BYTES,
}
"""Bytes of each file that mdtest makes."""


def ranks_per_node(cluster: Cluster, clients: Sequence[str], scale: str) -> int:
    """Ranks of an MPI program on each of some clients, which all have the same number of them."""
    cores = min(cluster.hosts[name].cores for name in clients)
    return min(_of_scale(RANKS, scale), cores)


def fdb_daos_processes(cluster: Cluster, containers: int, scale: str) -> int:
    """Processes of fdb-hammer on all clients of DAOS together, at most one a core.

    They share the containers, or each has as many of them to itself as any other.
    """
    cores = min(cluster.hosts[name].cores for name in cluster.clients) * len(cluster.clients)
    most = min(_of_scale(FDB_DAOS_PROCESSES, scale), cores)
    if containers <= most:
        return most
    return max(count for count in range(1, most + 1) if containers % count == 0)


def under_way(cluster: Cluster, check: str, clients: int, scale: str) -> int:
    """Operations that a check has under way at once on so many clients."""
    if check.startswith("Fio"):
        processes = _of_scale(FIO_PROCESSES, scale)
    else:
        processes = ranks_per_node(cluster, cluster.clients, scale)
    return processes * DEPTH.get(check, 1) * clients


def _of_scale(figures: Mapping[str, int], scale: str) -> int:
    """The figure of a scale; the greatest where a campaign has no scale, or more than one."""
    return figures.get(scale, max(figures.values()))
