"""One engine of a DAOS system is drained under load, as before maintenance, and taken back."""

from __future__ import annotations

from assay.checks import recovery_limits as limits
from assay.checks.benchmarks.losses import AFTER, BEFORE, COUNTED, UNPUBLISHED, check_of
from assay.checks.entry import Metric
from assay.checks.figures import Unrated
from assay.tools.daos.losses import DRAIN as LOSS

RECOVERY_S = 120
"""What a drain and a reintegration of little data are expected to take, in seconds (own choice: 46
and 45 s were seen with DAOS 2.8)."""

DRAIN = check_of(
    "Drain",
    LOSS,
    (
        Metric("drained", "s", UNPUBLISHED, better="lower"),
        Metric("reintegration", "s", UNPUBLISHED, better="lower"),
        Metric("longest_stall", "s", limits.no_timeout, better="lower"),
        BEFORE,
        Metric(
            "bandwidth_draining",
            "MiB/s",
            Unrated(
                "no figure of another system is published; DAOS 2.8 leaves a rebuild 30 % of an"
                " engine's CPU (REBUILD_RATIO in src/engine/sched.c), which limits neither its SSDs"
                " nor its links"
            ),
        ),
        Metric(
            "bandwidth_drained",
            "MiB/s",
            limits.part_of(
                BEFORE.name, limits.without_one, "80 % of what the other engines did (own choice)"
            ),
        ),
        AFTER,
        *COUNTED,
    ),
    RECOVERY_S,
)
