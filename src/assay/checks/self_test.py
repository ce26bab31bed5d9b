"""DAOS's own fabric, measured with CaRT's self_test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.bounds.devices import MEBIBYTE, Direction, as_rate, nic, waiting
from assay.checks.bounds.path import senders, servers_of
from assay.checks.entry import Check, Metric, Requirement
from assay.checks.figures import Expectation, Measured, nothing, shortest, within
from assay.checks.subjects import each_engine, each_engine_pair
from assay.checks.trips import as_often
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.units import Quantity

IN_FLIGHT = 16
"""RPCs that each client has in flight for a rate; for a latency it is one."""

_NO_WIRE = "an interface is virtual or reports no speed, or the engines share a host"


def _wire(cluster: Cluster, requirement: Requirement) -> Bound | None:
    """What an RPC crosses: the interfaces of its engines, and those of the clients if they send."""
    subject = requirement.subject
    if subject.peer is not None and len(subject.hosts) == 1:
        return None  # a host's own engines need no wire between them
    ends = [_interface_of(cluster, engine) for engine in subject.ends]
    if subject.peer is None:
        ends.append(senders(cluster))
    return tightest(ends, "GB/s")


def _interface_of(cluster: Cluster, engine: Subject) -> Limit | None:
    return nic(cluster, engine.host, cluster.engine(engine).fabric_iface)


def _bandwidth(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    return within(cluster, requirement, _wire(cluster, requirement), _NO_WIRE)


def _payload(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """The latency of an RPC, which is at least the time that its payload takes on the wire."""
    wire, size = _wire(cluster, requirement), requirement.metric.transfer
    if size is None:
        return within(cluster, requirement, None, "an empty RPC takes no time on a wire")
    bound = shortest(size, wire.limits[0] if wire else None)
    trip = replace(requirement, metric=_LATENCY_EMPTY)
    samples = sorted(measured.get(trip, ()))
    below = None
    if bound and samples:
        time = Quantity(bound.value.to("us").value + median(samples), "us")
        made_of = f"{time}, an empty round trip and the payload"
        below = [Limit("the round trip", time, made_of, trip.key)]
    return within(cluster, requirement, bound, _NO_WIRE, below=below)


def _rate(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """RPCs of all senders: they wait for the empty round trip of the same subject."""
    wire, size = _wire(cluster, requirement), requirement.metric.transfer
    senders = len(cluster.clients) if requirement.subject.peer is None else 1
    crossed = as_rate(wire.limits[0], requirement.unit, size) if wire and size else None
    return rpcs(cluster, requirement, measured, _LATENCY_EMPTY, senders, crossed)


def rpcs(
    cluster: Cluster,
    requirement: Requirement,
    measured: Measured,
    latency: Metric,
    senders: int = 1,
    wire: Limit | None = None,
) -> Expectation:
    """How often a round trip that was measured fits into a second, and the wire lets it through.

    Args:
        cluster: whose metric it is.
        requirement: a rate of RPCs.
        measured: what lower layers were measured to do, the latency among them.
        latency: the metric of the same check and subject that is the round trip.
        senders: how many send at once, each with as many RPCs in flight as the metric says.
        wire: what their payload crosses, as a rate.
    """
    in_flight = requirement.metric.in_flight
    assert in_flight
    trip = replace(requirement, metric=latency)
    samples = sorted(measured.get(trip, ()))
    if not samples:
        return nothing(requirement, f"{trip.key} has not been measured")
    least = Quantity(samples[0], latency.unit)
    law = waiting(in_flight * senders, least, requirement.unit, f"least of {trip.key}")
    return as_often(cluster, requirement, law, [wire] if wire else [])


_IOV = Quantity(2, "KiB")


def _moved(name: str, direction: Direction) -> Metric:
    """The bandwidth of RPCs that carry 1 MiB."""
    return Metric(
        name,
        "MiB/s",
        _bandwidth,
        direction=direction,
        transfer=MEBIBYTE,
        in_flight=IN_FLIGHT,
    )


def _latency(name: str, size: Quantity | None = None) -> Metric:
    return Metric(name, "us", _payload, better="lower", transfer=size, in_flight=1)


# An engine gets what a client writes.
_BANDWIDTHS = (_moved("get_1m", "write"), _moved("put_1m", "read"))
_EMPTY = Metric("empty", "RPC/s", _rate, in_flight=IN_FLIGHT)
_LATENCY_EMPTY = _latency("latency_empty")

CLIENT_SERVER = Check(
    "SelfTestClientServer",
    "network",
    "system",
    ("client", "daos"),
    each_engine,
    (
        *_BANDWIDTHS,
        _EMPTY,
        Metric("iov_2k", "RPC/s", _rate, transfer=_IOV, in_flight=IN_FLIGHT),
        _latency("latency_get_1m", MEBIBYTE),
        _latency("latency_put_1m", MEBIBYTE),
        _LATENCY_EMPTY,
        _latency("latency_iov_2k", _IOV),
    ),
)

CROSS_SERVER = Check(
    "SelfTestCrossServer",
    "network",
    "system",
    ("client", "daos", "engine_pairs"),
    each_engine_pair,
    (*_BANDWIDTHS, _EMPTY, _LATENCY_EMPTY),
)

ROUND_TRIP = f"{CLIENT_SERVER.name}.{_LATENCY_EMPTY.name}"
"""The figure that is the shortest round trip: empty, and with one RPC in flight.

The median of net-test is no such figure: it is of 16 in flight, which wait for each other (on a
quiet DAOS 2.8 about 140 us, where one process of mdtest needed 42 us for an operation).
"""


def round_trip(
    cluster: Cluster, clients: Sequence[str], measured: Measured
) -> tuple[Limit | None, str]:
    """The shortest round trip from some clients to an engine, in us; or why none is known."""
    servers = servers_of(cluster)
    if (near := servers.intersection(clients)) and len(servers.union(cluster.clients)) > 1:
        # It was measured from the first client, or is that of the slowest.
        return None, f"{min(near)} is client and server, and nearer to its own engines than others"
    least = measured.least(ROUND_TRIP)
    if least is None:
        return None, f"{ROUND_TRIP} has not been measured"
    time, key = least
    return Limit("round trips", Quantity(time, "us"), "a round trip", f"least of {key}"), ""
