"""What this cluster owes: every metric, worked out from the cluster alone, before anything runs.

The catalogue `CHECKS` says what each check measures and what a partition must have for it. The
same `features` make ReFrame's partitions (`reframe-checks/settings.py`) and the plan, so what
ReFrame can run and what the sign-off asks for cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from assay.cluster import PARTITIONS, Cluster, Partition

Layer = Literal["network", "scm", "ssd", "client", "endtoend", "metadata"]
LAYERS: tuple[Layer, ...] = ("network", "scm", "ssd", "client", "endtoend", "metadata")
"""From the bottom up: what is measured later may be judged against what was measured before."""

Subjects = Callable[[Cluster, Partition], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Metric:
    """One named figure of a check."""

    name: str
    unit: str
    better: Literal["higher", "lower"] = "higher"


def each_host(cluster: Cluster, partition: Partition) -> tuple[str, ...]:
    """A figure for every host of the partition."""
    return cluster.members(partition)


def each_disk(cluster: Cluster, partition: Partition) -> tuple[str, ...]:
    """A figure for the scratch disk of every host; that of one in both partitions is a server's."""
    hosts = cluster.members(partition)
    if partition == "servers":
        return hosts
    return tuple(host for host in hosts if host not in cluster.servers)


def each_pair(cluster: Cluster, partition: Partition) -> tuple[str, ...]:
    """A figure for neighbours in a ring of the hosts, ``a>b``; one host alone is its own peer."""
    hosts = cluster.members(partition)
    if len(hosts) < 3:
        return (f"{hosts[0]}>{hosts[-1]}",)
    return tuple(f"{a}>{b}" for a, b in zip(hosts, hosts[1:] + hosts[:1], strict=True))


def each_ram_engine(cluster: Cluster, partition: Partition) -> tuple[str, ...]:
    """A figure for every engine with a `class: ram` tier, ``host/engine0``."""
    return tuple(
        f"{host}/engine{number}"
        for host in cluster.members(partition)
        for number, engine in enumerate(cluster.hosts[host].engines)
        if engine.ram_tier is not None
    )


def partition_as_one(cluster: Cluster, partition: Partition) -> tuple[str, ...]:
    """One figure for all hosts together."""
    del cluster
    return (partition,)


@dataclass(frozen=True, slots=True)
class Check:
    """One ReFrame check: where it is owed, and what."""

    name: str
    layer: Layer
    needs: tuple[str, ...]
    subjects: Subjects
    metrics: tuple[Metric, ...]


def _rates(unit: str, *names: str) -> tuple[Metric, ...]:
    return tuple(Metric(name, unit) for name in names)


CHECKS: Mapping[str, Check] = {
    check.name: check
    for check in (
        Check(
            "FiPingpong",
            "network",
            ("fabric", "fi_pingpong"),
            each_pair,
            (*_rates("MiB/s", "bandwidth_1m"), Metric("latency_64b", "us", better="lower")),
        ),
        Check(
            "ScmFio",
            "scm",
            ("server", "ram_tier", "fio"),
            each_ram_engine,
            (
                *_rates("MiB/s", "write_1m", "read_1m"),
                *_rates("IO/s", "write_4k", "read_4k"),
            ),
        ),
        Check(
            "SsdFio",
            "ssd",
            ("disk", "fio"),
            each_disk,
            (
                *_rates("MiB/s", "write_1m", "read_1m"),
                *_rates("IO/s", "randwrite_4k", "randread_4k"),
            ),
        ),
        Check(
            "ClientPlacement",
            "client",
            ("client",),
            each_host,
            _rates("process", "bound_processes"),
        ),
        Check(
            "PosixFio",
            "endtoend",
            ("client", "fio"),
            each_host,
            _rates("MiB/s", "write_1m", "read_1m"),
        ),
        Check(
            "FdbHammer",
            "endtoend",
            ("client", "fdb_hammer"),
            each_host,
            _rates("MiB/s", "write", "read"),
        ),
        Check(
            "IorPosix",
            "endtoend",
            ("client", "ior"),
            partition_as_one,
            _rates("MiB/s", "write", "read"),
        ),
        Check(
            "MdtestPosix",
            "metadata",
            ("client", "mdtest"),
            partition_as_one,
            _rates("op/s", "create", "stat", "read", "remove"),
        ),
    )
}
"""Every check, by the name of its class in `reframe-checks/`, from the lowest layer up."""


@dataclass(frozen=True, slots=True)
class Owed:
    """One metric of one subject that this cluster must show."""

    check: str
    layer: Layer
    partition: Partition
    metric: Metric
    subject: str

    @property
    def key(self) -> str:
        """Its name in reports: ``SsdFio.read_1m on n1``."""
        return f"{self.check}.{self.metric.name} on {self.subject}"

    @property
    def host(self) -> str:
        """The host that the subject is on (the first, of a pair)."""
        return self.subject.partition(">")[0].partition("/")[0]


def features(cluster: Cluster, partition: Partition) -> frozenset[str]:
    """What a partition has, in words that checks ask for."""
    found = {"client" if partition == "clients" else "server"}
    tools = ("fio", "fi_pingpong", "fdb_hammer", "ior", "mdtest")
    found.update(tool for tool in tools if getattr(cluster.benchmarks, tool) is not None)
    # DAOS has its tmpfs to itself.
    if cluster.daos is None and each_ram_engine(cluster, partition):
        found.add("ram_tier")
    if each_disk(cluster, partition):
        found.add("disk")
    # Where the servers are among the clients, their network is measured once.
    if partition == "clients" or not set(cluster.servers) <= set(cluster.clients):
        found.add("fabric")
    return frozenset(found)


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
