"""DAOS's own fabric, measured with the test that comes with the client."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step, text
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools import net_test
from assay.tools.output import Parsed, Sample, merged
from assay_check import AssayCheck
from mixins.daos import NeedsDaos, patience_s, srun
from mixins.in_flight import KeepsInFlight
from mixins.launch import StartsItsPrograms

FIGURES = {
    "rate": "rate",
    "latency_p50": "latency",
    "latency_p95": "latency_p95",
    "latency_p99": "latency_p99",
}
"""What the parser calls each metric; the median is the latency itself."""


@rfm.simple_test
class NetTest(NeedsDaos, KeepsInFlight, StartsItsPrograms, AssayCheck):
    """RPCs of 1 KiB from one client after the other to all targets: rate and percentiles."""

    #: RPCs to each endpoint.
    rpcs = variable(int)

    scales = {
        "quick": {"repetitions": 3, "rpcs": 1000},
        "acceptance": {"repetitions": 5, "rpcs": 10000},
    }

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
                f"run.{number}",
                limit_s=patience_s(rpcs, asked.inflight),
                program="daos",
                commands=[[*srun([subject.host]), *command]],
                parse=self.read,
            )
            for number in self.times
        ]

    def read(self, output: str) -> Parsed:
        """One run."""
        return net_test.parse_labelled(output, expected_ranks=self.ranks)

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """Every run."""
        return merged(
            net_test.TOOL,
            (self.read(text(raw, step.name, "out")) for step in self.steps(subject)),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By its name."""
        return sample.metric == FIGURES[metric.name]
