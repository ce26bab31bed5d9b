"""Stop when decided: whether the first samples of a check are enough, so that no more are taken.

A campaign may take the samples of a check in two rounds: `FIRST` of them, and those that its scale
asks for beyond these only if the first leave a verdict open. Whoever looks twice is wrong more
often. So each look has half of every chance of error, and the rules of `rating` hold at both looks
together, whatever made the campaign stop (Bonferroni over the looks; Jennison and Turnbull, Group
Sequential Methods, 2000, chapter 2, have the plans that gain a little by assuming the joint
distribution, which peers do not have). Confidence sequences (Howard and others, Annals of
Statistics 49, 2021; the library confseq) allow any number of looks, and are too wide for eleven
samples.

Three samples show less than a verdict needs: neither a drift nor a copy is called one. A hint of
either leaves the check open.
"""

from __future__ import annotations

import math

import numpy as np

from assay.judge.limits import Flags, Limits, Numbers
from assay.judge.rating import DRIFT, FASTER, ORDERED, Rating
from assay.judge.stats import CONFIDENCE, Array, Summaries, interval_error, middle, threshold
from assay.judge.verdict import Verdict

LOOKS = 2
"""Number of looks at the samples: after the first round, and at the end."""

BETWEEN = 2
"""While it measures, a campaign is so many times as strict as its sign-off, whose verdicts differ a
little: later phases add comparisons (own choice)."""

FAR = FASTER
"""Three samples accuse only a metric so far beyond its limits: if samples come in two modes,
three of them are all of the worse one too often (own choice)."""

HINTS = 0.05
"""The chance that noise alone hints at a drift, for each check (own choice)."""


def decided(summaries: Summaries, limits: Limits, rating: Rating, check: Numbers) -> Flags:
    """The metrics whose verdicts further samples are not needed for.

    Args:
        summaries: their samples.
        limits: their limits, with the number of looks.
        rating: their verdicts.
        check: metrics with the same number are of one check.
    """
    error, freedom = _errors(summaries, rating, check)
    with np.errstate(invalid="ignore"):
        # Two of three samples may be equal by chance: then they show a step.
        error = error + summaries.step / summaries.median
        margin = threshold(limits.of_look((1 - CONFIDENCE) / 2), freedom) * error
        above = np.isnan(limits.worst) | (limits.gain(summaries.median, limits.worst) > margin)
        far = threshold(limits.share(rating.comparisons), freedom) * error
        below = limits.gain(limits.worst, summaries.median) > np.maximum(far, FAR)
        beyond = limits.gain(summaries.median, limits.best) > np.maximum(far, FAR)
    sure = np.select(
        [
            np.isin(rating.verdict, (Verdict.PASS, Verdict.UNRATED)),
            rating.verdict == Verdict.BELOW,
            rating.verdict == Verdict.IMPLAUSIBLE,
        ],
        [above, below, beyond],
        default=False,
    )
    # A sample far below the peers' may be of what is slow from time to time.
    hints = _hints_of_drift(summaries, limits, rating, check) | (rating.wild > 0)
    return np.asarray(sure & ~hints, dtype=bool)


def _errors(summaries: Summaries, rating: Rating, check: Numbers) -> tuple[Array, Array]:
    """The standard error of each median, relative to it, and its degrees of freedom.

    Without peers, three samples alone say little of their scatter. The metrics of a check scatter
    alike, so their errors are pooled, and none is less than its own (degrees of freedom of the sum:
    Satterthwaite, Biometrics Bulletin 2, 1946).
    """
    alone = (rating.figures.count == 0) & (summaries.count > 1)
    with np.errstate(invalid="ignore"):
        own = interval_error(summaries.low, summaries.high, summaries.confidence)
        own = np.where(alone, own / summaries.median, 0.0)
    pooled = np.bincount(check, own**2)
    fourth = np.bincount(check, own**4 / np.maximum(summaries.count - 1, 1.0))
    size = np.bincount(check, alone)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = np.where(fourth > 0, pooled**2 / fourth, 1.0)[check]
        error = np.maximum(own, np.sqrt(pooled / size)[check])
    return np.where(alone, error, rating.figures.error), np.where(
        alone, freedom, rating.figures.freedom
    )


def _hints_of_drift(summaries: Summaries, limits: Limits, rating: Rating, check: Numbers) -> Flags:
    """The metrics that may drift, alone or with all their peers."""
    count, compared = summaries.count, rating.figures.count > 0
    # From the first of three samples to the last, whatever the second is.
    with np.errstate(invalid="ignore", divide="ignore"):
        error = math.sqrt(2) * rating.figures.error * np.sqrt(2 * count / math.pi)
        asked = np.bincount(check, compared)[check]
        far = threshold(HINTS / 2 / np.maximum(asked, 1), rating.figures.freedom) * error
    in_order = np.abs(summaries.order) == 1
    hints = in_order & (np.abs(summaries.change) > np.where(compared, far, DRIFT))
    peers = np.flatnonzero(compared)
    peers = peers[np.argsort(limits.group[peers], kind="stable")]
    _, starts = np.unique(limits.group[peers], return_index=True)
    for rows in np.split(peers, starts[1:]):
        if not len(rows):
            continue
        moved = abs(middle(summaries.change[rows]))
        hints[rows] |= moved > DRIFT / 2 and _agree(summaries.order[rows])
    return np.asarray(hints, dtype=bool)


def _agree(order: Array) -> bool:
    """Whether nearly all peers rise, or nearly all fall."""
    return abs(float(np.mean(order))) >= ORDERED
