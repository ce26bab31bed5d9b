"""SSDs, measured with fio, bypassing the page cache."""

from collections.abc import Iterator

import reframe as rfm
from reframe.core.builtins import variable

from assay.checks.plan import Metric
from assay.tools.fio import Job
from fio_check import FioCheck
from mixins.in_flight import KeepsInFlight


@rfm.simple_test
class SsdFio(KeepsInFlight, FioCheck):
    """Direct I/O on a file of the scratch disk: 1 MiB sequential bandwidth, 4 KiB random rate."""

    #: Seconds of each phase of random I/O.
    random_s = variable(int)

    def phases(self) -> Iterator[Job]:
        """Sequential phases cover the whole file; random phases run for a fixed time."""
        yield self.phase("write_1m")
        yield self.phase("read_1m")
        yield self.phase("randwrite_4k", random=True, seconds=self.random_s)
        yield self.phase("randread_4k", random=True, seconds=self.random_s)

    def depth(self, metric: Metric) -> int:
        """The depth from the catalogue, or from `-S`."""
        return self.in_flight[metric.name]
