"""The agent of one client is killed under load, and started again by systemd."""

from __future__ import annotations

from assay.checks import recovery_limits as limits
from assay.checks.benchmarks.loss_load import the_last_client
from assay.checks.benchmarks.losses import BEFORE, COUNTED, check_of
from assay.checks.entry import Metric
from assay.tools.daos.losses import AGENT

TRIED_S = 300
"""How long new processes of the client are tried, in seconds (own choice: by then systemd has given
up an agent that cannot start)."""

RECOVERY_S = 30
"""What the return of an agent is expected to take, in seconds (own choice: systemd waits 10 s)."""

AGENT_LOSS = check_of(
    "AgentLoss",
    AGENT,
    (
        Metric("reconnection", "s", limits.reconnection, better="lower"),
        Metric("longest_stall", "s", limits.no_timeout, better="lower"),
        BEFORE,
        *(
            Metric(
                name,
                "MiB/s",
                limits.part_of(BEFORE.name, limits.back, "no data passes an agent (own choice)"),
            )
            for name in ("bandwidth_without_agent", "bandwidth_reconnected")
        ),
        *COUNTED,
    ),
    RECOVERY_S,
    the_last_client,
)
