"""The network between two hosts, measured with libfabric's fi_pingpong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from assay.checks import loopback
from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import MEBIBYTE, nic
from assay.checks.entry import Check, Expectation, Measured, Metric, Reading, Requirement, Run
from assay.checks.estimates import SRUN_S
from assay.checks.figures import shortest, within
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_pair
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.fi_pingpong import PROVIDER, TOOL, parse
from assay.tools.output import Parsed, Sample, merged
from assay.units import Quantity

_PROVIDER = f"ofi+{PROVIDER}"
"""The provider of this check, regardless of DAOS's: it compares hosts, and needs no RDMA."""

_FIGURES = {"MiB/s": "bandwidth", "us": "latency"}


def size(metric: Metric) -> int:
    """Size of a message, bytes."""
    assert metric.transfer
    return int(metric.transfer.to("B").value)


def interface_of(cluster: Cluster, end: Subject) -> str:
    """The interface of an end of a pair: its rail, or the one of the checks."""
    return end.rail or cluster.hosts[end.host].interface


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the client's table of every run; its message sizes identify the metrics."""
    left = raw.of(subject)
    return merged(TOOL, (parse(left.text(name, "out")) for name in _steps(run, subject)))


def _steps(run: Run, _: Subject) -> Iterator[str]:
    return (name for metric in run.check.metrics for name in run.names(metric.name))


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match a sample with a metric by message size and figure."""
    figure = _FIGURES[metric.unit]
    return (sample.metric, sample.labels["size"]) == (figure, str(size(metric)))


def _wires(cluster: Cluster, requirement: Requirement) -> tuple[list[Limit], str]:
    """The interfaces of both hosts, or the reason why their line rate is unknown."""
    subject = requirement.subject
    if len(subject.hosts) == 1:
        return [], "loopback has no line rate"
    wires = []
    for end in subject.ends:
        interface = interface_of(cluster, end)
        wire = nic(cluster, end.host, interface)
        if wire is None:
            return [], f"{end.host}'s {interface} is virtual or reports no speed"
        wires.append(wire)
    return wires, ""


def _bandwidth(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    if len(requirement.subject.hosts) == 1:
        return loopback.bandwidth(cluster, requirement, measured)
    wires, why = _wires(cluster, requirement)
    return within(cluster, requirement, tightest(wires, "GB/s"), why)


def _latency(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    wires, why = _wires(cluster, requirement)
    slower, size = tightest(wires, "GB/s"), requirement.metric.transfer
    assert size
    bound = shortest(size, slower.limits[0] if slower else None)
    return within(cluster, requirement, bound, why)


def rounds(pairs: Sequence[Subject]) -> list[Sequence[Subject]]:
    """Rounds in which no host is in two pairs: in a ring every other pair, then the rest.

    Two hosts with several rails measure one after the other.
    """
    of_hosts: dict[tuple[str, ...], list[Subject]] = {}
    for pair in pairs:
        of_hosts.setdefault(tuple(end.host for end in pair.ends), []).append(pair)
    ring = list(of_hosts.values())
    last = [ring.pop()] if len(ring) % 2 and len(ring) > 1 else []
    return [
        [rail for rail in rails if rail is not None]
        for part in (ring[::2], ring[1::2], last)
        for rails in zip_longest(*part)
    ]


def _takes(run: Run) -> float:
    """Messages there and back, at 2 GB/s and at 25 us."""
    large = run.sizes["large_messages"] * 2 * 2**20 / 2e9
    small = run.sizes["small_messages"] * 2 * 25e-6
    return len(rounds(run.subjects)) * run.repetitions * (2 * SRUN_S + large + small)


FI_PINGPONG = Check(
    "FiPingpong",
    "network",
    "raw",
    ("fabric", "fi_pingpong"),
    each_pair,
    (
        Metric(
            "bandwidth_1m",
            "MiB/s",
            _bandwidth,
            transfer=MEBIBYTE,
            provider=_PROVIDER,
        ),
        Metric(
            "latency_64b",
            "us",
            _latency,
            better="lower",
            transfer=Quantity(64, "B"),
            provider=_PROVIDER,
        ),
    ),
    # About a second each, at 2 GB/s and at 25 us.
    scales={
        "quick": {"repetitions": 5, "large_messages": 1000, "small_messages": 20000},
        "acceptance": {"repetitions": 11, "large_messages": 1000, "small_messages": 20000},
    },
    reading=Reading(_parsed, _steps, _is_sample_of),
    takes=_takes,
)
