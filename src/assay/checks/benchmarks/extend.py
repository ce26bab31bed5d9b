"""A pool of a DAOS system is extended to one more engine under load, as after a purchase."""

from __future__ import annotations

from assay.checks import recovery_limits as limits
from assay.checks.benchmarks.loss_load import the_last_to_spare
from assay.checks.benchmarks.losses import AFTER, BEFORE, COUNTED, UNPUBLISHED, check_of
from assay.checks.entry import Metric
from assay.checks.figures import Unrated
from assay.tools.daos.losses import EXTEND as KIND

RECOVERY_S = 120
"""What an extension with little data is expected to take, in seconds (own choice: 53 s were
seen with DAOS 2.8)."""

EXTEND = check_of(
    "Extend",
    KIND,
    (
        Metric("extension", "s", UNPUBLISHED, better="lower"),
        Metric("longest_stall", "s", limits.no_timeout, better="lower"),
        BEFORE,
        Metric(
            "bandwidth_extending",
            "MiB/s",
            Unrated("no figure of another system is published"),
        ),
        AFTER,
        *COUNTED,
    ),
    RECOVERY_S,
    the_last_to_spare,
)
