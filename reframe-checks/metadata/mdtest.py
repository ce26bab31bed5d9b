"""Metadata of all clients together, measured with mdtest."""

from collections.abc import Sequence
from functools import partial

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.shell import RAW
from assay.subject import Subject
from assay.tools.io500 import EASY_FILES
from assay.tools.mdtest import CreationStonewall, Mdtest, parse
from assay_check import AssayCheck
from mixins.backends import UsesEachBackend

NAME_BYTES = 4096
"""Bytes that the name and the entry of a file may take in a pool, at most (own choice)."""

FILES_OF_A_TRIAL = 100
"""Number of files of each process where a host is client and server.

Where two engines and two ranks shared two cores, a rank created up to 2,100 files each second, and
20 were removed, through dfuse 7: a deadline of creation alone leaves the other phases minutes of
work.
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

    def most_files(self, subject: Subject, size: int) -> int:
        """Files of each process, which fit into the share of a pool that somebody else owns."""
        allowed = self.most_bytes(subject, least=True)
        if allowed is None:
            return EASY_FILES
        return max(1, min(EASY_FILES, int(allowed / self.tasks / (size + NAME_BYTES))))

    def one(self, subject: Subject, name: str) -> Step:
        """A run of all phases."""
        program = self.benchmark("mdtest")
        dfs, transfer = self.dfs(subject), self.entry.metric("create").transfer
        size = int(transfer.value) if transfer else 0
        if self.cluster.colocated:
            files, stonewall = FILES_OF_A_TRIAL, None
        else:
            stonewall = CreationStonewall(self.stonewall_s, RAW / f"{name}.stonewall")
            files = self.most_files(subject, size)
        run = Mdtest(
            self.path(subject, name),
            files=files,
            write_bytes=size,
            read_bytes=size,
            shared=self.shared,
            verify=size > 0,
            api="DFS" if dfs else "POSIX",
            dfs=dfs,
            stonewall=stonewall,
        )
        return Step(
            name,
            # Stat, read and removal of the files come after the deadline.
            limit_s=240 + 20 * self.stonewall_s,
            program=str(program),
            commands=[self.launch(subject, program, run.command())],
            parse=partial(parse, expected_tasks=self.tasks, expected_nodes=len(self.hosts)),
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
