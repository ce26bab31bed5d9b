"""A POSIX file system end to end, measured with fio as an application would use it."""

import reframe as rfm

from fio_check import FioCheck


@rfm.simple_test
class PosixFio(FioCheck):
    """Buffered 1 MiB I/O of one process, written with fsync, read back from the disk."""

    ioengine = "psync"
    direct = False
