"""SSDs, measured with fio past the page cache."""

from collections.abc import Iterator

import reframe as rfm

from assay.tools.fio import Job
from fio_check import FioCheck


@rfm.simple_test
class SsdFio(FioCheck):
    """Direct I/O on a file of the scratch disk: 1 MiB sequential bandwidth, 4 KiB random rate."""

    file_mib = {"quick": 512, "acceptance": 16384}

    def phases(self) -> Iterator[Job]:
        """Sequential phases cover the whole file, random ones run for a time."""
        seconds = {"quick": 1, "acceptance": 30}[self.scale]
        yield Job("write_1m", "write", "1m", depth=16)
        yield Job("read_1m", "read", "1m", depth=16)
        yield Job("randwrite_4k", "randwrite", "4k", depth=64, seconds=seconds)
        yield Job("randread_4k", "randread", "4k", depth=64, seconds=seconds)
