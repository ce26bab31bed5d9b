"""Effects that all metrics of a campaign share, said once and not of each metric.

A cluster that has rested is slow in the first sample of nearly every check. Nobody wants to know
that of a thousand metrics, and no median needs that sample. And if everything becomes a little
slower from the first sample of a run to the last, that is one finding on the cluster, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.judge.limits import Flags, Limits, Numbers
from assay.judge.stats import Array, Summaries, middle, summarize_all

COLD = 0.03
"""Minimum median loss of the first samples of a check that starts cold (own choice)."""

NEARLY_ALL = 0.8
"""Minimum share of a check's metrics whose first sample is the worst (own choice): of three equal
samples, a third has it by chance."""

FEWEST_METRICS = 4
"""Checks with fewer metrics say nothing of what they share (own choice)."""

FEWEST_CHECKS = 3
"""Minimum number of such checks, of which most have to agree (own choice)."""

FEWEST_LEFT = 2
"""Number of samples that have to remain."""

DRIFT_IN_COMMON = 0.01
"""Minimum common change from the first sample to the last that is a finding (own choice)."""


@dataclass(frozen=True, slots=True)
class ColdStart:
    """The first samples of the campaign's checks are slow."""

    loss: float
    """Median loss of the first sample against the others, of all checks that have it."""
    rows: Flags
    """The metrics whose first sample does not count."""

    def __str__(self) -> str:
        return (
            f"cold start: the first sample of {int(np.sum(self.rows)):,} metrics is {self.loss:.0%}"
            " slower than the others, in nearly all checks; it does not count"
        )


def cold_start(rows: Sequence[Sequence[float]], more: Flags, check: Numbers) -> ColdStart | None:
    """Find the common loss of first samples; None if there is none.

    Args:
        rows: the samples of each metric, in the order in which they were taken.
        more: whether more is better.
        check: metrics with the same number are of one check.
    """
    gain, worst = np.full(len(rows), np.nan), np.zeros(len(rows), dtype=bool)
    for number, row in enumerate(rows):
        if len(row) > FEWEST_LEFT:
            first, others = row[0], np.asarray(row[1:])
            rest = middle(others)
            gain[number] = (first / rest if more[number] else rest / first) - 1
            worst[number] = first < others.min() if more[number] else first > others.max()
    cold = set()
    losses, asked = [], 0
    for each in range(int(check.max(initial=-1)) + 1):
        own = (check == each) & ~np.isnan(gain)
        if np.sum(own) < FEWEST_METRICS:
            continue
        asked += 1
        loss = -middle(gain[own])
        if loss > COLD and np.mean(worst[own]) >= NEARLY_ALL:
            cold.add(each)
            losses.append(loss)
    if asked < FEWEST_CHECKS or len(cold) <= asked / 2:
        return None
    # Checks with few metrics are of the same cluster.
    small = ~np.isin(check, list(cold)) & worst & (gain < -COLD)
    return ColdStart(
        middle(np.array(losses)), (np.isin(check, list(cold)) | small) & ~np.isnan(gain)
    )


def common_drift(summaries: Summaries, more: Flags, check: Numbers) -> str | None:
    """A sentence if nearly all checks become slower, or faster, during their runs."""
    gain = np.where(more, summaries.change, -summaries.change)
    changes: list[float] = []
    for each in range(int(check.max(initial=-1)) + 1):
        own: Array = gain[(check == each) & (summaries.count > FEWEST_LEFT)]
        if len(own) >= FEWEST_METRICS:
            changes.append(middle(own))
    if len(changes) < FEWEST_CHECKS:
        return None
    together = middle(np.array(changes))
    alike = np.mean(np.sign(changes) == np.sign(together))
    if abs(together) < DRIFT_IN_COMMON or alike < NEARLY_ALL:
        return None
    how = "faster" if together > 0 else "slower"
    return (
        f"common drift: from the first sample to the last of their runs, nearly all checks become"
        f" {how}, by {abs(together):.1%}"
    )


def settled_rows(
    rows: Sequence[Sequence[float]], limits: Limits
) -> tuple[Sequence[Sequence[float]], Summaries, tuple[str, ...]]:
    """The samples that count, what they say together, and what all metrics have in common.

    Raises:
        ValueError: the limits have no checks.
    """
    if limits.check is None:
        raise ValueError("limits without checks: nothing is in common")
    cold = cold_start(rows, limits.more, limits.check)
    if cold is not None:
        rows = [row[1:] if skip else row for row, skip in zip(rows, cold.rows, strict=True)]
    summaries = summarize_all(rows)
    drift = common_drift(summaries, limits.more, limits.check)
    return rows, summaries, tuple(str(each) for each in (cold, drift) if each is not None)
