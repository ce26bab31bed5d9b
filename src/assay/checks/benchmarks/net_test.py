"""DAOS's own fabric, measured with the test of the DAOS client."""

from __future__ import annotations

from assay.checks.benchmarks.self_test import round_trip, rpcs
from assay.checks.entry import (
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Run,
    each_sample,
)
from assay.checks.estimates import RPCS_S, SRUN_S
from assay.checks.figures import nothing
from assay.checks.pairs import engines_of
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_engine, each_host
from assay.checks.trips import no_shorter
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.net_test import TOOL, parse_labelled
from assay.tools.output import Parsed, Sample, merged

IN_FLIGHT = 16
"""RPCs in flight on a client."""


def _latency(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    trip, why = round_trip(cluster, (requirement.host,), measured)
    return no_shorter(cluster, requirement, trip) if trip else nothing(requirement, why)


def _rate(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """Bound the rate of RPCs of 1 KiB from a client to the targets of all engines."""
    return rpcs(cluster, requirement, measured, _MEDIAN)


def read(run: Run, subject: Subject, output: str) -> Parsed:
    """Parse one run, in which a client asks its engines."""
    return parse_labelled(output, expected_ranks=len(engines_of(run.cluster).partners[subject]))


def asks_all(run: Run, subject: Subject) -> bool:
    """Whether a client asks all engines, so that they need not be listed."""
    asked = engines_of(run.cluster).partners[subject]
    return len(asked) == len(each_engine(run.cluster, "clients"))


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    left = raw.of(subject)
    return merged(TOOL, (read(run, subject, left.text(name, "out")) for name in run.names("run")))


def _takes(run: Run) -> float:
    """The clients of a round run at once, each with every target of its engines."""
    design = engines_of(run.cluster)
    asked = design.partners[run.subjects[0]]
    endpoints = sum(run.cluster.engine(engine).targets for engine in asked)
    each = SRUN_S + endpoints * run.sizes["rpcs"] / RPCS_S
    return len(design.rounds) * run.repetitions * each


_FIGURES = {
    "rate": "rate",
    "latency_p50": "latency",
    "latency_p95": "latency_p95",
    "latency_p99": "latency_p99",
}
"""The parser's name of each metric; the median is the latency itself."""


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
    reading=Reading(_parsed, each_sample("run"), _is_sample_of),
    takes=_takes,
)
