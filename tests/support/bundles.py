"""Bundles of campaigns that never ran."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from assay.bundle import write as bundle
from assay.campaign.results import read
from assay.judge.signoff import Gate, sign_off
from clusters import described, description
from outputs import report_with_outputs

MADE = datetime(2026, 3, 2, 9, 42, tzinfo=UTC)


def campaign_in(directory: Path) -> Path:
    """Leave there what the tools leave, and ReFrame's run report."""
    document = report_with_outputs(described(description()), directory)
    (directory / "run-1.json").write_text(json.dumps(document))
    return directory


def bundle_of(campaign: Path, made_at: datetime | None = MADE) -> Path:
    """What `assay signoff` makes of a campaign."""
    cluster = described(description())
    results = read(str(campaign / "run-1.json"), cluster, campaign)
    signed = sign_off(cluster, results, Gate.MEASURED, (), "Ada Byron", made_at)
    bundle.write(signed, results, campaign / "bundle")
    return campaign / "bundle"
