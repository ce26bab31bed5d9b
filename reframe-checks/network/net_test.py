"""DAOS's own fabric, measured with the test that comes with the client."""

from collections.abc import Iterable, Sequence
from functools import partial

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.checks.net_test import read
from assay.subject import Subject
from assay.tools import net_test
from assay_check import AssayCheck
from mixins.daos import NeedsDaos, patience_s, srun
from mixins.in_flight import KeepsInFlight
from mixins.launch import StartsItsPrograms


@rfm.simple_test
class NetTest(NeedsDaos, KeepsInFlight, StartsItsPrograms, AssayCheck):
    """RPCs of 1 KiB from one client after the other to all targets: rate and percentiles."""

    #: RPCs to each endpoint.
    rpcs = variable(int)

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One client at a time."""
        return [[subject] for subject in self.subjects]

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample; the targets have the same tags on all engines."""
        server = self.cluster.hosts[self.daos.servers[0]]
        asked = net_test.NetTest(
            server.engines[0].tags.targets,
            inflight=self.in_flight["rate"],
            repetitions=self.rpcs,
        )
        command = self.command(asked.command(self.daos.version))
        rpcs = self.ranks * len(asked.tags) * asked.repetitions
        return [
            Step(
                name,
                limit_s=patience_s(rpcs, asked.inflight),
                program="daos",
                commands=[[*srun([subject.host]), *command]],
                parse=partial(read, self.cluster),
            )
            for name in self.measured.names("run")
        ]
