"""The interfaces that DAOS's agent gives to the processes of a client."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
from assay.checks.estimates import START_S
from assay.checks.figures import exactly
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_host
from assay.cluster.daos import Agent
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.daos.agent_log import TOOL, parse
from assay.tools.output import Parsed, Sample, merged

AGENT_CONFIGURATION = "/etc/daos/daos_agent.yml"
"""The path at which the role `daos_agent` installs it."""


def _near(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    nodes = cluster.hosts[requirement.host].numa_nodes
    return exactly(requirement, nodes, f"{nodes} NUMA nodes, one process on each")


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse which interfaces the processes of every sample got."""
    host, left = run.cluster.hosts[subject.host], raw.of(subject)
    nodes = dict.fromkeys(host.interfaces, 0)
    if host.numa_nodes > 1:
        nodes = {
            name: interface.numa_node
            for name, interface in host.interfaces.items()
            if interface.numa_node is not None
        }
    parts = []
    for name in run.names("ask"):
        output = left.text(name, "out")
        parts.append(parse(output, nodes=nodes, program="daos"))
        parts.append(Parsed(TOOL, (), tuple(_caches(host.agent, output))))
    return merged(TOOL, parts)


def _caches(agent: Agent, output: str) -> Iterator[str]:
    """The differences between the agent's cache and the description."""
    described = {
        "disable_caching": str(agent.disable_caching).lower(),
        "cache_expiration": str(agent.cache_expiration),
    }
    for key, value in described.items():
        setting = re.search(rf"^{key}: *(\S+)", output, re.MULTILINE)
        if setting and setting[1] != value:
            yield (
                f"{AGENT_CONFIGURATION} has {key}: {setting[1]}, but the description has {value}"
            )


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match every sample: there is only one metric."""
    return (metric.name, sample.metric) == ("near_processes", "near_clients")


def _takes(run: Run) -> float:
    """One process on each NUMA node, one after the other."""
    nodes = max(run.cluster.hosts[name].numa_nodes for name in run.hosts)
    return run.repetitions * nodes * 2 * START_S


INTERFACES = Check(
    "ClientInterfaces",
    "client",
    "system",
    ("client", "daos"),
    each_host,
    (Metric("near_processes", "process", _near),),
    scales={"quick": {"repetitions": 3}, "acceptance": {"repetitions": 5}},
    reading=Reading(_parsed, each_sample("ask"), _is_sample_of),
    takes=_takes,
)
