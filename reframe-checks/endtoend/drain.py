"""A rank of a DAOS system that is drained under load, and taken back."""

import reframe as rfm

from assay_check import AssayCheck
from mixins.losses import LosesPart


@rfm.simple_test
class Drain(LosesPart, AssayCheck):
    """An engine drained under a load of fio on all clients, as before maintenance."""
