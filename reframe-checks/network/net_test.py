"""DAOS's own fabric, measured with the test that comes with the client."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Step, text
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools import net_test
from assay.tools.output import Parsed, Sample, merged
from assay.tools.text import by_process
from assay_check import PartitionCheck
from daos_check import SystemCheck, patience_s, srun


@rfm.simple_test
class NetTest(SystemCheck, PartitionCheck):
    """RPCs of 1 KiB from one client after the other to all targets: rate and percentiles."""

    repetitions = {"quick": 3, "acceptance": 5}

    #: RPCs to each endpoint, by scale.
    rpcs = {"quick": 1000, "acceptance": 10000}

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One client at a time."""
        return [[subject] for subject in self.subjects]

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample; the targets have the same tags on all engines."""
        server = self.cluster.hosts[self.cluster.daos.servers[0]]
        asked = net_test.NetTest(server.engines[0].tags.targets, repetitions=self.rpcs[self.scale])
        command = self.command(asked.command(self.cluster.daos.version))
        rpcs = self.ranks * len(asked.tags) * asked.repetitions
        return [
            Step(
                f"run.{number}",
                limit_s=patience_s(rpcs, asked.inflight),
                program="daos",
                commands=[[*srun([subject.host]), *command]],
                parse=self.read,
            )
            for number in self.times
        ]

    def read(self, text: str) -> Parsed:
        """One run."""
        (output,) = by_process(text).values() or ("",)
        return net_test.parse(output, expected_ranks=self.ranks)

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """Every run."""
        return merged(
            net_test.TOOL,
            (self.read(text(raw, step.name, "out")) for step in self.steps(subject)),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By its name; the median is the latency itself."""
        return sample.metric == {"latency_p50": "latency"}.get(metric.name, metric.name)
