"""Metadata of all clients together, measured with mdtest."""

from collections.abc import Sequence

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.shell import RAW
from assay.subject import Subject
from assay.tools.mdtest import CreationStonewall, Mdtest, parse
from assay_check import AssayCheck
from mixins.backends import UsesEachBackend

FILES = 1_000_000
"""Most files of each process, which only have to be enough for the deadline."""


class MdtestCheck(UsesEachBackend, AssayCheck):
    """Files are made until a deadline, then looked at, read and taken away by other ranks."""

    #: Seconds after which mdtest stops making files.
    stonewall_s = variable(int)

    #: MiB of room in a shared directory, which the deadline does not limit.
    scratch_mib = variable(int)

    #: One directory for all ranks.
    shared = False

    def needed_mib(self) -> int:
        """Without so much in a shared directory the job refuses to start."""
        return self.scratch_mib

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample: of several iterations mdtest prints the mean alone."""
        return [self.one(subject, name) for name in self.measured.names("mdtest")]

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
