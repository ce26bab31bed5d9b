"""One engine of a DAOS system is lost under load, excluded, made up for, and taken back."""

from __future__ import annotations

from assay.checks import recovery_limits as limits
from assay.checks.benchmarks.losses import (
    AFTER,
    BEFORE,
    COUNTED,
    DEGRADED,
    STALL,
    UNPUBLISHED,
    check_of,
)
from assay.checks.entry import Metric
from assay.tools.daos.losses import KILL

RECOVERY_S = 600
"""What an exclusion, a rebuild and a reintegration of little data are expected to take, in seconds
(own choice: 24, 70 and 48 s were seen with DAOS 2.8)."""

RANK_LOSS = check_of(
    "RankLoss",
    KILL,
    (
        Metric("exclusion", "s", limits.exclusion, better="lower"),
        STALL,
        Metric("redundancy", "s", UNPUBLISHED, better="lower"),
        Metric("reintegration", "s", UNPUBLISHED, better="lower"),
        BEFORE,
        DEGRADED,
        AFTER,
        *COUNTED,
    ),
    RECOVERY_S,
)
