"""A POSIX file system end to end, measured with fio as an application would use it."""

from collections.abc import Iterator

import reframe as rfm

from assay.tools.fio import Job
from fio_check import FioCheck


@rfm.simple_test
class PosixFio(FioCheck):
    """Buffered 1 MiB I/O of one process, written with fsync, read back from the disk."""

    file_mib = {"quick": 512, "acceptance": 16384}
    engine = "psync"
    direct = False

    def phases(self) -> Iterator[Job]:
        """The write's time includes its fsync; before each read fio drops the file's pages."""
        yield Job("write_1m", "write", "1m", fsync=True)
        yield Job("read_1m", "read", "1m")
