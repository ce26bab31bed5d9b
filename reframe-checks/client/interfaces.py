"""Whether DAOS's agent gives every process the interface that is near to it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Step, text
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.agent_log import TOOL, parse
from assay.tools.output import Parsed, Sample, merged
from assay_check import AssayCheck
from mixins.daos import NeedsDaos
from mixins.launch import RunsOnEachHost

LOG = "/var/log/daos/daos_agent/daos_agent.log"
CONFIGURATION = "/etc/daos/daos_agent.yml"
"""Where the role `daos_agent` puts them."""

LIMIT_S = 60


@rfm.simple_test
class ClientInterfaces(NeedsDaos, RunsOnEachHost, AssayCheck):
    """A process on each NUMA node of a client is given an interface of that node by the agent."""

    scripts = ("steps.sh", "client/interfaces.sh")
    scales = {"quick": {"repetitions": 3}, "acceptance": {"repetitions": 5}}

    def steps(self, subject: Subject) -> Sequence[Step]:
        """For each sample, one process on each NUMA node after the other."""
        ask = self.command(["daos", "pool", "list", "--no-query"])
        nodes = str(self.host(subject).numa_nodes)
        command = ["bash", "interfaces.sh", LOG, CONFIGURATION, nodes, *ask]
        return [
            Step(f"ask.{number}", limit_s=LIMIT_S, program="daos", commands=[command])
            for number in self.times
        ]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """Which interfaces the processes of every sample got."""
        host = self.host(subject)
        nodes = dict.fromkeys(host.interfaces, 0)
        if host.numa_nodes > 1:
            nodes = {
                name: interface.numa_node
                for name, interface in host.interfaces.items()
                if interface.numa_node is not None
            }
        parts = []
        for step in self.steps(subject):
            output = text(raw, step.name, "out")
            parts.append(parse(output, nodes=nodes, program="daos"))
            parts.append(Parsed(TOOL, (), tuple(self.caches(subject, output))))
        return merged(TOOL, parts)

    def caches(self, subject: Subject, output: str) -> Iterator[str]:
        """How the agent's cache differs from the description."""
        agent = self.host(subject).agent
        described = {
            "disable_caching": str(agent.disable_caching).lower(),
            "cache_expiration": str(agent.cache_expiration),
        }
        for key, value in described.items():
            setting = re.search(rf"^{key}: *(\S+)", output, re.MULTILINE)
            if setting and setting[1] != value:
                yield f"{CONFIGURATION} has {key}: {setting[1]}, and the description has {value}"

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """There is one metric."""
        return (metric.name, sample.metric) == ("near_processes", "near_clients")
