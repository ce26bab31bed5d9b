"""begun.py PLACE EVENT CAMPAIGN SCALE STATUS: append a line to the record of campaigns in PLACE.

EVENT is `begun` or `ended`. Each line has a MAC (HMAC-SHA256) over itself and the line before, by a
key that lies beside the record and that only this user reads. So a line that was changed, removed
or put between others shows, also in a copy. It does not show that the last lines, or the record
with its key, were removed, and whoever is this user or root can write any record.

A line with `begun` has a digest of each part of the description, so that a sign-off by another one
shows, and in which parts (`assay.campaign.redescribed` makes the same digests).
"""

import hashlib
import hmac
import json
import os
import secrets
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path


def main() -> None:
    """Append the line, and wait until it is on the disk."""
    place, event, campaign, scale, status = sys.argv[1:]
    directory = Path(place)
    directory.mkdir(mode=0o700, exist_ok=True)
    key, record = directory.parent / "begun.key", directory / "record.tsv"
    if not key.exists():
        with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    described = _description()
    line = json.dumps(
        {
            "event": event,
            "campaign": campaign,
            "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),  # noqa: UP017
            "cluster": str(described.get("name", "")),
            "scale": scale,
            "status": int(status),
            **({"described": _digests(described)} if event == "begun" else {}),
        }
    )
    before = lines[-1].rpartition("\t")[2] if lines else ""
    mac = hmac.new(key.read_bytes(), f"{before}{line}".encode(), hashlib.sha256).hexdigest()
    with record.open("a", encoding="utf-8") as file:
        file.write(f"{line}\t{mac}\n")
        file.flush()
        os.fsync(file.fileno())


def _description() -> "dict[str, object]":
    """The description; ReFrame itself reports one that cannot be read."""
    try:
        path = os.environ.get("ASSAY_CLUSTER", "/etc/assay/cluster.json")
        described = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return described if isinstance(described, dict) else {}


def _digests(described: "dict[str, object]") -> "dict[str, str]":
    return {
        key: hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()[:32]
        for key, part in _parts(described)
    }


def _parts(described: "dict[str, object]") -> "Iterator[tuple[str, object]]":
    """Each key, of DAOS's part each of its own, and each key of a host, of all hosts together."""
    for key, part in described.items():
        if key == "hosts" and isinstance(part, dict):
            for name in sorted({name for host in part.values() for name in host}):
                yield f"hosts.{name}", {host: its.get(name) for host, its in part.items()}
        elif key == "daos" and isinstance(part, dict):
            for name, value in part.items():
                yield f"daos.{name}", value
        else:
            yield key, part


main()
