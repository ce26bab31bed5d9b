"""Where the scheduler puts the processes of a client."""

from __future__ import annotations

from assay.checks.entry import Check, Metric, Requirement
from assay.checks.figures import Expectation, Measured, exactly
from assay.checks.subjects import each_host
from assay.cluster.description import Cluster


def _bound(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    cores = cluster.hosts[requirement.host].cores
    return exactly(requirement, cores, f"{cores} cores, one process bound to each")


PLACEMENT = Check(
    "ClientPlacement",
    "client",
    "raw",
    ("client",),
    each_host,
    (Metric("bound_processes", "process", _bound),),
)
