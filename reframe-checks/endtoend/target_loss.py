"""A target of a DAOS system that is excluded under load, and taken back."""

import reframe as rfm

from assay_check import AssayCheck
from mixins.losses import LosesPart


@rfm.simple_test
class TargetLoss(LosesPart, AssayCheck):
    """A target excluded under a load of fio on all clients: rebuild, reintegration."""
