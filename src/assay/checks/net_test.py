"""DAOS's own fabric, measured with the test that comes with the client."""

from __future__ import annotations

from assay.checks.entry import Check, Metric, Requirement
from assay.checks.figures import Expectation, Measured, nothing
from assay.checks.self_test import round_trip, rpcs
from assay.checks.subjects import each_host
from assay.checks.trips import no_shorter
from assay.cluster.description import Cluster

IN_FLIGHT = 16
"""RPCs that a client has in flight."""


def _latency(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    trip, why = round_trip(cluster, (requirement.host,), measured)
    return no_shorter(cluster, requirement, trip) if trip else nothing(requirement, why)


def _rate(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """RPCs of 1 KiB from a client to the targets of all engines."""
    return rpcs(cluster, requirement, measured, _MEDIAN)


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
)
