"""A pool of a DAOS system that is extended to one more engine under load."""

import reframe as rfm

from assay_check import AssayCheck
from mixins.losses import LosesPart


@rfm.simple_test
class Extend(LosesPart, AssayCheck):
    """A pool extended to an engine under a load of fio on all clients, as after a purchase."""
