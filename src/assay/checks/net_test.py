"""DAOS's own fabric, measured with the test that comes with the client."""

from __future__ import annotations

from assay.checks.entry import Check, Metric, Requirement
from assay.checks.figures import Expectation, Measured, nothing
from assay.checks.raw import RawOutputs
from assay.checks.run import Reading, Run
from assay.checks.self_test import round_trip, rpcs
from assay.checks.subjects import each_engine, each_host
from assay.checks.trips import no_shorter
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.net_test import TOOL, parse_labelled
from assay.tools.output import Parsed, Sample, merged

IN_FLIGHT = 16
"""RPCs that a client has in flight."""


def _latency(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    trip, why = round_trip(cluster, (requirement.host,), measured)
    return no_shorter(cluster, requirement, trip) if trip else nothing(requirement, why)


def _rate(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """RPCs of 1 KiB from a client to the targets of all engines."""
    return rpcs(cluster, requirement, measured, _MEDIAN)


def read(cluster: Cluster, output: str) -> Parsed:
    """One run, which asks every engine."""
    return parse_labelled(output, expected_ranks=len(each_engine(cluster, "clients")))


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    left = raw.of(subject)
    return merged(TOOL, (read(run.cluster, left.text(name, "out")) for name in run.names("run")))


_FIGURES = {
    "rate": "rate",
    "latency_p50": "latency",
    "latency_p95": "latency_p95",
    "latency_p99": "latency_p99",
}
"""What the parser calls each metric; the median is the latency itself."""


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    return sample.metric == _FIGURES[metric.name]


_MEDIAN = Metric("latency_p50", "us", _latency, better="lower")

NET_TEST = Check(
    "NetTest",
    "network",
    "system",
    ("client", "daos", "net_test"),
    each_host,
    (
        Metric("rate", "RPC/s", _rate, in_flight=IN_FLIGHT),
        _MEDIAN,
        Metric("latency_p95", "us", _latency, better="lower"),
        Metric("latency_p99", "us", _latency, better="lower"),
    ),
    scales={
        "quick": {"repetitions": 3, "rpcs": 1000},
        "acceptance": {"repetitions": 5, "rpcs": 10000},
    },
    reading=Reading(_parsed, _is_sample_of),
)
