"""What a campaign on a site of others writes, for a user to know before it does."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.checks.benchmarks import fio
from assay.checks.entry import SCALES, Check
from assay.checks.plan import CHECKS, requirements
from assay.cluster.daos import System
from assay.cluster.description import Cluster

_ON_DISKS: Collection[Check] = (fio.DISK, fio.POSIX)
"""The checks that fill a scratch directory."""


def writes(cluster: Cluster) -> list[str]:
    """What is written where, in sentences; empty where the roles deployed the cluster."""
    return list(_sentences(cluster)) if cluster.slurm is not None else []


def _sentences(cluster: Cluster) -> Iterator[str]:
    metrics = requirements(cluster)
    required = {CHECKS[each.check] for each in metrics}
    if on_disks := required.intersection(_ON_DISKS):
        largest = _of_scales(on_disks, "file_mib")
        yield f"writes to each scratch directory, and removes: {largest}"
    together = {CHECKS[each.check] for each in metrics if each.subject.backend == "posix"}
    if cluster.benchmarks.shared_directory and together:
        asked = _of_scales(together, "scratch_mib")
        yield (
            f"writes to {cluster.benchmarks.shared_directory} as much as all clients can until a"
            f" deadline, and removes it; begins only with this room: {asked}"
        )
    if cluster.daos and cluster.daos.found:
        yield _into_pool(cluster.daos, cluster.daos.found.share, cluster.daos.found.free_mib)


def _of_scales(checks: Collection[Check], variable: str) -> str:
    """The largest value that any of some checks has, by scale."""
    parts = []
    for scale in SCALES:
        sizes = [check.scales.get(scale, {}).get(variable, 0) for check in checks]
        parts.append(f"{max(sizes):,} MiB ({scale})")
    return ", ".join(parts)


def _into_pool(system: System, share: float, free_mib: int | None) -> str:
    assert system.found
    amount = f", {share * free_mib:,.0f} MiB when it was described" if free_mib is not None else ""
    if system.found.own_container:
        where = f"the container {system.container}, which each session makes and destroys"
    else:
        where = f"the container {system.container}, which stays; each check removes its own files"
    return (
        f"writes to the pool {system.pool} at most {share:.2g} of its free space at a time"
        f"{amount} (daos.found.share): into {where}"
    )
