"""Metadata of a POSIX file system that all clients share, measured with mdtest."""

from collections.abc import Sequence
from pathlib import Path

import reframe as rfm

from assay.plan import Metric
from assay.steps import Step
from assay.tools.mdtest import TOOL, Run, parse
from assay.tools.output import Parsed, Sample, merged
from mpi_check import MpiCheck

FILES = {"quick": 2000, "acceptance": 50000}
"""Files of each process."""

PHASES = {
    "create": "file_creation",
    "stat": "file_stat",
    "read": "file_read",
    "remove": "file_removal",
}


@rfm.simple_test
class MdtestPosix(MpiCheck):
    """mdtest on a shared directory: empty files, a directory for each process."""

    scratch_mib = {"quick": 64, "acceptance": 1024}

    def directory(self, subject: str) -> Path:
        """The directory that all clients share."""
        return self.cluster.benchmarks.shared_directory

    def steps(self, subject: str) -> Sequence[Step]:
        """One run for each sample: of several iterations mdtest prints the mean alone."""
        run = Run("$SCRATCH/mdtest", FILES[self.scale])
        program = self.cluster.benchmarks.mdtest
        command = self.launch(program, run.command())
        return [
            Step(f"mdtest.{number}", limit_s=300, program=str(program), commands=[command])
            for number in self.times
        ]

    def parsed(self, subject: str, raw: Path) -> Parsed:
        """The rates of every run."""
        return merged(
            TOOL,
            (
                parse(
                    (raw / f"{step.name}.out").read_text(encoding="utf-8"),
                    expected_tasks=self.tasks,
                    expected_nodes=len(self.hosts),
                )
                for step in self.steps(subject)
            ),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase."""
        return sample.metric == PHASES[metric.name]
