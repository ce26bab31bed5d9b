"""The interfaces that DAOS's agent gives to the processes of a client."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

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
from assay.cluster.rails import rails
from assay.subject import Subject
from assay.tools.daos.agent_log import TOOL, parse
from assay.tools.output import Parsed, Sample, merged

AGENT_CONFIGURATION = "/etc/daos/daos_agent.yml"
"""The path at which the role `daos_agent` installs it."""


def asks(cluster: Cluster, client: str) -> int:
    """Processes on each NUMA node of a client for each sample: the most rails of one node.

    The agent gives a process the next rail of its node, so each rail is given once or more.
    """
    host, own = cluster.hosts[client], rails(cluster, client)
    if host.numa_nodes == 1:
        return max(1, len(own))
    return max(Counter(host.interfaces[rail].numa_node for rail in own).values(), default=1)


def _near(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    nodes, each = cluster.hosts[requirement.host].numa_nodes, asks(cluster, requirement.host)
    count = "one process" if each == 1 else f"{each} processes, for as many rails,"
    return exactly(requirement, nodes * each, f"{nodes} NUMA nodes, {count} on each")


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
    outputs = "\n".join(left.text(name, "out") for name in run.names("ask"))
    strange = _differences(rails(run.cluster, subject.host), outputs)
    return merged(TOOL, [*parts, Parsed(TOOL, (), tuple(strange))])


def _differences(described: Sequence[str], outputs: str) -> Iterator[str]:
    """The differences between the described rails and the interfaces that the agent gave.

    All samples count together: another process may have taken the turn of a rail in one of them.
    """
    given = {each.labels["interface"] for each in parse(outputs, program="daos").samples}
    if not given:
        return  # the samples' own problems say why
    for name in sorted(given.difference(described)):
        yield (
            f"the agent gave {name}, but the rails of this client are {', '.join(described)}:"
            " exclude it, or describe it as one"
        )
    for name in described:
        if name not in given:
            yield (
                f"the agent never gave {name}, which is a rail of this client: is it up, has it an"
                " address and the provider? With disable_caching, the first may be given each time"
            )


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
    """The processes of each NUMA node, one after the other."""
    nodes = max(run.cluster.hosts[name].numa_nodes * asks(run.cluster, name) for name in run.hosts)
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
