"""Metadata of all clients together, measured with mdtest."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Step, printed
from assay.checks.plan import Metric
from assay.shell import RAW
from assay.subject import Subject
from assay.tools.mdtest import TOOL, Run, Stonewall, parse
from assay.tools.output import Parsed, Sample, merged
from mpi_check import STONEWALL_S, BackendCheck

FILES = 1_000_000
"""Most files of each process, which only have to be enough for the deadline."""

PHASES = {
    "create": "file_creation",
    "stat": "file_stat",
    "read": "file_read",
    "remove": "file_removal",
}


class MdtestCheck(BackendCheck):
    """Files are made until a deadline, then looked at, read and taken away by other ranks."""

    repetitions = {"quick": 3, "acceptance": 5}
    scratch_mib: Mapping[str, int] = {"quick": 1024, "acceptance": 16384}

    #: One directory for all ranks.
    shared = False

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample: of several iterations mdtest prints the mean alone."""
        return [self.one(subject, f"mdtest.{number}") for number in self.times]

    def one(self, subject: Subject, name: str) -> Step:
        """A run of all phases."""
        program, seconds = self.cluster.benchmarks.mdtest, STONEWALL_S[self.scale]
        dfs, transfer = self.dfs(subject), self.entry.metric("create").transfer
        size = int(transfer.value) if transfer else 0
        run = Run(
            self.path(subject, name),
            files=FILES,
            write_bytes=size,
            read_bytes=size,
            shared=self.shared,
            verify=size > 0,
            api="DFS" if dfs else "POSIX",
            dfs=dfs,
            stonewall=Stonewall(seconds, RAW / f"{name}.stonewall"),
        )
        return Step(
            name,
            # What was made before the deadline is looked at, read and removed after it.
            limit_s=60 + 20 * seconds,
            program=str(program),
            commands=[self.launch(subject, program, run.command())],
            parse=parse,
        )

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The rates of every run."""
        return merged(
            TOOL,
            (
                parse(
                    printed(raw, step),
                    expected_tasks=self.tasks,
                    expected_nodes=len(self.hosts),
                    intercepted_by=self.backend(subject).library,
                )
                for step in self.steps(subject)
            ),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase."""
        return sample.metric == PHASES[metric.name]


@rfm.simple_test
class MdtestEasy(MdtestCheck):
    """mdtest: empty files, a directory for each process."""


@rfm.simple_test
class MdtestHard(MdtestCheck):
    """mdtest: files of 3901 bytes in one directory for all processes."""

    shared = True


@rfm.simple_test
class MdtestHard2(MdtestCheck):
    """mdtest: files of 7802 bytes in one directory for all processes."""

    shared = True
