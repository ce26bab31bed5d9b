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
"""Maximum number of files of each process, which must only be enough to reach the deadline."""


AFTER_CREATION_S = 300
"""Time for stat, read and removal, beyond twenty times that of creation.

Where two engines and two ranks shared two cores, 1,820 files were created in 2 s, and not removed
after another 98 s: 20 to 50 were removed each second.
"""


class MdtestCheck(UsesEachBackend, AssayCheck):
    """Files are created until a deadline; then other ranks stat, read and remove them."""

    #: Seconds after which mdtest stops creating files.
    stonewall_s = variable(int)

    #: MiB that must be free in a shared directory. The deadline does not limit what is written.
    scratch_mib = variable(int)

    #: One directory for all ranks.
    shared = False

    def needed_mib(self) -> int:
        """The job refuses to start with less free space in a shared directory."""
        return self.scratch_mib

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample, since mdtest prints only the mean of several iterations."""
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
            limit_s=AFTER_CREATION_S + 20 * self.stonewall_s,
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
