"""What is required of this cluster, derived from its description alone, before anything runs.

Each benchmark has its checks in a module of its own; the catalogue `CHECKS` lists them. ReFrame's
partitions (`reframe-checks/settings.py`) and the plan use the same `features`, so ReFrame can run
exactly what the sign-off requires.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.backends import container
from assay.checks.benchmarks import (
    daos_perf,
    fdb_hammer,
    fi_pingpong,
    fio,
    interfaces,
    io500,
    ior,
    ior_by_rank,
    mdtest,
    net_test,
    nvme_perf,
    page_cache,
    placement,
    self_test,
    vos_perf,
)
from assay.checks.entry import LAYERS, PHASES, Check, Layer, Metric, Phase, Requirement
from assay.checks.subjects import (
    each_disk,
    each_engine_pair,
    each_ior_backend,
    each_mdtest_backend,
    each_mount_backend,
    each_ram_engine,
    each_scm_engine,
    each_ssd,
    each_unflushed_engine,
)
from assay.cluster.description import PARTITIONS, Cluster, Partition
from assay.cluster.once import once
from assay.tools.net_test import RELEASES as WITH_NET_TEST

__all__ = [
    "CHECKS",
    "LAYERS",
    "PHASES",
    "Check",
    "Layer",
    "Metric",
    "Phase",
    "Requirement",
    "features",
    "requirements",
]

CHECKS: Mapping[str, Check] = {
    check.name: check
    for check in (
        # network
        fi_pingpong.FI_PINGPONG,
        self_test.CLIENT_SERVER,
        self_test.CROSS_SERVER,
        net_test.NET_TEST,
        # scm
        fio.TMPFS,
        vos_perf.RATE,
        vos_perf.BANDWIDTH,
        vos_perf.RATE_NO_FLUSH,
        vos_perf.BANDWIDTH_NO_FLUSH,
        # ssd
        fio.DISK,
        nvme_perf.BANDWIDTH,
        nvme_perf.IOPS,
        # client
        placement.PLACEMENT,
        interfaces.INTERFACES,
        page_cache.PAGE_CACHE,
        # endtoend
        fio.POSIX,
        fdb_hammer.POSIX,
        fdb_hammer.POSIX_SEPARATE,
        daos_perf.DAOS_PERF,
        ior_by_rank.IOR_BY_RANK,
        fdb_hammer.DAOS,
        fdb_hammer.DAOS_SEPARATE,
        ior.EASY,
        ior.HARD,
        fio.DFS,
        fio.DFUSE,
        io500.PHASES,
        io500.PROGRAM,
        # metadata
        mdtest.EASY,
        mdtest.HARD,
        mdtest.HARD_2,
    )
}
"""Every check, by the name of its class in `reframe-checks/`, from the lowest layer up."""


@once
def features(cluster: Cluster, partition: Partition) -> frozenset[str]:
    """The features of a partition, which checks require by name."""
    if not cluster.members(partition):
        return frozenset()
    present = {"client" if partition == "clients" else "server"}
    tools = ("fio", "fi_pingpong", "fdb_hammer", "io500")
    present.update(tool for tool in tools if getattr(cluster.benchmarks, tool) is not None)
    if cluster.benchmarks.ior and each_ior_backend(cluster, partition):
        present.add("ior")
    if page_cache.each_cached_backend(cluster, partition):
        present.add("page_cache")
    if cluster.benchmarks.mdtest and each_mdtest_backend(cluster, partition):
        present.add("mdtest")
    if io500.each_place_of_phases(cluster, partition):
        present.add("io500_place")
    if io500.each_place_of_program(cluster, partition):
        present.add("io500_path")
    # Only DAOS uses its tmpfs.
    if cluster.daos is None and each_ram_engine(cluster, partition):
        present.add("ram_tier")
    if each_disk(cluster, partition):
        present.add("disk")
    # If the servers are also clients, their network is measured only once. Slurm starts the
    # processes of both ends together.
    apart = cluster.servers_scheduler == "slurm" and not set(cluster.servers) <= set(
        cluster.clients
    )
    if partition == "clients" or apart:
        present.add("fabric")
    return frozenset(present | _daos_features(cluster, partition) | _phases(cluster))


def _phases(cluster: Cluster) -> set[str]:
    """The phases that can be reached: nobody else may stop the engines of a system that is found.

    They disturb what is measured on their own hosts alone.
    """
    found = cluster.daos is not None and cluster.daos.found is not None
    return {"system"} if found and cluster.colocated else {*PHASES}


def _daos_features(cluster: Cluster, partition: Partition) -> set[str]:
    """The features of the DAOS system for a partition.

    Checks of its engines need `daos`, which a system that is found lacks: they are not described.
    """
    if cluster.daos is None:
        return set()
    kinds = {
        "engine_pairs": each_engine_pair,
        "mount": each_mount_backend,
        "scm": each_scm_engine,
        "no_flush": each_unflushed_engine,
        "nvme": each_ssd,
        "fdb_daos": fdb_hammer.each_number_of_containers,
        "shared_fdb_daos": fdb_hammer.each_number_of_shared_containers,
    }
    present = {kind for kind, each in kinds.items() if each(cluster, partition)}
    if cluster.benchmarks.fio_dfs and container(cluster):
        present.add("fio_dfs")
    if cluster.daos.perf_pool:
        present.add("daos_perf")
    if cluster.daos.found:
        return present
    if cluster.daos.version in WITH_NET_TEST:
        present.add("net_test")
    if ior_by_rank.is_possible(cluster) and ior_by_rank.each_rank(cluster, partition):
        present.add("ior_by_rank")
    return present | {"daos"}


def requirements(cluster: Cluster, scale: str = "") -> tuple[Requirement, ...]:
    """Every metric required of the cluster, from the lowest layer up.

    Args:
        cluster: the cluster.
        scale: the scale of a campaign, which leaves out checks that do not have it. Without it, or
            if a campaign has none or several, no check is left out.
    """
    return tuple(
        Requirement(check.name, check.layer, partition, metric, subject)
        for check in CHECKS.values()
        if check.has(scale)
        for partition in PARTITIONS
        if features(cluster, partition).issuperset(check.features)
        for subject in check.subjects(cluster, partition)
        for metric in check.metrics
    )
