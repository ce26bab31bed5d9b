"""Storage class memory in DRAM, measured with fio on the tmpfs of a `class: ram` tier."""

from collections.abc import Iterator
from pathlib import Path

import reframe as rfm

from assay.subject import Subject
from assay.tools.fio import Job
from fio_check import FioCheck


@rfm.simple_test
class ScmFio(FioCheck):
    """The tmpfs of each `class: ram` engine: 1 MiB bandwidth and 4 KiB rate of one process."""

    file_mib = {"quick": 256, "acceptance": 768}
    engine = "psync"
    direct = False

    def directory(self, subject: Subject) -> Path:
        """Where the engine would mount it."""
        return self.cluster.engine(subject).ram_tier.scm_mount

    def phases(self) -> Iterator[Job]:
        """Memory is fast: each phase runs for a time, over a file that is all there."""
        seconds = {"quick": 1, "acceptance": 10}[self.scale]
        yield Job("write_1m", "write", "1m", seconds=seconds)
        yield Job("read_1m", "read", "1m", seconds=seconds)
        yield Job("write_4k", "randwrite", "4k", seconds=seconds)
        yield Job("read_4k", "randread", "4k", seconds=seconds)
