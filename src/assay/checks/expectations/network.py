"""What the network should do: between hosts, and between DAOS's clients and engines."""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import MEBIBYTE, as_rate, nic, together, waiting
from assay.checks.figures import Expectation, Measured, Rule, nothing, shortest, within
from assay.checks.plan import CHECKS, Owed
from assay.checks.trips import as_often, no_shorter, round_trip
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.units import Quantity

RPCS_IN_FLIGHT = 16
"""That self_test and net-test have under way at once, as their checks call them."""


def _pingpong(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    hosts = metric.subject.hosts
    if len(hosts) == 1:
        return nothing(metric, "loopback has no line rate")
    wires = []
    for name in hosts:
        interface = cluster.hosts[name].interface
        wire = nic(cluster, name, interface)
        if wire is None:
            return nothing(metric, f"{name}'s {interface} is virtual or tells no speed")
        wires.append(wire)
    slower = tightest(wires, "GB/s")
    if metric.metric.unit == "us":
        slower = slower and shortest(Quantity(64, "B"), slower.limits[0])
    return within(cluster, metric, slower, "no line rate is known")


def _fabric_of(cluster: Cluster, engine: Subject) -> Limit | None:
    """The interface of an engine."""
    return nic(cluster, engine.host, cluster.engine(engine).fabric_iface)


def _self_test(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """RPCs to the targets of an engine, from all clients or from another engine."""
    name, unit = metric.metric.name, metric.metric.unit
    ends = [_fabric_of(cluster, engine) for engine in metric.subject.ends]
    senders = 1
    if metric.subject.peer is None:
        senders = len(cluster.clients)
        clients = (nic(cluster, c, cluster.hosts[c].interface) for c in cluster.clients)
        ends.append(together("the clients' NICs", clients))
    elif len(metric.subject.hosts) == 1:
        ends = []  # a host's own engines need no wire between them
    size = MEBIBYTE if name.endswith("_1m") else Quantity(2, "KiB")
    crossed = tightest(ends, "GB/s")
    why = "an interface is virtual or tells no speed, or the engines share a host"
    if unit == "MiB/s":
        return within(cluster, metric, crossed, why)
    if unit == "us":
        if name == "latency_empty" or crossed is None:
            return nothing(metric, "an empty RPC takes no time on a wire" if crossed else why)
        return within(cluster, metric, shortest(size, crossed.limits[0]), why)
    wire = as_rate(crossed.limits[0], unit, size) if crossed and name == "iov_2k" else None
    return _rpcs(cluster, metric, measured, "latency_empty", RPCS_IN_FLIGHT * senders, wire)


def _net_test(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """RPCs of 1 KiB from a client to the targets of all engines."""
    if metric.metric.unit == "us":
        trip, why = round_trip(cluster, (metric.host,), measured)
        return no_shorter(cluster, metric, trip) if trip else nothing(metric, why)
    return _rpcs(cluster, metric, measured, "latency_p50", RPCS_IN_FLIGHT, None)


def _rpcs(
    cluster: Cluster,
    metric: Owed,
    measured: Measured,
    latency: str,
    under_way: int,
    wire: Limit | None,
) -> Expectation:
    """How often a round trip that was measured fits into a second, and the wire lets it through."""
    owed = next(m for m in CHECKS[metric.check].metrics if m.name == latency)
    trip = Owed(metric.check, metric.layer, metric.partition, owed, metric.subject)
    samples = sorted(measured.get(trip, ()))
    if not samples:
        return nothing(metric, f"{trip.key} has not been measured")
    least = Quantity(samples[0], owed.unit)
    law = waiting(under_way, least, metric.metric.unit, f"least of {trip.key}")
    return as_often(cluster, metric, law, [wire] if wire else [])


NETWORK: Mapping[str, Rule] = {
    "FiPingpong": _pingpong,
    "SelfTestClientServer": _self_test,
    "SelfTestCrossServer": _self_test,
    "NetTest": _net_test,
}
