"""A rank of a DAOS system that is lost under load, and brought back."""

import reframe as rfm

from assay_check import AssayCheck
from mixins.losses import LosesPart


@rfm.simple_test
class RankLoss(LosesPart, AssayCheck):
    """An engine killed under a load of fio on all clients: exclusion, rebuild, reintegration."""
