"""Storage class memory in DRAM, measured with fio on the tmpfs of a `class: ram` tier."""

from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.subject import Subject
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
