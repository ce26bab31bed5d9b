"""The systems that survive the loss of a rank, and the load and the pool of what tries it.

The load is fio's on all clients, in a pool of the check's own whose data survives the loss of one
rank.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice

from assay.checks.entry import Run, Scales
from assay.checks.load import of_scale
from assay.checks.subjects import each_engine, each_host
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.daos import recovery

LABEL = "assay-failure"
"""The label of their pool."""

CONTAINER = "load"

OCLASS = "RP_2GX"
"""Two copies of each object, over all targets."""

LEAST_RANKS = 3
"""Engines of a system in which two copies have places again after the loss of one."""

LEAST_SERVERS = 2
"""Servers of a system in which two copies are in different fault domains, as DAOS requires."""

LEAST_TARGETS = 2
"""Targets of each engine: with one, DAOS 2.8 aborts clients that create objects of class RP_2GX
while a rank is excluded (`reserve_grp_by_rf` in its src/object/obj_class.c; seen)."""

PROCESSES: Mapping[str, int] = {"quick": 2, "acceptance": 8}
"""Processes of fio on each client, which each read one file and write another."""

FILES = 2
"""Files of each process."""

ROOM = 12
"""The size of the pool in multiples of the files: two copies of what was written before the loss,
of what is written after it and of what the loads overwrite, none of which DAOS aggregates while it
rebuilds, on fewer targets that fill unevenly (own choice: with 8, clients had no space left on a
DAOS 2.8 that took a target back)."""

LEAST_ROOM_MIB = 2048
"""The smallest size of the pool: each target needs some for itself (own choice)."""

LOST, BACK = "lost", "back"
"""The steps under load: while a part is lost, and while it comes back; the number of the loss
follows, as it does after the others."""

SCALES: Scales = {
    "quick": {"repetitions": 1, "window_s": 20, "file_mib": 32},
    "acceptance": {"repetitions": 3, "window_s": 60, "file_mib": 1024},
}
"""`window_s`: seconds of load before the loss, and after each recovery; `file_mib`: of each of the
two files of a process (own choices)."""


def is_possible(cluster: Cluster) -> bool:
    """Whether both consents were given, and the system survives the loss of a rank."""
    daos = cluster.daos
    return (
        daos is not None
        and daos.failure
        and daos.version in recovery.RELEASES
        and cluster.benchmarks.fio_dfs is not None
        and not unable(cluster)
    )


def unable(cluster: Cluster) -> str:
    """Why the system would not survive the loss of a rank; empty if it would."""
    engines = each_engine(cluster, "servers")
    if len(engines) < LEAST_RANKS:
        return f"it has {len(engines)} engines, and {LEAST_RANKS} are needed"
    if len({each.host for each in engines}) < LEAST_SERVERS:
        return "all of its engines are in one server, which is one fault domain"
    if min(cluster.engine(each).targets for each in engines) < LEAST_TARGETS:
        return f"an engine has fewer than {LEAST_TARGETS} targets"
    return ""


def the_last_engine(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The engine that loses something: the last one, whose server rarely leads the system."""
    return each_engine(cluster, partition)[-1:]


def the_last_client(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The client that loses its agent: the last one, since jobs begin on the first."""
    return each_host(cluster, partition)[-1:]


def all_servers(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The servers together, where nobody knows which of their engines it will be."""
    del cluster, partition
    return (Subject("servers"),)


def the_last_to_spare(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The last engine without which the others are still in two fault domains."""
    engines = each_engine(cluster, partition)
    spare = (
        each
        for each in reversed(engines)
        if len({other.host for other in engines if other != each}) >= LEAST_SERVERS
    )
    return tuple(islice(spare, 1))


def processes(run: Run) -> int:
    """The processes of fio on each client."""
    return of_scale(PROCESSES, run.scale)


def written_mib(run: Run) -> int:
    """MiB of all files of all clients."""
    return len(run.hosts) * processes(run) * FILES * run.sizes["file_mib"]


def pools_at_risk(labels: Collection[str], described: Collection[str], check: str) -> list[str]:
    """Pools that a check would harm, in sentences.

    Args:
        labels: those of all pools of the system.
        described: those of the inventory.
        check: its name.
    """
    if LABEL in labels:
        return [f"the system has a pool {LABEL}, which {check} would destroy: rename or destroy it"]
    others = sorted({*labels} - {*described})
    if not others:
        return []
    return [
        f"the system has pools of others ({', '.join(others)}), which would lose redundancy or"
        " data: checks of the phase failure are for a system that has none but those of"
        " daos_system_pools"
    ]


def pool_mib(run: Run) -> int:
    """MiB of the pool, on all ranks together."""
    return max(LEAST_ROOM_MIB, ROOM * written_mib(run))


def writings(number: int) -> tuple[int, int]:
    """The numbers of the two writings of a loss: before it, and while the rank is away."""
    return 2 * number - 1, 2 * number
