"""A campaign compared with an accepted one: what has changed, with what confidence.

One metric with seven samples cannot show a loss of 5 %. All metrics of a check together can, and
all of the campaign better still: a loss everywhere is small everywhere, and nowhere an outlier.
So there are three levels, and each has a third of the chance of a false alarm that this question
gets of `assay.judge.rating`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.judge.limits import Limits, share
from assay.judge.peers import SLOWER
from assay.judge.rating import Rating
from assay.judge.stats import NORMAL, Array, Summaries, combine, middle, threshold

LEVELS = 3
"""The campaign, each kind of figure of a check, and each metric."""

REPEATED = 0.025
"""Tolerated difference of two campaigns of a sound cluster (this project's own choice)."""

SLIPS = {
    1.048576: "MB/MiB",
    1.073741824: "GB/GiB",
    8.0: "bytes/bits",
    1000.0: "unit prefixes",
    1024.0: "unit prefixes",
}
"""Factors between units that may be mixed up."""

NEAR_A_SLIP = 0.02
"""As near to such a factor a change has to be to be suspected of it, relative to it."""


@dataclass(frozen=True, slots=True)
class Change:
    """By how much something is better than in the baseline (worse, if below zero), relative to it.

    With the chance that it was given, the truth lies between `low` and `high`.
    """

    gain: float
    low: float
    high: float
    metrics: int
    """How many metrics it is made of."""
    tolerated: float
    """Smaller changes are ignored."""
    apart: float = 0.0
    """The gain beyond that of the other kinds of figures."""

    @property
    def is_loss(self) -> bool:
        """Whether it is surely worse, and by more than is tolerated."""
        return self.high < 0 and self.gain < -self.tolerated

    @property
    def is_gain(self) -> bool:
        """Whether it is surely better, and by more than is tolerated."""
        return self.low > 0 and self.gain > self.tolerated

    @property
    def is_undecided(self) -> bool:
        """Whether a loss of twice what is tolerated could hide in it, and is not sure either."""
        return not self.is_loss and self.low < -2 * self.tolerated

    @property
    def slip(self) -> str | None:
        """The units that may be mixed up, if the change is the factor between them."""
        if not (self.is_loss or self.is_gain):
            return None
        ratio = 1 + self.apart if self.apart > 0 else 1 / (1 + self.apart)
        nearest = min(SLIPS, key=lambda factor: abs(ratio / factor - 1))
        return SLIPS[nearest] if abs(ratio / nearest - 1) <= NEAR_A_SLIP else None


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed since the baseline, from the whole to the parts."""

    campaign: Change | None
    """None where nothing was measured in both."""
    kinds: dict[Hashable, Change]
    """Of all metrics of one kind, such as the bandwidths of a check."""
    gain: Array
    """Of each metric; NaN where one of the campaigns lacks it."""
    reach: Array
    """How far from its gain the truth may lie, on either side."""

    def metric(self, row: int) -> Change | None:
        """Of one metric; None where one of the campaigns lacks it."""
        gain, reach = float(self.gain[row]), float(self.reach[row])
        return None if np.isnan(gain) else Change(gain, gain - reach, gain + reach, 1, SLOWER)

    @property
    def losses(self) -> NDArray[np.bool_]:
        """Which metrics are worse with statistical confidence, each by itself."""
        return self.gain < -np.maximum(SLOWER, self.reach)

    @property
    def comparisons(self) -> int:
        """How many questions were asked that could have raised a false alarm."""
        return int(np.sum(~np.isnan(self.gain))) + len(self.kinds) + (self.campaign is not None)

    @property
    def is_regression(self) -> bool:
        """Whether anything is worse with statistical confidence."""
        together = (self.campaign, *self.kinds.values())
        return any(c is not None and c.is_loss for c in together) or bool(self.losses.any())


def changes(
    before: tuple[Summaries, Rating],
    after: tuple[Summaries, Rating],
    limits: Limits,
    kinds: Sequence[Hashable],
) -> Changes:
    """Compare two campaigns row by row.

    Args:
        before: the accepted campaign; a row without samples where it lacks a metric.
        after: the campaign in question, with the same rows.
        limits: of them only whether more is better is used.
        kinds: to which kind each row belongs. Take the check and the unit: a slip of units moves
            all figures of one unit, and of one check.
    """
    (old, old_rating), (new, new_rating) = before, after
    both = np.flatnonzero((old.count > 0) & (new.count > 0))
    gain = limits.gain(new.median, old.median)  # NaN where one has no median
    error = np.hypot(old_rating.error, new_rating.error)
    freedom = np.fmin(old_rating.freedom, new_rating.freedom)

    reach = np.full(len(gain), np.nan)
    reach[both] = threshold(share(len(both)) / LEVELS, freedom[both]) * error[both]

    rows_of: dict[Hashable, list[int]] = {}
    for row in both.tolist():
        rows_of.setdefault(kinds[row], []).append(row)
    if not len(both):
        return Changes(None, {}, gain, reach)
    whole = _together(gain[both], error[both], freedom[both], share(1) / LEVELS)
    chance = share(len(rows_of)) / LEVELS
    kinds_ = {
        kind: _together(gain[rows], error[rows], freedom[rows], chance)
        for kind, rows in rows_of.items()
    }
    apart = {}
    for kind, change in kinds_.items():
        others = [other.gain for name, other in kinds_.items() if name != kind]
        rest = middle(np.array(others)) if others else 0.0
        apart[kind] = replace(change, apart=(1 + change.gain) / (1 + rest) - 1)
    return Changes(whole, apart, gain, reach)


def _together(gain: Array, error: Array, freedom: Array, chance: float) -> Change:
    """The change of several metrics: the median of theirs."""
    centre, count = middle(gain), len(gain)
    within = float(np.sqrt(np.mean(error**2)))
    between = NORMAL * middle(np.abs(gain - centre))
    within, known = combine(within, float(np.sum(freedom)), between, count)
    far = float(threshold(chance, max(known, 1.0))) * within
    far *= (1.2533 if count > 2 else 1.0) / count**0.5
    return Change(centre, centre - far, centre + far, count, REPEATED)
