"""What this cluster owes: every metric, worked out from the cluster alone, before anything runs.

The catalogue `CHECKS` says what each check measures and what a partition must have for it; each
layer has its part of it in a module of its own. The same `features` make ReFrame's partitions
(`reframe-checks/settings.py`) and the plan, so what ReFrame can run and what the sign-off asks for
cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.checks.backends import container
from assay.checks.entries.client import CLIENT
from assay.checks.entries.endtoend import ENDTOEND
from assay.checks.entries.metadata import METADATA
from assay.checks.entries.network import NETWORK
from assay.checks.entries.scm import SCM
from assay.checks.entries.ssd import SSD
from assay.checks.entry import LAYERS, PHASES, Check, Layer, Metric, Phase
from assay.checks.subjects import (
    each_cached_backend,
    each_disk,
    each_engine_pair,
    each_fdb_daos,
    each_io500_backend,
    each_ior_backend,
    each_mdtest_backend,
    each_mount_backend,
    each_ram_engine,
    each_scm_engine,
    each_shared_fdb_daos,
    each_ssd,
    each_unflushed_engine,
)
from assay.cluster.description import PARTITIONS, Cluster, Partition
from assay.subject import Subject

__all__ = [
    "CHECKS",
    "LAYERS",
    "PHASES",
    "Check",
    "Layer",
    "Metric",
    "Owed",
    "Phase",
    "features",
    "owed",
]

CHECKS: Mapping[str, Check] = {
    check.name: check for check in (*NETWORK, *SCM, *SSD, *CLIENT, *ENDTOEND, *METADATA)
}
"""Every check, by the name of its class in `reframe-checks/`, from the lowest layer up."""


@dataclass(frozen=True, slots=True)
class Owed:
    """One metric of one subject that this cluster must show."""

    check: str
    layer: Layer
    partition: Partition
    metric: Metric
    subject: Subject

    @property
    def key(self) -> str:
        """Its name in reports: ``SsdFio.read_1m on n1``."""
        return f"{self.check}.{self.metric.name} on {self.subject}"

    @property
    def host(self) -> str:
        """The host that the subject is on (the first, of a pair)."""
        return self.subject.host


def features(cluster: Cluster, partition: Partition) -> frozenset[str]:
    """What a partition has, in words that checks ask for."""
    found = {"client" if partition == "clients" else "server"}
    tools = ("fio", "fi_pingpong", "fdb_hammer")
    found.update(tool for tool in tools if getattr(cluster.benchmarks, tool) is not None)
    if cluster.benchmarks.ior and each_ior_backend(cluster, partition):
        found.add("ior")
    if each_cached_backend(cluster, partition):
        found.add("page_cache")
    if cluster.benchmarks.mdtest and each_mdtest_backend(cluster, partition):
        found.add("mdtest")
    if cluster.benchmarks.io500 and each_io500_backend(cluster, partition):
        found.add("io500")
    # DAOS has its tmpfs to itself.
    if cluster.daos is None and each_ram_engine(cluster, partition):
        found.add("ram_tier")
    if each_disk(cluster, partition):
        found.add("disk")
    # Where the servers are among the clients, their network is measured once; Slurm starts the
    # processes of both ends together.
    apart = cluster.servers_scheduler == "slurm" and not set(cluster.servers) <= set(
        cluster.clients
    )
    if partition == "clients" or apart:
        found.add("fabric")
    return frozenset(found | _daos_features(cluster, partition))


def _daos_features(cluster: Cluster, partition: Partition) -> set[str]:
    """What the DAOS system has, as seen from a partition."""
    if cluster.daos is None:
        return set()
    kinds = {
        "engine_pairs": each_engine_pair,
        "mount": each_mount_backend,
        "scm": each_scm_engine,
        "no_flush": each_unflushed_engine,
        "nvme": each_ssd,
        "fdb_daos": each_fdb_daos,
        "shared_fdb_daos": each_shared_fdb_daos,
    }
    found = {kind for kind, each in kinds.items() if each(cluster, partition)}
    if cluster.benchmarks.fio_dfs and container(cluster):
        found.add("fio_dfs")
    if cluster.daos.perf_pool:
        found.add("daos_perf")
    if cluster.daos.version == "2.8":
        found.add("net_test")
    return found | {"daos"}


def owed(cluster: Cluster) -> tuple[Owed, ...]:
    """Every metric that the cluster owes, from the lowest layer up."""
    return tuple(
        Owed(check.name, check.layer, partition, metric, subject)
        for check in CHECKS.values()
        for partition in PARTITIONS
        if features(cluster, partition).issuperset(check.needs)
        for subject in check.subjects(cluster, partition)
        for metric in check.metrics
    )
