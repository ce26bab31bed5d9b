"""A POSIX file system end to end, measured with fio as an application would use it."""

from collections.abc import Iterator

import reframe as rfm

from assay.tools.fio import Job
from fio_check import FioCheck


@rfm.simple_test
class PosixFio(FioCheck):
    """Buffered 1 MiB I/O of one process, written with fsync, read back from the disk."""

    ioengine = "psync"
    direct = False

    def phases(self) -> Iterator[Job]:
        """A write and its fsync, timed together; and a read, before which fio drops the pages."""
        yield self.phase("write_1m", fsync=True)
        yield self.phase("read_1m")
