"""DAOS's own fabric, measured with the test that comes with the client."""

from collections.abc import Iterable, Sequence
from functools import partial

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.checks.benchmarks.net_test import asks_all, read
from assay.checks.pairs import engines_of
from assay.subject import Subject
from assay.tools import net_test
from assay_check import AssayCheck
from mixins.daos import NeedsDaos, patience_s, srun
from mixins.in_flight import KeepsInFlight
from mixins.launch import StartsItsPrograms


@rfm.simple_test
class NetTest(NeedsDaos, KeepsInFlight, StartsItsPrograms, AssayCheck):
    """RPCs of 1 KiB from each client to all targets, or many of them: rate and percentiles."""

    #: RPCs to each endpoint.
    rpcs = variable(int)

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no two clients ask the same engine; with few engines, one at a time."""
        return engines_of(self.cluster).rounds

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample; targets have the same tags on all engines."""
        server = self.cluster.hosts[self.daos.servers[0]]
        engines = engines_of(self.cluster).partners[subject]
        asked = net_test.NetTest(
            server.engines[0].tags.targets,
            ranks=() if asks_all(self.measured, subject) else self.ranks_of(engines),
            inflight=self.in_flight["rate"],
            repetitions=self.rpcs,
        )
        command = self.command(asked.command(self.daos.version))
        rpcs = len(engines) * len(asked.tags) * asked.repetitions
        return [
            Step(
                name,
                limit_s=patience_s(rpcs, asked.inflight),
                program="daos",
                commands=[[*srun([subject.host]), "--label", *command]],
                parse=partial(read, self.measured, subject),
            )
            for name in self.measured.names("run")
        ]
