"""Whether a campaign is judged by another description than it was measured by, and in which parts.

The record of campaigns has digests of each part of the description when a session began. Floors,
commitments and sheets that were changed afterwards may be right; who accepts should know of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import AwareDatetime

from assay.campaign.begun import RecordOfBegun
from assay.cluster.description import MOMENTARY

FOUND = frozenset(
    {"daos.failure", "daos.found"}
    | {f"hosts.{key}" for key in MOMENTARY | {"block_devices", "links", "nvme", "vmd"}}
)
"""Parts that change by themselves, since a kernel fills them (an SSD in user space looks otherwise)
or a variable of one run; who described the system did not change them."""

_HEX_DIGITS = 32
"""Of SHA-256, in the record: its lines stay short, and nobody finds a second document for it."""


def digests(document: Mapping[str, Any]) -> dict[str, str]:
    """The digest of each part of a description, as `reframe-checks/begun.py` makes it."""
    return {
        key: hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()[:_HEX_DIGITS]
        for key, part in _parts(document)
    }


def _parts(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, part in document.items():
        if key == "hosts" and isinstance(part, dict):
            for name in sorted({name for host in part.values() for name in host}):
                yield f"hosts.{name}", {host: its.get(name) for host, its in part.items()}
        elif key == "daos" and isinstance(part, dict):
            for name, value in part.items():
                yield f"daos.{name}", value
        else:
            yield key, part


def redescribed(
    records: Sequence[RecordOfBegun],
    scale: str,
    started: AwareDatetime,
    judged: Mapping[str, str],
) -> str:
    """What differs between the description that is judged and those of the campaign's sessions.

    Args:
        records: the record of campaigns, if there is one.
        scale: the scale of the campaign.
        started: when its first session began. Two campaigns do not run at once, so it is the last
            one that was begun until then, under whatever name of the cluster.
        judged: the digests of the description that is judged.

    Returns:
        A sentence; empty if nothing differs, or if the record is older than such digests.
    """
    every = (each for record in records for each in record.campaigns)
    until = [each for each in every if each.scale == scale and each.at <= started]
    sessions = max(until, key=lambda each: each.at).described if until and judged else ()
    parts = sorted(
        {
            key
            for described in sessions
            for key in {*judged, *described} - FOUND
            if described.get(key) != judged.get(key)
        }
    )
    if not parts:
        return ""
    return (
        "judged by another description than it was measured by; changed since the campaign was"
        f" begun: {', '.join(parts)}"
    )
