"""SSDs that have written all that they were made for."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfHost
from assay.problems import Problem
from assay.tools.host.fingerprint import worn_percent

WORN_OUT_PERCENT = 100
"""The endurance that the vendor estimated (Percentage Used in the NVMe base specification's SMART
log)."""


@OfHost.rule
def wear_rules(of: OfHost) -> Iterator[Problem]:
    """Warn of SSDs beyond the endurance for which their vendor answers."""
    name, host = of.name, of.host
    for reading, value in host.fingerprint.readings.items():
        percent = worn_percent(reading, value)
        if percent is not None and percent >= WORN_OUT_PERCENT:
            yield Problem(
                name,
                f"fingerprint.{reading}",
                value,
                f"should be less than {WORN_OUT_PERCENT} %, at which the vendor's estimate of its"
                " endurance is used up (nvme smart-log). Replace it before the acceptance",
                severity="warning",
            )
