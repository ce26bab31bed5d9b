"""SSDs that have written all that they were made for."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.problems import Problem

WORN_OUT_PERCENT = 100
"""The endurance that the vendor estimated (Percentage Used in the NVMe base specification's SMART
log)."""


def wear_rules(name: str, host: Host) -> Iterator[Problem]:
    """Warn of SSDs beyond their endurance: they slow down, and their data is no longer promised."""
    for reading, value in host.fingerprint.readings.items():
        worn = value.removesuffix(" %")
        if reading.startswith("wear of ") and _is_worn_out(worn):
            yield Problem(
                name,
                f"fingerprint.{reading}",
                value,
                f"should be less than {WORN_OUT_PERCENT} %, at which the vendor's estimate of its"
                " endurance is used up (nvme smart-log). Replace it before the acceptance",
                severity="warning",
            )


def _is_worn_out(percent: str) -> bool:
    try:
        return float(percent) >= WORN_OUT_PERCENT
    except ValueError:
        return False
