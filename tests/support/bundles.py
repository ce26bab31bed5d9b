"""Bundles of campaigns that never ran."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from assay.bundle import derive
from assay.bundle import write as bundle
from assay.campaign.results import Results, read
from assay.judge.signoff import Gate, SignOff, sign_off
from clusters import described, description
from outputs import report_with_outputs

MADE = datetime(2026, 3, 2, 9, 42, tzinfo=UTC)


def campaign_in(directory: Path) -> Path:
    """Leave there what the tools leave, and ReFrame's run report."""
    document = report_with_outputs(described(description()), directory)
    (directory / "run-1.json").write_text(json.dumps(document))
    return directory


def write(signed: SignOff, results: Results, directory: Path, key: Path | None = None) -> None:
    """Write a bundle of what was judged before, also one that a sign-off refuses to write."""
    with patch.object(derive, "contradictions", return_value=()):
        bundle.write(results, signed.cluster, lambda _: signed, directory, key)


def bundle_of(campaign: Path, made_at: datetime | None = MADE) -> Path:
    """What `assay signoff` makes of a campaign."""
    cluster = described(description())
    results = read(str(campaign / "run-1.json"), cluster, campaign)
    write(
        sign_off(cluster, results, Gate.MEASURED, (), "Ada Byron", made_at),
        results,
        campaign / "bundle",
    )
    return campaign / "bundle"
