"""One target of a DAOS system is excluded under load, made up for, and taken back."""

from __future__ import annotations

from assay.checks import recovery_limits as limits
from assay.checks.benchmarks.losses import AFTER, BEFORE, COUNTED, UNPUBLISHED, check_of
from assay.checks.entry import Metric
from assay.tools.daos.losses import EXCLUDE

RECOVERY_S = 120
"""What an exclusion by hand and a reintegration of little data are expected to take, in seconds
(own choice: 23 and 50 s were seen with DAOS 2.8)."""

TARGET_LOSS = check_of(
    "TargetLoss",
    EXCLUDE,
    (
        Metric("redundancy", "s", UNPUBLISHED, better="lower"),
        Metric("reintegration", "s", UNPUBLISHED, better="lower"),
        Metric("longest_stall", "s", limits.no_timeout, better="lower"),
        BEFORE,
        Metric(
            "bandwidth_degraded",
            "MiB/s",
            limits.part_of(
                BEFORE.name,
                limits.left_of_targets,
                "half of what the other targets did (own choice)",
            ),
        ),
        AFTER,
        *COUNTED,
    ),
    RECOVERY_S,
)
