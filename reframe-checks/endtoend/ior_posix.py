"""A POSIX file system that all clients share, measured with IOR."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import reframe as rfm

from assay.plan import Metric
from assay.steps import Evict, Step
from assay.tools.ior import TOOL, Run, parse
from assay.tools.output import Parsed, Sample, merged
from mpi_check import MpiCheck

BLOCK_MIB = {"quick": 128, "acceptance": 4096}


@rfm.simple_test
class IorPosix(MpiCheck):
    """IOR on a shared directory: a file for each process, fsync, read by another than wrote it."""

    @property
    def scratch_mib(self) -> Mapping[str, int]:
        """Room for every rank's file."""
        return {scale: mib * self.tasks + 64 for scale, mib in BLOCK_MIB.items()}

    def directory(self, subject: str) -> Path:
        """The directory that all clients share."""
        return self.cluster.benchmarks.shared_directory

    def steps(self, subject: str) -> Sequence[Step | Evict]:
        """Write and read apart, so that what is read has left the page cache before."""
        both = Run("$SCRATCH/ior", "1m", f"{BLOCK_MIB[self.scale]}m")
        steps: list[Step | Evict] = []
        for number in self.times:
            write = replace(both, read=False, keep=True)
            read = replace(both, write=False)
            steps += [
                self.one(f"write.{number}", write),
                Evict(f"read.{number}", "$SCRATCH"),
                self.one(f"read.{number}", read),
            ]
        return steps

    def one(self, name: str, run: Run) -> Step:
        """One run of IOR, which leaves its summary beside what it printed."""
        program = self.cluster.benchmarks.ior
        command = self.launch(program, run.command(f"$RAW/{name}.json"))
        return Step(name, limit_s=600, program=str(program), commands=[command])

    def parsed(self, subject: str, raw: Path) -> Parsed:
        """The summary of every run, and the warnings that are printed beside it alone."""
        return merged(
            TOOL,
            (
                parse(
                    "".join(
                        (raw / f"{step.name}.{kind}").read_text(encoding="utf-8")
                        for kind in ("out", "err", "json")
                    ),
                    expected_tasks=self.tasks,
                    expected_nodes=len(self.hosts),
                )
                for step in self.steps(subject)
                if isinstance(step, Step)
            ),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase."""
        return sample.metric == f"{metric.name}_bandwidth"
