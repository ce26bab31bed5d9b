"""nvme-cli and smartmontools: how worn a disk is, and what it is."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from assay.foreign.documents import from_json
from assay.foreign.files import ForeignError


class Disk(NamedTuple):
    """A disk as `smartctl --json --all` shows it; empty where it does not."""

    model: str
    serial: str
    firmware: str
    worn_percent: float | None


def smart_log(printed: str) -> float | None:
    """Percent of its endurance that an SSD has used, from ``nvme smart-log --output-format=json``.

    It may be above 100. nvme-cli calls it `percent_used`, and `percentage_used` in some releases.
    """
    document = _object(printed)
    return _number(document.get("percent_used", document.get("percentage_used")))


def smartctl(printed: str) -> Disk | None:
    """What ``smartctl --json --all`` printed of a disk; none where it is not one that it knows."""
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
