"""Storage class memory in DRAM, measured with fio on the tmpfs of a `class: ram` tier."""

from collections.abc import Iterator
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.subject import Subject
from assay.tools.fio import Job
from fio_check import FioCheck


@rfm.simple_test
class ScmFio(FioCheck):
    """The tmpfs of each `class: ram` engine: 1 MiB bandwidth and 4 KiB rate of one process."""

    ioengine = "psync"
    direct = False

    #: Seconds of each phase.
    phase_s = variable(int)

    def directory(self, subject: Subject) -> Path:
        """The engine's mount point."""
        tier = self.cluster.engine(subject).ram_tier
        assert tier
        assert tier.scm_mount
        return tier.scm_mount

    def phases(self) -> Iterator[Job]:
        """Each phase runs for a fixed time, over a complete file, since memory is fast."""
        yield self.phase("write_1m", seconds=self.phase_s)
        yield self.phase("read_1m", seconds=self.phase_s)
        yield self.phase("write_4k", random=True, seconds=self.phase_s)
        yield self.phase("read_4k", random=True, seconds=self.phase_s)
