"""Checks of DAOS that ran to their end, and left their raw outputs but no samples."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from assay.campaign.cases import Case
from assay.campaign.outputs import Outputs
from assay.campaign.results import Results
from assay.checks.plan import requirements
from assay.cluster.description import Cluster
from assay.judge.engines import Engines, engines

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def ended(
    root: Path, check: str, *, scale: str = "quick", taken: int = 3, at: datetime = MOMENT
) -> Case:
    """The check on the clients, whose outputs are in `output/CHECK` below the root."""
    return Case(
        check=check,
        partition="clients",
        scale=scale,
        problem=None,
        samples={},
        deviations=(),
        taken=taken,
        problems={},
        benchmark_seconds=1.0,
        output=Outputs(root, f"output/{check}", ()),
        report=Path("report.json"),
        runs=1,
        started=at,
        ended=at,
    )


def campaign_of(*cases: Case) -> Results:
    """The campaign of these checks."""
    by_key = {each.key: each for each in cases}
    return Results((), by_key, MOMENT, MOMENT, "4.10", 1.0, (), with_outputs=True)


def reported(cluster: Cluster, results: Results) -> tuple[Engines, ...]:
    """The engines' reports on a campaign."""
    return engines(cluster, requirements(cluster), results)
