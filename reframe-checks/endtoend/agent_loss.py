"""The agent of a client that is killed under load, and started again by systemd."""

from collections.abc import Sequence
from dataclasses import replace

import reframe as rfm

from assay.campaign.steps import Shell, Step
from assay.checks.benchmarks.agent_loss import TRIED_S
from assay.checks.benchmarks.loss_load import LABEL, LOST
from assay.shell import Text
from assay.subject import Subject
from assay_check import AssayCheck, Commands
from mixins.daos import srun
from mixins.losses import LosesPart


@rfm.simple_test
class AgentLoss(LosesPart, AssayCheck):
    """The agent of a client killed under a load of fio on all clients, and started by systemd."""

    scripts = (*LosesPart.scripts, "lose_agent.sh")

    def guards(self, subject: Subject) -> Commands:
        """The agents give what is described, and those of the other clients stay the same."""
        del subject
        others = [host for host in self.hosts if host != self.client]
        stay = [["same_agent", *srun(others)]] if others else []
        return [*stay, self.attached(self.hosts, *srun(self.hosts))]

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """The same as of its siblings; beside each first load, the client waits for the word."""
        steps = list(super().steps(subject))
        for number in self.times:
            connect = self.command(["daos", "pool", "query", LABEL])
            lose: list[Text] = ["bash", "lose_agent.sh", str(number), str(TRIED_S), *connect]
            for at, step in enumerate(steps):
                if isinstance(step, Step) and step.name == f"{LOST}.{number}":
                    commands = [*step.commands, [*srun([self.client]), *lose]]
                    steps[at] = replace(step, commands=commands)
        return steps
