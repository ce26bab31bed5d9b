"""What is required of this cluster, derived from its description alone, before anything runs.

Each benchmark has its checks in a module of its own; the catalogue `CHECKS` lists them. ReFrame's
partitions (`reframe-checks/settings.py`) and the plan use the same `features`, so ReFrame can run
exactly what the sign-off requires.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from assay.checks.backends import container
from assay.checks.benchmarks import (
    agent_loss,
    daos_perf,
    drain,
    extend,
    fdb_hammer,
    fi_pingpong,
    fio,
    interfaces,
    interference,
    io500,
    ior,
    ior_by_rank,
    loss_load,
    mdtest,
    net_test,
    nvme_perf,
    page_cache,
    placement,
    rank_loss,
    self_test,
    service_loss,
    target_loss,
    vos_perf,
)
from assay.checks.entry import (
    LAYERS,
    PHASES,
    CaseKey,
    CatalogueError,
    Check,
    Layer,
    Metric,
    Phase,
    Requirement,
)
from assay.checks.pairs import each_rail
from assay.checks.subjects import (
    each_disk,
    each_engine_pair,
    each_ior_backend,
    each_mdtest_backend,
    each_mount_backend,
    each_ram_engine,
    each_ssd,
    each_unflushed_engine,
)
from assay.cluster.description import PARTITIONS, Cluster, Partition
from assay.cluster.once import once
from assay.subject import Subject
from assay.tools.net_test import RELEASES as WITH_NET_TEST

__all__ = [
    "CHECKS",
    "LAYERS",
    "PHASES",
    "CaseKey",
    "Check",
    "Layer",
    "Metric",
    "Phase",
    "Plan",
    "Requirement",
    "crosses_daos",
    "features",
    "requirements",
]

_Feature = Callable[[Cluster, Partition], object]


def _benchmark(name: str) -> _Feature:
    """Whether the description has the path of a benchmark."""
    return lambda cluster, _: getattr(cluster.benchmarks, name) is not None


def _in_daos(present: _Feature) -> _Feature:
    """What a cluster without DAOS lacks."""
    return lambda cluster, on: cluster.daos is not None and present(cluster, on)


def _deployed(present: _Feature) -> _Feature:
    """What a DAOS that is found lacks, too: its engines are not described."""
    return lambda cluster, on: (
        cluster.daos is not None and not cluster.daos.found and present(cluster, on)
    )


def _stopped(cluster: Cluster, _: Partition) -> bool:
    """Whether engines can be stopped; those of a system that is found disturb their hosts alone."""
    return cluster.daos is None or not cluster.daos.found or not cluster.colocated


def _wired(cluster: Cluster, on: Partition) -> bool:
    """Whether the network of a partition is measured: once, if the servers are also clients.

    Slurm starts the processes of both ends together.
    """
    return on == "clients" or (
        cluster.servers_scheduler == "slurm" and not set(cluster.servers) <= set(cluster.clients)
    )


FEATURES: Mapping[str, _Feature] = {
    "client": lambda _, on: on == "clients",
    "server": lambda _, on: on == "servers",
    # Phases.
    "raw": _stopped,
    "scm": _stopped,
    "system": lambda *_: True,
    "failure": lambda cluster, _: (
        cluster.daos is not None and cluster.daos.failure and not cluster.daos.found
    ),
    # Hosts and benchmarks.
    "fabric": _wired,
    "disk": each_disk,
    "fio": _benchmark("fio"),
    "fi_pingpong": _benchmark("fi_pingpong"),
    "fdb_hammer": _benchmark("fdb_hammer"),
    "io500": _benchmark("io500"),
    "io500_place": io500.each_place_of_phases,
    "io500_path": io500.each_place_of_program,
    "ior": lambda cluster, on: cluster.benchmarks.ior and each_ior_backend(cluster, on),
    "mdtest": lambda cluster, on: cluster.benchmarks.mdtest and each_mdtest_backend(cluster, on),
    "page_cache": page_cache.each_cached_backend,
    # Only DAOS uses its tmpfs.
    "ram_tier": lambda cluster, on: cluster.daos is None and each_ram_engine(cluster, on),
    # DAOS.
    "mount": _in_daos(each_mount_backend),
    "fio_dfs": _in_daos(lambda cluster, _: cluster.benchmarks.fio_dfs and container(cluster)),
    "fdb_daos": _in_daos(fdb_hammer.each_number_of_containers),
    "shared_fdb_daos": _in_daos(fdb_hammer.each_number_of_shared_containers),
    "daos_perf": lambda cluster, _: cluster.daos and cluster.daos.perf_pool,
    # DAOS and its engines.
    "daos": _deployed(lambda *_: True),
    "engine_pairs": _in_daos(each_engine_pair),
    "rails": _in_daos(each_rail),
    "no_flush": _in_daos(each_unflushed_engine),
    "nvme": _in_daos(each_ssd),
    "net_test": _deployed(
        lambda cluster, _: cluster.daos and cluster.daos.version in WITH_NET_TEST
    ),
    # A share of somebody's pool would have to hold the files of two loads together.
    "interference": _deployed(interference.each_place),
    "survives_loss": _deployed(lambda cluster, _: loss_load.is_possible(cluster)),
    "ior_by_rank": _deployed(
        lambda cluster, on: ior_by_rank.is_possible(cluster) and ior_by_rank.each_rank(cluster, on)
    ),
}
"""What a partition may have, and when it has it; checks require these by name."""


@once
def features(cluster: Cluster, partition: Partition) -> frozenset[str]:
    """The features of a partition."""
    if not cluster.members(partition):
        return frozenset()
    return frozenset(
        name for name, is_present in FEATURES.items() if is_present(cluster, partition)
    )


def catalogue(checks: Iterable[Check]) -> Mapping[str, Check]:
    """The checks by name.

    Raises:
        CatalogueError: two have one name, or one needs a feature that no partition can have.
    """
    by_name: dict[str, Check] = {}
    for check in checks:
        if check.name in by_name:
            raise CatalogueError(check.name, "name", check.name, "that of one check")
        for feature in check.needs:
            if feature not in FEATURES:
                known = f"one of {', '.join(FEATURES)}"
                raise CatalogueError(check.name, "needs", feature, known)
        by_name[check.name] = check
    return by_name


CHECKS = catalogue(
    (
        # network
        fi_pingpong.FI_PINGPONG,
        self_test.CLIENT_SERVER,
        self_test.BY_RAIL,
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
        interference.INTERFERENCE,
        drain.DRAIN,
        extend.EXTEND,
        agent_loss.AGENT_LOSS,
        target_loss.TARGET_LOSS,
        rank_loss.RANK_LOSS,
        service_loss.SERVICE_LOSS,
        # metadata
        mdtest.EASY,
        mdtest.HARD,
        mdtest.HARD_2,
    )
)
"""Every check, by the name of its class in `reframe-checks/`, from the lowest layer up."""


class Plan(tuple[Requirement, ...]):
    """Every metric required of a cluster, from the lowest layer up.

    It is made once and passed on: a large cluster requires some hundred thousand metrics.
    """

    @cached_property
    def cases(self) -> Mapping[CaseKey, tuple[Requirement, ...]]:
        """The metrics of each check on each partition."""
        cases: dict[CaseKey, list[Requirement]] = {}
        for each in self:
            cases.setdefault(each.case, []).append(each)
        return {case: tuple(required) for case, required in cases.items()}

    def subjects(self, case: CaseKey) -> tuple[Subject, ...]:
        """The subjects of a check on a partition; empty if the plan does not have it."""
        return tuple(dict.fromkeys(each.subject for each in self.cases.get(case, ())))


def is_required(cluster: Cluster, check: Check, partition: Partition) -> bool:
    """Whether a partition has what a check needs."""
    return features(cluster, partition).issuperset(check.features)


def crosses_daos(required: Requirement) -> bool:
    """Whether a figure is one of users of DAOS: neither of a local disk nor of a shared directory.

    What runs while the engines are stopped does not use them.
    """
    is_users = required.layer == "endtoend" and CHECKS[required.check].phase == "system"
    return is_users and required.subject.backend != "posix"


def requirements(cluster: Cluster, scale: str = "") -> Plan:
    """The plan of a cluster.

    Args:
        cluster: the cluster.
        scale: the scale of a campaign, which leaves out checks that do not have it. Without it, or
            if a campaign has none or several, no check is left out.
    """
    return Plan(
        Requirement(check.name, check.layer, partition, metric, subject)
        for check in CHECKS.values()
        if check.has(scale)
        for partition in PARTITIONS
        if is_required(cluster, check, partition)
        for subject in check.subjects(cluster, partition)
        for metric in check.metrics
    )
