"""The leader of a pool's service that is lost under load, and brought back."""

import reframe as rfm

from assay_check import AssayCheck
from mixins.losses import LosesPart


@rfm.simple_test
class ServiceLoss(LosesPart, AssayCheck):
    """The engine that leads a pool's service killed under a load of fio on all clients."""
