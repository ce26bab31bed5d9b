"""SSDs, measured with fio, bypassing the page cache."""

import reframe as rfm
from reframe.core.builtins import variable

from assay.checks.plan import Metric
from fio_check import FioCheck
from mixins.in_flight import KeepsInFlight


@rfm.simple_test
class SsdFio(KeepsInFlight, FioCheck):
    """Direct I/O on a file of the scratch disk: 1 MiB sequential bandwidth, 4 KiB random rate."""

    #: Seconds of each phase of random I/O.
    random_s = variable(int)

    def depth(self, metric: Metric) -> int:
        """The depth from the catalogue, or from `-S`."""
        return self.in_flight[metric.name]
