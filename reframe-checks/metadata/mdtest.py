"""Metadata of all clients together, measured with mdtest."""

from collections.abc import Sequence
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step, printed
from assay.checks.plan import Metric
from assay.shell import RAW
from assay.subject import Subject
from assay.tools.mdtest import TOOL, CreationStonewall, Mdtest, parse
from assay.tools.output import Parsed, Sample, merged
from assay_check import AssayCheck
from mixins.backends import UsesEachBackend

FILES = 1_000_000
"""Most files of each process, which only have to be enough for the deadline."""

PHASES = {
    "create": "file_creation",
    "stat": "file_stat",
    "read": "file_read",
    "remove": "file_removal",
}


class MdtestCheck(UsesEachBackend, AssayCheck):
    """Files are made until a deadline, then looked at, read and taken away by other ranks."""

    #: Seconds after which mdtest stops making files.
    stonewall_s = variable(int)

    #: MiB of room in a shared directory, which the deadline does not limit.
    scratch_mib = variable(int)

    scales = {
        "quick": {"repetitions": 3, "stonewall_s": 2, "scratch_mib": 1024},
        # 30 s as in DAOS's own runs of IO500, whose rules want 300 s.
        "acceptance": {"repetitions": 5, "stonewall_s": 30, "scratch_mib": 16384},
    }

    #: One directory for all ranks.
    shared = False

    def needed_mib(self) -> int:
        """Without so much in a shared directory the job refuses to start."""
        return self.scratch_mib

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample: of several iterations mdtest prints the mean alone."""
        return [self.one(subject, f"mdtest.{number}") for number in self.times]

    def one(self, subject: Subject, name: str) -> Step:
        """A run of all phases."""
        program = self.benchmark("mdtest")
        dfs, transfer = self.dfs(subject), self.entry.metric("create").transfer
        size = int(transfer.value) if transfer else 0
        run = Mdtest(
            self.path(subject, name),
            files=FILES,
            write_bytes=size,
            read_bytes=size,
            shared=self.shared,
            verify=size > 0,
            api="DFS" if dfs else "POSIX",
            dfs=dfs,
            stonewall=CreationStonewall(self.stonewall_s, RAW / f"{name}.stonewall"),
        )
        return Step(
            name,
            # What was made before the deadline is looked at, read and removed after it.
            limit_s=60 + 20 * self.stonewall_s,
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
