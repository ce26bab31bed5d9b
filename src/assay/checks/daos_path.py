"""The bounds of data on its path between clients and the storage of a DAOS system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assay.checks import below as measured_below
from assay.checks.backends import backend_of
from assay.checks.benchmarks.self_test import round_trip
from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import as_rate, waiting
from assay.checks.bounds.path import (
    SSDS,
    as_rates,
    data_path,
    evenly,
    is_in_scm,
    of_files,
    senders,
    sent_of,
    servers_of,
    storage,
    stored_of,
)
from assay.checks.entry import Expectation, Measured, Requirement
from assay.checks.figures import nothing, shortest, within
from assay.checks.load import ranks
from assay.checks.pairs import clients_by_rank
from assay.checks.trips import as_often, no_shorter
from assay.cluster.description import PARTITIONS, Cluster
from assay.cluster.object_class import PLAIN, ObjectClass
from assay.subject import Subject
from assay.units import Quantity

UNDESCRIBED = "the description does not say what serves the shared directory"
"""Why a backend without DAOS has no bound."""


def objects(_: Cluster) -> ObjectClass:
    """The redundancy of objects, which benchmarks write without any, in contrast to files."""
    return PLAIN


def clients_of(cluster: Cluster, requirement: Requirement) -> Sequence[str]:
    """The clients of a figure: one client, those of one engine, or all of them together."""
    if engine := engine_of(requirement):
        return clients_by_rank(cluster).partners[engine]
    return cluster.clients if requirement.host in PARTITIONS else (requirement.host,)


def engine_of(requirement: Requirement) -> Subject | None:
    """The only engine that the data goes to; None if it goes to all."""
    return requirement.subject if requirement.subject.engine is not None else None


def is_undescribed(cluster: Cluster, requirement: Requirement) -> bool:
    """Whether the data goes to a shared directory, whose storage is unknown."""
    return cluster.daos is None or requirement.subject.backend == "posix"


def crossed_by(
    cluster: Cluster,
    requirement: Requirement,
    unit: str,
    stored: Callable[[Cluster], ObjectClass] = of_files,
    processes: int | None = None,
    shown: Limit | None = None,
) -> tuple[Sequence[Limit], str]:
    """The limits of all that a metric's transfers cross, or the reason why none is known.

    Args:
        cluster: the cluster.
        requirement: the metric, with its clients, direction and transfer size.
        unit: unit of the limits: ``MiB/s``, or one that counts transfers, such as ``IO/s``.
        stored: the cost of redundancy for a write.
        processes: number of processes on each client, each of which uses one rail; None: enough for
            all rails.
        shown: what the SSDs did in this campaign; where it is more than their sheets promise, it
            bounds better.
    """
    direction, size = requirement.metric.direction, requirement.metric.transfer
    assert direction
    assert size
    clients = clients_of(cluster, requirement)
    if shared := servers_of(cluster).intersection(clients):
        return (), f"{min(shared)} is both client and server: there is no wire between them"
    if cluster.colocated and cluster.daos and cluster.daos.found:
        return (), "engines run on the clients: there may be no wire between them"
    engine = engine_of(requirement)
    bound = data_path(cluster, direction, size, stored(cluster), clients, engine, processes)
    limits = tuple(_as_shown(limit, shown) for limit in bound.limits) if bound else ()
    if unit != "MiB/s" and limits:
        limits = as_rates(cluster, direction, size, unit, limits, engine).limits
    return limits, "neither NICs nor SSDs have a known speed"


def _as_shown(limit: Limit, shown: Limit | None) -> Limit:
    """The SSDs as measured where that is more than promised; what is plausible stays so."""
    if shown is None or limit.who not in SSDS:
        return limit
    more = shown.value.to("GB/s").value / limit.value.to("GB/s").value
    return limit if more <= 1 else replace(shown, plausible=max(1.0, limit.plausible / more))


@dataclass(frozen=True, slots=True)
class DaosPath:
    """The rules of metrics whose data crosses a whole DAOS system, from one client or from all."""

    processes: Callable[[Cluster, str], int] = ranks
    """Number of processes on each client, by scale."""
    threads: bool = False
    """Whether these are threads of one process, for which DAOS uses one interface."""
    stored: Callable[[Cluster], ObjectClass] = of_files
    """The cost of redundancy for a write."""

    def bandwidth(
        self, cluster: Cluster, requirement: Requirement, measured: Measured
    ) -> Expectation:
        """The minimum of all that the data crosses."""
        if is_undescribed(cluster, requirement):
            return nothing(requirement, UNDESCRIBED)
        crossed, why = self._crossed(cluster, requirement, "MiB/s", measured)
        below = self._below(cluster, requirement, crossed, measured)
        bound = tightest(crossed, "GB/s")
        highest = tightest((limit.most for limit in crossed), "GB/s")
        ceiling = highest.limits[0] if highest else None
        processes = len(clients_of(cluster, requirement)) * self.processes(cluster, measured.scale)
        copies = self._copies(cluster, requirement)
        return within(cluster, requirement, bound, why, ceiling, below, processes, copies)

    def rate(self, cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
        """Small operations of one client, or of those of one engine, each with a round trip."""
        if is_undescribed(cluster, requirement):
            return nothing(requirement, UNDESCRIBED)
        metric = requirement.metric
        crossed, why = self._crossed(cluster, requirement, metric.unit, measured)
        below = self._below(cluster, requirement, crossed, measured)
        clients = clients_of(cluster, requirement)
        trip, _ = round_trip(cluster, clients, measured)
        processes = len(clients) * self.processes(cluster, measured.scale)
        # dfuse may answer a write before sending it.
        buffered = metric.direction == "write" and requirement.subject.backend == "dfuse"
        if trip is None or buffered:
            bound = tightest(crossed, metric.unit)
            return within(cluster, requirement, bound, why, below=below, processes=processes)
        assert metric.in_flight
        law = waiting(processes * metric.in_flight, trip.value, metric.unit, trip.source)
        return as_often(cluster, requirement, law, crossed, below, processes)

    def latency(
        self, cluster: Cluster, requirement: Requirement, measured: Measured
    ) -> Expectation:
        """Reads of one client, one at a time in each process, bypassing its page cache."""
        if is_undescribed(cluster, requirement):
            return nothing(requirement, UNDESCRIBED)
        host, size = requirement.host, requirement.metric.transfer
        trip, why = round_trip(cluster, (host,), measured)
        assert size
        seconds = measured_below.service(cluster, "read", size, measured)
        below: list[Limit] = []
        if seconds is not None:
            alone = Quantity(seconds * 1e6, "us")
            made_of = f"{alone}, a round trip, its payload and its time on an SSD as measured"
            below.append(Limit("the layers below", alone, made_of, ""))
        if trip is None:
            return within(cluster, requirement, None, why, below=below)
        assert cluster.daos
        wire = None
        if host not in cluster.daos.servers:
            wire = senders(cluster, (host,), 1)
        return no_shorter(cluster, requirement, trip, shortest(size, wire), below)

    def _copies(self, cluster: Cluster, requirement: Requirement) -> float:
        """How often targets store what a metric writes."""
        size = requirement.metric.transfer
        assert size
        if requirement.metric.direction == "read":
            return 1
        return stored_of(cluster, self.stored(cluster), size)

    def _crossed(
        self, cluster: Cluster, requirement: Requirement, unit: str, measured: Measured
    ) -> tuple[Sequence[Limit], str]:
        """The limits of all that the data crosses.

        dfuse is one process, whoever uses its mount. A process has one interface, unless
        `D_DYNAMIC_CTX` is set (`daos_eq_create` in src/client/api/event.c of DAOS 2.8).
        """
        processes = self._senders(cluster, requirement, measured)
        metric = requirement.metric
        assert metric.direction
        assert metric.transfer
        shown = None
        if metric.direction == "read" and not is_in_scm(cluster, metric.transfer):
            shown = measured_below.storage(
                cluster, "read", metric.transfer, measured, engine_of(requirement)
            )
        return crossed_by(cluster, requirement, unit, self.stored, processes, shown)

    def _senders(self, cluster: Cluster, requirement: Requirement, measured: Measured) -> int:
        """Processes on each client that have an interface of their own."""
        backend = requirement.subject.backend and backend_of(requirement.subject)
        by_dfuse = backend and backend.mounted and backend.library is None
        return 1 if by_dfuse or self.threads else self.processes(cluster, measured.scale)

    def _below(
        self,
        cluster: Cluster,
        requirement: Requirement,
        crossed: Sequence[Limit],
        measured: Measured,
    ) -> Sequence[Limit]:
        """The limits of all that the data crosses, from datasheets and from measurements.

        They are empty if the storage is unknown. Then there is no floor, even if the network is
        known.
        """
        metric, clients = requirement.metric, clients_of(cluster, requirement)
        direction, size, engine = metric.direction, metric.transfer, engine_of(requirement)
        assert direction
        assert size
        cost = self.stored(cluster) if direction == "write" else PLAIN
        promised = storage(cluster, direction, size, cost, engine)
        kept_in = measured_below.storage(cluster, direction, size, measured, engine)
        if promised is None and kept_in is None:
            return ()
        in_flight = self.processes(cluster, measured.scale) * (metric.in_flight or 1)
        turns = measured_below.taking_turns(
            cluster, direction, size, in_flight * len(clients), measured
        )
        network = measured_below.network(cluster, direction, clients, measured, engine)
        rails = evenly(cluster, tuple(clients), self._senders(cluster, requirement, measured))
        stored, why = stored_of(cluster, cost, size), cost.name
        sent = sent_of(cluster, cost, size)
        limits = [
            rails and rails.over(sent, why),
            promised and promised.limits[0],
            kept_in and kept_in.over(stored, why),
            network and network.over(stored, why),
            turns,
        ]
        known = [limit for limit in limits if limit]
        if metric.unit.startswith("IO"):
            known = [rate for limit in known if (rate := as_rate(limit, metric.unit, size))]
            reads = measured_below.reads(cluster, direction, size, measured, engine)
            known += [reads] if reads else []
        return [*crossed, *known]
