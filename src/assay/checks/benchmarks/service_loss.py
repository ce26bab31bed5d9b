"""The engine that leads the service of a pool is lost under load, and another one takes over."""

from __future__ import annotations

from assay.checks import recovery_limits as limits
from assay.checks.benchmarks.loss_load import all_servers
from assay.checks.benchmarks.losses import AFTER, BEFORE, COUNTED, DEGRADED, STALL, check_of
from assay.checks.benchmarks.rank_loss import RECOVERY_S
from assay.checks.entry import Metric
from assay.tools.daos.losses import LEADER

SERVICE_LOSS = check_of(
    "ServiceLoss",
    LEADER,
    (
        Metric("service", "s", limits.service, better="lower"),
        STALL,
        BEFORE,
        DEGRADED,
        AFTER,
        *COUNTED,
    ),
    RECOVERY_S,
    all_servers,
)
