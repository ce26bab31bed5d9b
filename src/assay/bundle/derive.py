"""What follows from a bundle's raw outputs and run reports, for the sign-off and for `verify`."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from assay.bundle import raw_samples
from assay.campaign import results
from assay.campaign.cases import place_of
from assay.campaign.results import Results
from assay.campaign.run_report import TestCase
from assay.cluster.description import Cluster
from assay.foreign.files import Tree


def measured(bundle: Path, cluster: Cluster, *, with_outputs: bool = True) -> Results:
    """What the run reports in a bundle say was measured.

    Args:
        bundle: its directory.
        cluster: the cluster.
        with_outputs: whether a figure needs a raw output to count.

    Raises:
        ReportError: a report or a raw output cannot be used.
    """
    reports = str(Path(glob.escape(str(bundle)), results.REFRAME, "*.json"))
    return results.read(reports, cluster, bundle if with_outputs else None, _place)


def contradictions(found: Results, cluster: Cluster, bundle: Path) -> Iterator[str]:
    """Where the run reports say something else than the raw outputs, in words."""
    if found.with_outputs:
        yield from raw_samples.differences(found, cluster, Tree(bundle))


CLOCKS_APART = timedelta(minutes=10)
"""Tolerance between the clocks of the hosts that measured, signed and verify (this project's own
choice)."""


def too_early(made_at: datetime, found: Results) -> Iterator[str]:
    """Whether a sign-off was made before its measurements ended, in words."""
    if found.ended > made_at + CLOCKS_APART:
        yield (
            f"it was made at {made_at:%Y-%m-%d %H:%M} UTC, before its measurements ended at"
            f" {found.ended:%Y-%m-%d %H:%M} UTC"
        )


def _place(case: TestCase) -> list[str]:
    """The directory of a check's outputs in a bundle, regardless of the run report."""
    return [place_of(case.partition, case.check, case.round)]
