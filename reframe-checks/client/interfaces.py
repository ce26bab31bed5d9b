"""Whether DAOS's agent gives every process a rail of its own NUMA node, and all described rails."""

from collections.abc import Sequence

import reframe as rfm

from assay.campaign.steps import Step
from assay.checks.benchmarks.interfaces import AGENT_CONFIGURATION, asks
from assay.subject import Subject
from assay_check import AssayCheck
from mixins.daos import NeedsDaos
from mixins.launch import RunsOnEachHost

LOG = "/var/log/daos/daos_agent/daos_agent.log"
"""The agent's log, as the role `daos_agent` configures it."""

LIMIT_S = 60


@rfm.simple_test
class ClientInterfaces(NeedsDaos, RunsOnEachHost, AssayCheck):
    """The agent gives processes on each NUMA node of a client the rails of that node, and all."""

    scripts = ("client/interfaces.sh",)

    def steps(self, subject: Subject) -> Sequence[Step]:
        """For each sample, as many processes on each NUMA node as a node has rails, in turn."""
        ask = self.command(["daos", "pool", "list", "--no-query"])
        nodes, each = str(self.host(subject).numa_nodes), asks(self.cluster, subject.host)
        nodes += f"x{each}" if each > 1 else ""
        command = ["bash", "interfaces.sh", LOG, AGENT_CONFIGURATION, nodes, *ask]
        return [
            Step(name, limit_s=LIMIT_S, program="daos", commands=[command])
            for name in self.measured.names("ask")
        ]
