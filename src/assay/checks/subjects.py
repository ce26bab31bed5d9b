"""The subjects of metrics: hosts, their disks and engines, pairs, or a whole partition."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from assay.checks.backends import ior_backends, mdtest_backends, mount_backends
from assay.cluster.daos import Engine
from assay.cluster.description import Cluster, Partition
from assay.cluster.once import once
from assay.cluster.rails import device_class, rails
from assay.subject import Subject


def each_host(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every host of the partition."""
    return tuple(map(Subject, cluster.members(partition)))


ONE_BY_ONE = 16
"""Maximum number of hosts that one job measures in turn; more would take days (own choice)."""


def each_in_turn(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The hosts that are measured one after the other: all, or some of many, evenly spread."""
    hosts = each_host(cluster, partition)
    if len(hosts) <= ONE_BY_ONE or cluster.benchmarks.every_pair:
        return hosts
    return tuple(hosts[number * len(hosts) // ONE_BY_ONE] for number in range(ONE_BY_ONE))


def each_scratch(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every host that has a scratch directory."""
    hosts = each_host(cluster, partition)
    return tuple(subject for subject in hosts if cluster.hosts[subject.host].scratch)


def each_disk(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for the scratch disk of every host; a host in both partitions counts as a server."""
    hosts = each_scratch(cluster, partition)
    if partition == "servers":
        return hosts
    servers = set(cluster.servers)
    return tuple(subject for subject in hosts if subject.host not in servers)


def each_pair(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for neighbours in a ring of the hosts, ``a>b``; a single host is its own peer.

    Two clients with several rails have one for each, ``a/rail-ib0>b/rail-ib0``, where the kernel's
    routes can tell these apart. A pair of servers that is also a pair of clients is measured as
    clients.
    """
    if partition == "clients":
        return tuple(each for pair in _ring(cluster, partition) for each in _by_rail(cluster, pair))
    measured = set(_ring(cluster, "clients"))
    return tuple(pair for pair in _ring(cluster, partition) if pair not in measured)


def _ring(cluster: Cluster, partition: Partition) -> list[Subject]:
    hosts = each_host(cluster, partition)
    ring = (
        [*zip(hosts, hosts[1:] + hosts[:1], strict=True)]
        if len(hosts) > 2
        else [(hosts[0], hosts[-1])]
    )
    return [first.to(second) for first, second in ring]


def _by_rail(cluster: Cluster, pair: Subject) -> Iterator[Subject]:
    """The pairs of the rails of two clients: the n-th of both in each network."""
    first, second = (end.host for end in pair.ends)
    ours, theirs = rails(cluster, first), rails(cluster, second)
    if (
        first == second
        or max(len(ours), len(theirs)) < 2
        or any(_hidden_by_routes(cluster, client) for client in (first, second))
    ):
        yield pair
        return
    if len(ours) < len(theirs):
        for there, here in _met(cluster, second, first):
            yield at_rail(cluster, first, here).to(at_rail(cluster, second, there))
        return
    for here, there in _met(cluster, first, second):
        yield at_rail(cluster, first, here).to(at_rail(cluster, second, there))


def _hidden_by_routes(cluster: Cluster, client: str) -> bool:
    """Whether DAOS uses each rail of a client, and the kernel need not.

    The kernel sends to a network by the first interface in it. RDMA does not ask for routes; where
    DAOS's own provider is the kernel's, a rail without traffic is a fault to be found.
    """
    interfaces = cluster.hosts[client].interfaces
    networks = [interfaces[rail].network for rail in rails(cluster, client)]
    known = [network for network in networks if network is not None]
    return device_class(cluster.provider) != "net" and len({*known}) < len(known)


def _met(cluster: Cluster, client: str, other: str) -> Iterator[tuple[str, str]]:
    """Each rail of a client, with a rail of another client in its network, if there is one."""
    own, others = (cluster.hosts[name].interfaces for name in (client, other))
    met: dict[str | None, int] = {}
    for rail in rails(cluster, client):
        network = own[rail].network
        near = [each for each in rails(cluster, other) if others[each].network == network]
        near = near or list(rails(cluster, other))
        number = met[network] = met.get(network, -1) + 1
        yield rail, near[number % len(near)]


def at_rail(cluster: Cluster, client: str, rail: str) -> Subject:
    """A rail of a client as a subject; the only rail is the client itself."""
    return Subject(client, rail=rail) if len(rails(cluster, client)) > 1 else Subject(client)


def each_ram_engine(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every engine with a `class: ram` tier, ``host/engine0``."""
    return tuple(
        Subject(host, engine=number)
        for host in cluster.members(partition)
        for number, engine in enumerate(cluster.hosts[host].engines)
        if engine.ram_tier is not None
    )


@once
def _engines(cluster: Cluster) -> dict[Subject, Engine]:
    """The engines of the DAOS system as subjects."""
    servers = cluster.daos.servers if cluster.daos else ()
    return {
        Subject(host, engine=number): engine
        for host in servers
        for number, engine in enumerate(cluster.hosts[host].engines)
    }


def each_engine(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every engine of the system, wherever it is measured from."""
    del partition
    return tuple(_engines(cluster))


ALL_PAIRS = 16
"""Maximum number of engines for which all pairs are measured; above it, the number of pairs grows
with that of engines, not with its square (this project's own choice)."""

PARTNERS = 7
"""Number of engines to which each engine sends in a larger system: the average in one of 16."""


def each_engine_pair(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every pair of engines of the system, ``s1/engine0>s2/engine0``.

    In a large system each engine is paired with the next one, and with others at distances that
    grow by the same ratio, up to the opposite one: so short and long paths are both measured.
    """
    del partition
    engines = tuple(_engines(cluster))
    if len(engines) <= ALL_PAIRS or cluster.benchmarks.every_pair:
        return tuple(a.to(b) for a, b in combinations(engines, 2))
    count = len(engines)
    farthest = (count - 1) // 2
    strides = {round(farthest ** (step / (PARTNERS - 1))) for step in range(PARTNERS)}
    return tuple(
        engine.to(engines[(number + stride) % count])
        for stride in sorted(strides)
        for number, engine in enumerate(engines)
    )


def each_scm_engine(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every engine of the system with SCM, in PMem or in DRAM."""
    del partition
    return tuple(subject for subject, engine in _engines(cluster).items() if engine.scm_tier)


def each_unflushed_engine(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every engine with PMem on a host whose CPU caches survive a loss of power."""
    return tuple(
        subject
        for subject in each_scm_engine(cluster, partition)
        if cluster.hosts[subject.host].server.eadr and _engines(cluster)[subject].ram_tier is None
    )


def each_ssd(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every SSD of the system's engines, ``host/0000:81:00.0``."""
    del partition
    return tuple(
        dict.fromkeys(
            Subject(subject.host, device=device)
            for subject, engine in _engines(cluster).items()
            for tier in engine.bdev_tiers
            if tier.class_ == "nvme"
            for device in tier.devices
        )
    )


def each_ior_backend(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """One figure for all hosts together, by each of IOR's backends, ``clients/dfs``."""
    return tuple(Subject(partition, backend=backend.name) for backend in ior_backends(cluster))


def each_mdtest_backend(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """One figure for all hosts together, by each of mdtest's backends."""
    return tuple(Subject(partition, backend=backend.name) for backend in mdtest_backends(cluster))


def each_mount_backend(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every host, by each backend that uses its dfuse mount, ``c1/ioil``."""
    return tuple(
        Subject(host, backend=backend.name)
        for host in cluster.members(partition)
        for backend in mount_backends(cluster)
    )
