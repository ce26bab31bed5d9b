"""What is slow from time to time: samples far below the peers', which have none or few.

A median hides them, and so does a subject's own scatter. Wild samples are counted for each subject
of a check, over all of its metrics, and held against how often its peers have them, of which there
may be three, and all that the campaign measured. Where all of them have some, that is the noise of
the benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.judge.limits import Flags, Limits, Numbers
from assay.judge.stats import NORMAL, Array, Summaries

FAR_OFF = 0.10
"""Minimum loss of a wild sample against the median of the peers (own choice)."""

DEVIATIONS = 4.5
"""The same, in standard deviations of a sample (own choice)."""

OFTEN = 0.1
"""Minimum share of wild samples of a subject (own choice)."""

EXPECTED = 1.0
"""Wild samples that all others of the campaign may have without any being seen (own choice)."""


def wild_counts(
    rows: Sequence[Sequence[float]] | Array,
    summaries: Summaries,
    limits: Limits,
    median: Array,
    distance: Array,
) -> Numbers:
    """The number of wild samples of each metric; 0 for metrics without peers.

    Args:
        rows: the samples of each metric.
        summaries: their summaries.
        limits: their limits.
        median: the median of the peers of each, NaN if it has none.
        distance: the usual deviation between these.
    """
    counts = np.zeros(len(median), dtype=int)
    sample = NORMAL * _of_group(summaries.spread, limits.group)
    far = np.fmax(FAR_OFF, DEVIATIONS * np.hypot(sample, distance))
    for row in np.flatnonzero(~np.isnan(median)).tolist():
        values = np.asarray(rows[row], dtype=float)
        gain = values / median[row] if limits.more[row] else median[row] / values
        counts[row] = np.sum(gain - 1 < -far[row])
    return counts


def intermittent(counts: Numbers, taken: Array, limits: Limits, compared: Flags) -> Flags:
    """The metrics of subjects that have surely more wild samples than their peers.

    Args:
        counts: the number of wild samples of each metric.
        taken: the number of its samples.
        limits: their limits.
        compared: the metrics that have peers.
    """
    from scipy.special import bdtrc

    flagged = np.zeros(len(counts), dtype=bool)
    rows = np.flatnonzero(compared)
    if not len(rows) or not counts.any():
        return flagged
    _, subject = np.unique(limits.subject[rows], return_inverse=True)
    wild, number = np.bincount(subject, counts[rows]), np.bincount(subject, taken[rows])
    # Subjects with the same first group are peers.
    first = np.full(len(wild), np.iinfo(int).max)
    np.minimum.at(first, subject, limits.group[rows])
    _, family = np.unique(first, return_inverse=True)
    others = np.bincount(family, wild)[family] - wild
    of = np.bincount(family, number)[family] - number
    anywhere = (wild.sum() - wild + EXPECTED) / np.maximum(number.sum() - number + EXPECTED, 1)
    usual = (others / np.maximum(of, 1) + anywhere) / 2
    chance = bdtrc(np.maximum(wild - 1, 0), number.astype(int), np.minimum(usual, 1))
    often = (wild > OFTEN * number) & (wild >= 2) & (chance < limits.share(len(wild)))
    flagged[rows] = often[subject] & (counts[rows] > 0)
    return flagged


def _of_group(figures: Array, group: Numbers) -> Array:
    """The median of each group, for its rows."""
    whole = np.full(len(figures), np.nan)
    order = np.argsort(group, kind="stable")
    _, starts = np.unique(group[order], return_index=True)
    for rows in np.split(order, starts[1:]):
        if len(rows) and not np.isnan(figures[rows]).all():
            whole[rows] = np.nanmedian(figures[rows])
    return whole
