"""Which interface DAOS's agent gives to the processes of a client."""

from __future__ import annotations

from assay.checks.entry import Check, Metric, Requirement
from assay.checks.figures import Expectation, Measured, exactly
from assay.checks.subjects import each_host
from assay.cluster.description import Cluster


def _near(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    nodes = cluster.hosts[requirement.host].numa_nodes
    return exactly(requirement, nodes, f"{nodes} NUMA nodes, one process on each")


INTERFACES = Check(
    "ClientInterfaces",
    "client",
    "system",
    ("client", "daos"),
    each_host,
    (Metric("near_processes", "process", _near),),
)
