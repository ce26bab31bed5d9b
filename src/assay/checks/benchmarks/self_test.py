"""DAOS's own fabric, measured with CaRT's self_test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.bounds.devices import MEBIBYTE, Direction, as_rate, nic, waiting
from assay.checks.bounds.path import senders, servers_of
from assay.checks.entry import (
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Run,
    credible,
)
from assay.checks.estimates import FABRIC_MIB_S, RPCS_S, SRUN_S
from assay.checks.figures import nothing, shortest, within
from assay.checks.pairs import ALONE, TOGETHER, clients_of, each_rail, matched, rail_rounds
from assay.checks.ranks import SYSTEM_BEFORE, NoRankError, rank
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_engine, each_engine_pair
from assay.checks.trips import as_often
from assay.cluster.description import Cluster
from assay.cluster.once import once
from assay.cluster.rails import most_rails
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.self_test import EMPTY, GET, IOV, PUT, TOOL, SelfTest, parse
from assay.tools.text import by_process
from assay.units import Quantity

IN_FLIGHT = 16
"""RPCs in flight on each rail of a client for a rate; for a latency it is one."""

_NO_WIRE = "an interface is virtual or reports no speed, or the engines share a host"


def _wire(
    cluster: Cluster, subject: Subject, measured: Measured, processes: int = 1
) -> Bound | None:
    """The interfaces that an RPC crosses: those of engines, and of clients if they send.

    Each process on a client uses one rail.
    """
    return measured.once(
        ("wire", subject, processes), lambda: _crossed(cluster, subject, processes)
    )


def _crossed(cluster: Cluster, subject: Subject, processes: int) -> Bound | None:
    ends = [_interface_of(cluster, end) for end in subject.ends]
    if subject.peer is None:
        clients = tuple(clients_of(cluster).partners[subject])
        ends.append(senders(cluster, clients, processes))
    elif len(subject.hosts) == 1:
        return None  # between engines of one host there is no wire
    return tightest(ends, "GB/s")


def _interface_of(cluster: Cluster, end: Subject) -> Limit | None:
    return nic(cluster, end.host, end.rail or cluster.engine(end).fabric_iface)


def _bandwidth(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    wire = _wire(cluster, requirement.subject, measured, most_rails(cluster))
    return within(cluster, requirement, wire, _NO_WIRE)


def _payload(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """Bound the latency of an RPC by the time that its payload takes on the wire."""
    wire, size = _wire(cluster, requirement.subject, measured), requirement.metric.transfer
    if size is None:
        return within(cluster, requirement, None, "an empty RPC takes no time on a wire")
    bound = shortest(size, wire.limits[0] if wire else None)
    trip = replace(requirement, metric=_LATENCY_EMPTY)
    empty = measured.own(trip)
    below = None
    if bound and empty:
        time = Quantity(bound.value.to("us").value + median(empty.samples), "us")
        made_of = f"{time}, an empty round trip and the payload"
        below = [Limit("the round trip", time, made_of, empty.named)]
    return within(cluster, requirement, bound, _NO_WIRE, below=below)


def _rate(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """Bound the rate of all senders by the empty round trip of the same subject."""
    subject, size = requirement.subject, requirement.metric.transfer
    rails = most_rails(cluster)
    wire = _wire(cluster, subject, measured, rails)
    senders = rails * len(clients_of(cluster).partners[subject]) if subject.peer is None else 1
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
    """Bound a rate of RPCs by the measured round trip, and by the wire for their payload.

    Args:
        cluster: the cluster.
        requirement: the metric, a rate of RPCs.
        measured: the measured figures of lower layers, including the latency.
        latency: the metric of the same check and subject that measures the round trip.
        senders: number of senders at once, each with the RPCs in flight of the metric.
        wire: the limit of the wire for their payload, as a rate.
    """
    in_flight = requirement.metric.in_flight
    assert in_flight
    trip = replace(requirement, metric=latency)
    lower = measured.own(trip)
    if lower is None:
        return nothing(requirement, f"{trip.key} has not been measured")
    least = Quantity(min(credible(lower.samples)), latency.unit)
    law = waiting(in_flight * senders, least, requirement.unit, f"least of {lower.named}")
    return as_often(cluster, requirement, law, [wire] if wire else [])


_IOV = Quantity(2, "KiB")


def _moved(name: str, direction: Direction, *, in_chain: bool = True) -> Metric:
    """The bandwidth of RPCs with a payload of 1 MiB."""
    return Metric(
        name,
        "MiB/s",
        _bandwidth,
        direction=direction,
        transfer=MEBIBYTE,
        in_flight=IN_FLIGHT,
        in_chain=in_chain,
    )


def _latency(name: str, size: Quantity | None = None) -> Metric:
    return Metric(name, "us", _payload, better="lower", transfer=size, in_flight=1)


# How a sample is taken and read.

SIZES: Mapping[str, tuple[str, str]] = {
    "get_1m": GET,
    "put_1m": PUT,
    "empty": EMPTY,
    "iov_2k": IOV,
    "latency_get_1m": GET,
    "latency_put_1m": PUT,
    "latency_empty": EMPTY,
    "latency_iov_2k": IOV,
}
"""What each metric sends and gets: one size per run, since with several the rates are wrong."""

_FIGURES = {"MiB/s": "bandwidth", "RPC/s": "rate", "us": "endpoint_latency"}


def groups(run: Run, subject: Subject, metric: Metric) -> Sequence[Sequence[str]]:
    """The clients that run self_test for a sample, in groups; those of a group run at once.

    For an engine, they are its clients in the design: for a rate, all at once; for a latency, only
    one, or several in turn for acceptance. For two engines, a single client gives the orders.
    """
    if subject.rail is not None:
        return [[subject.host]]
    if subject.peer is not None:
        return [[run.hosts[_order(run.cluster)[subject] % len(run.hosts)]]]
    clients = clients_of(run.cluster).partners[subject]
    if metric.unit != "us":
        return [clients]
    most = len(clients) if len(run.hosts) <= TOGETHER else ALONE
    return [[client] for client in clients[: 1 if run.scale == "quick" else most]]


def processes(run: Run, subject: Subject, metric: Metric) -> int:
    """Processes on each client: for the rate of all clients, one on each rail."""
    together = subject.peer is None and metric.unit != "us"
    return most_rails(run.cluster) if together else 1


@once
def _order(cluster: Cluster) -> dict[Subject, int]:
    return {pair: number for number, pair in enumerate(each_engine_pair(cluster, "clients"))}


def asked(run: Run, subject: Subject, metric: Metric, answer: str) -> SelfTest:
    """The run of a metric, to all targets of an engine; for a pair, of the second engine.

    Raises:
        NoRankError: dmg's answer does not contain an engine.
    """
    assert run.cluster.daos
    engine = subject.ends[-1]
    sends = subject.peer is not None and subject.rail is None
    masters = (rank(run.cluster, subject.end, answer),) if sends else ()
    return SelfTest(
        ranks=(rank(run.cluster, engine, answer),),
        tags=run.cluster.engine(engine).tags.targets,
        sizes=SIZES[metric.name],
        inflight=run.in_flight(metric),
        repetitions=run.sizes["large_rpcs" if metric.transfer == MEBIBYTE else "small_rpcs"],
        masters=masters,
        system=run.cluster.daos.name,
    )


def step_name(metric: Metric, number: int, group: int) -> str:
    """The name of the step of a sample and a group of clients, both counted from 1."""
    return f"{metric.name}.{number}.{group}"


def _steps(run: Run, subject: Subject) -> Iterator[str]:
    return (
        step_name(metric, number, group)
        for metric in run.check.metrics
        for number in run.times
        for group, _ in enumerate(groups(run, subject, metric), start=1)
    )


def of_clients(text: str, asked: SelfTest | None = None) -> Parsed:
    """Parse the output of each client of a run."""
    return merged(TOOL, (parse(output, asked) for output in by_process(text).values()))


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    try:
        return merged(
            TOOL,
            (
                _sample(run, subject, metric, number, raw)
                for metric in run.check.metrics
                for number in run.times
            ),
        )
    except NoRankError as error:
        return Parsed(TOOL, (), (str(error),))


def _sample(run: Run, subject: Subject, metric: Metric, number: int, raw: RawOutputs) -> Parsed:
    """Combine the runs of a sample: the sum of rates, or the median of the slowest endpoint."""
    left = raw.of(subject)
    sent = asked(run, subject, metric, raw.answer(SYSTEM_BEFORE))
    values: list[float] = []
    for group, clients in enumerate(groups(run, subject, metric), start=1):
        name = step_name(metric, number, group)
        output = left.text(name, "out")
        read = of_clients(output, sent)
        if read.problems:
            return Parsed(TOOL, (), tuple(f"{name}: {each}" for each in read.problems))
        started = len(clients) * processes(run, subject, metric)
        if (printed := len(by_process(output))) != started:
            who = "clients" if started == len(clients) else "processes"
            problem = f"{name}: {printed} of {started} {who} printed a result"
            return Parsed(TOOL, (), (problem,))
        figure = _FIGURES[metric.unit]
        values += [sample.value for sample in read.samples if sample.metric == figure]
    value = max(values) if metric.unit == "us" else sum(values)
    return Parsed(TOOL, (Sample(metric.name, value, metric.unit),))


def _takes(run: Run) -> float:
    """The engines or pairs of a round run at once; large RPCs take line rate, small ones a rate."""
    first = run.subjects[0]
    apart = first.peer is not None
    if first.rail is not None:
        count = len(rail_rounds(run.cluster))
    else:
        count = len(matched(run.subjects)) if apart else len(clients_of(run.cluster).rounds)
    targets = run.cluster.engine(first.ends[-1]).targets
    seconds = 0.0
    for metric in run.check.metrics:
        large = metric.transfer == MEBIBYTE
        rpcs = targets * run.sizes["large_rpcs" if large else "small_rpcs"]
        for clients in groups(run, first, metric):
            senders = len(clients) * processes(run, first, metric)
            if metric.unit == "us":
                seconds += SRUN_S + rpcs * (250e-6 if large else 30e-6)
            else:
                rate = FABRIC_MIB_S if large else RPCS_S
                seconds += SRUN_S + senders * rpcs / rate
    return count * run.repetitions * seconds


_SCALES = {
    "quick": {"repetitions": 3, "large_rpcs": 200, "small_rpcs": 2000},
    "acceptance": {"repetitions": 5, "large_rpcs": 2000, "small_rpcs": 20000},
}

# When a client writes, the engine gets the data.
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
    scales=_SCALES,
    reading=Reading(_parsed, _steps),
    takes=_takes,
)

BY_RAIL = Check(
    "SelfTestByRail",
    "network",
    "system",
    ("client", "daos", "rails"),
    each_rail,
    (
        _moved("get_1m", "write", in_chain=False),
        _moved("put_1m", "read", in_chain=False),
        _LATENCY_EMPTY,
    ),
    scales=_SCALES,
    reading=Reading(_parsed, _steps),
    takes=_takes,
)

CROSS_SERVER = Check(
    "SelfTestCrossServer",
    "network",
    "system",
    ("client", "daos", "engine_pairs"),
    each_engine_pair,
    (*_BANDWIDTHS, _EMPTY, _LATENCY_EMPTY),
    scales=_SCALES,
    reading=Reading(_parsed, _steps),
    takes=_takes,
)

ROUND_TRIP = f"{CLIENT_SERVER.name}.{_LATENCY_EMPTY.name}"
"""The figure with the shortest round trip: empty, and with one RPC in flight.

The median of net-test is not used: with 16 RPCs in flight, they wait for each other (on an idle
DAOS 2.8 it was about 140 us, and one process of mdtest needed 42 us for an operation).
"""


def round_trip(
    cluster: Cluster, clients: Sequence[str], measured: Measured
) -> tuple[Limit | None, str]:
    """The shortest round trip from some clients to an engine, in us; or why it is unknown."""
    servers = servers_of(cluster)
    if (near := servers.intersection(clients)) and len(servers.union(cluster.clients)) > 1:
        # The round trip was measured from the first client, or is that of the slowest.
        return (
            None,
            f"{min(near)} is both client and server, and closer to its own engines than the others",
        )
    least = measured.least(ROUND_TRIP)
    if least is None:
        return None, f"{ROUND_TRIP} has not been measured"
    time, key = least
    return Limit("round trips", Quantity(time, "us"), "a round trip", f"least of {key}"), ""
