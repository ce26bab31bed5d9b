"""nvme-cli and smartmontools: the wear of a disk and its identity."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from assay.foreign.documents import from_json
from assay.foreign.files import ForeignError


class Disk(NamedTuple):
    """A disk as `smartctl --json --all` shows it; what it does not show is empty."""

    model: str
    serial: str
    firmware: str
    worn_percent: float | None


def smart_log(printed: str) -> float | None:
    """Used percentage of an SSD's endurance, from ``nvme smart-log --output-format=json``.

    It may be above 100. nvme-cli calls it `percent_used`, in some releases `percentage_used`.
    """
    document = _object(printed)
    return _number(document.get("percent_used", document.get("percentage_used")))


def smartctl(printed: str) -> Disk | None:
    """Read the output of ``smartctl --json --all``; None if smartctl does not know the disk."""
    document = _object(printed)
    if not document.get("model_name"):
        return None
    log = document.get("nvme_smart_health_information_log")
    return Disk(
        str(document["model_name"]),
        str(document.get("serial_number", "")),
        str(document.get("firmware_version", "")),
        _number(log.get("percentage_used")) if isinstance(log, dict) else None,
    )


def _object(printed: str) -> dict[str, Any]:
    try:
        document = from_json(printed.encode())
    except (ForeignError, json.JSONDecodeError):
        return {}
    return document if isinstance(document, dict) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
