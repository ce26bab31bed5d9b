"""Campaigns held against accepted ones: what has changed, and how sure that is.

One metric with seven samples cannot show a loss of 5 %. All metrics of a check together can, and
all of the campaign better still: a loss everywhere is small everywhere, and nowhere an outlier.
So there are three levels, each with its share of the chance of a false alarm.

Two sessions on a sound cluster differ by more than their samples scatter, and no number of samples
shows by how much: only sessions do. So at each level a figure of a session is one observation, as
in Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013; what few sessions show
of their variance is moderated by what is natural, as in Smyth, SAGMB 3 (2004).

Passed over: statsmodels' MixedLM, which estimates the same by iteration, is not robust, and says
little of a variance of which two to six sessions are known.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.judge.limits import Limits
from assay.judge.peers import OF_MEDIAN
from assay.judge.rating import Rating
from assay.judge.stats import MAD_EFFICIENCY, NORMAL, Array, Summaries, middle, threshold

OF_CAMPAIGN, OF_KINDS, OF_METRICS = 1 / 100, 1 / 200, 1 / 400
"""The chances that a sound campaign is called worse at each level: the whole, all kinds of figures
of a check, and all metrics. Together they are less than 2 % (this project's own choice)."""

BETWEEN_SESSIONS = 0.01
"""By how much sessions on a sound cluster differ, before anything is known of them (own choice)."""

BETWEEN_FREEDOM = 16.0
"""Degrees of freedom that this counts for (own choice)."""

DECIDING = 3
"""As many sessions on either side tell a loss of 3 % from what sessions differ by."""

CHANGED = 0.05
"""A change of one metric that is smaller is none (own choice)."""

REPEATED = 0.01
"""A change of many figures together that is smaller is none (this project's own choice)."""

HIDDEN_TOGETHER = 0.05
"""A loss of many figures together that must not hide in what is called the same (own choice)."""

SLIPS = {
    1.048576: "MB/MiB",
    1.073741824: "GB/GiB",
    8.0: "bytes/bits",
    1000.0: "unit prefixes",
    1024.0: "unit prefixes",
}
"""Factors between units that may be mixed up."""

LARGE_SLIP = 2.0
"""Of a factor that is larger nothing but a unit makes so many figures better or worse."""

NEAR_A_SLIP = 0.05
"""As near to such a large factor a change has to be to be suspected of it, relative to it."""

Session = tuple[Summaries, Rating]
"""What was measured at one time, and how it was rated; a row without samples was not measured."""


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
    """A change that is smaller is none."""
    apart: float = 0.0
    """The gain beyond that of the other kinds of figures."""
    near: float = 0.0
    """How far from `apart` the truth may lie by the samples alone, on either side."""
    agree: bool = True
    """Whether its metrics differ in their gains by no more than their own errors."""

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
        """Whether a loss that matters could hide in it, and is not sure either."""
        return not self.is_loss and self.low < -max(2 * self.tolerated, HIDDEN_TOGETHER)

    @property
    def slip(self) -> str | None:
        """The units that may be mixed up, if the change is the factor between them, everywhere."""
        if not (self.is_loss or self.is_gain) or not self.agree:
            return None
        ratio = 1 + self.apart if self.apart > 0 else 1 / (1 + self.apart)
        nearest = min(SLIPS, key=lambda factor: abs(ratio / factor - 1))
        near = NEAR_A_SLIP if nearest > LARGE_SLIP else self.near
        return SLIPS[nearest] if abs(ratio / nearest - 1) <= near else None


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
    sessions: tuple[int, int] = (1, 1)
    """How many there are of the baseline, and of what is held against it."""

    def metric(self, row: int) -> Change | None:
        """Of one metric; None where one of the campaigns lacks it."""
        gain, reach = float(self.gain[row]), float(self.reach[row])
        return None if np.isnan(gain) else Change(gain, gain - reach, gain + reach, 1, CHANGED)

    @property
    def losses(self) -> NDArray[np.bool_]:
        """Which metrics are surely worse, each by itself."""
        return self.gain < -np.maximum(CHANGED, self.reach)

    @property
    def comparisons(self) -> int:
        """How many questions were asked that could have raised a false alarm."""
        return int(np.sum(~np.isnan(self.gain))) + len(self.kinds) + (self.campaign is not None)

    @property
    def is_regression(self) -> bool:
        """Whether anything is surely worse."""
        together = (self.campaign, *self.kinds.values())
        return any(c is not None and c.is_loss for c in together) or bool(self.losses.any())


def changes(
    before: Sequence[Session], after: Sequence[Session], limits: Limits, kinds: Sequence[Hashable]
) -> Changes:
    """Compare sessions row by row.

    Args:
        before: those of the accepted campaign; a row without samples where one lacks a metric.
        after: those of the campaign in question, with the same rows.
        limits: of them only whether more is better is used.
        kinds: to which kind each row belongs. Take the check and the unit: a slip of units moves
            all figures of one unit, and of one check.
    """
    old, new = _Side(before, limits), _Side(after, limits)
    sessions = (len(before), len(after))
    difference = new.level - old.level  # NaN where one has no median
    gain = np.expm1(difference)
    error = np.hypot(old.error, new.error)
    freedom = np.fmin(old.freedom, new.freedom)
    both = np.flatnonzero(~np.isnan(gain))
    reach = np.full(len(gain), np.nan)
    if not len(both):
        return Changes(None, {}, gain, reach, sessions)
    rows_of: dict[Hashable, list[int]] = {}
    for row in both.tolist():
        rows_of.setdefault(kinds[row], []).append(row)

    wobble = [side.wobble(both[:, None]) for side in (old, new)]
    between = _Between.of(wobble, float(np.mean(error[both] ** 2)), sessions)
    variance, known = between.and_error(error[both], freedom[both])
    reach[both] = threshold(OF_METRICS / len(both), known) * np.sqrt(variance)

    groups = [np.array(rows) for rows in rows_of.values()]
    wobble = [np.stack([side.session(rows) for rows in groups], axis=1) for side in (old, new)]
    between = _Between.of(wobble, 0.0, sessions)
    chance = OF_KINDS / len(groups)
    of_kinds = {
        kind: _together(gain, error, freedom, rows, between, chance)
        for kind, rows in zip(rows_of, groups, strict=True)
    }
    wobble = [side.session(both)[:, None] for side in (old, new)]
    between = _Between.of(wobble, 0.0, sessions)
    whole = _together(gain, error, freedom, both, between, OF_CAMPAIGN)
    apart = {}
    for kind, change in of_kinds.items():
        others = [other.gain for name, other in of_kinds.items() if name != kind]
        rest = middle(np.array(others)) if others else 0.0
        apart[kind] = replace(change, apart=(1 + change.gain) / (1 + rest) - 1)
    return Changes(whole, apart, gain, reach, sessions)


class _Side:
    """Sessions of one side: figures as logarithms, larger where they are better."""

    def __init__(self, sessions: Sequence[Session], limits: Limits) -> None:
        sign = np.where(limits.more, 1.0, -1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.figures = np.array([sign * np.log(found.median) for found, _ in sessions])
        measured = ~np.isnan(self.figures)
        count = np.where(measured.any(axis=0), measured.sum(axis=0), np.nan)
        self.level = np.where(measured, self.figures, 0.0).sum(axis=0) / count
        squares = np.array([rating.error**2 for _, rating in sessions])
        self.error = np.sqrt(np.where(measured, squares, 0.0).sum(axis=0)) / count
        self.freedom = np.fmin.reduce([rating.freedom for _, rating in sessions])

    def wobble(self, rows: NDArray[np.int_]) -> Array:
        """By how much each session differs from the mean of all: sessions by rows."""
        return np.asarray((self.figures - self.level)[:, rows.ravel()])

    def session(self, rows: NDArray[np.int_]) -> Array:
        """The same of some rows together, one figure a session."""
        return np.nan_to_num(np.nanmedian(self.wobble(rows), axis=1))


@dataclass(frozen=True, slots=True)
class _Between:
    """The variance of a difference that sessions make, and its degrees of freedom."""

    variance: float
    freedom: float

    @classmethod
    def of(cls, wobble: Sequence[Array], within: float, sessions: tuple[int, int]) -> _Between:
        """From how far sessions lie from the mean of their side, several figures a session.

        Args:
            wobble: of both sides, sessions by figures.
            within: the variance of a difference that the samples themselves make of this.
            sessions: how many each side has.
        """
        freedom = sum(sessions) - 2.0
        weight = sum(1 / count for count in sessions)
        natural = BETWEEN_FREEDOM * BETWEEN_SESSIONS**2
        if freedom:
            squares = float(sum(np.nanmean(side**2, axis=1).sum() for side in wobble))
            natural += freedom * max(squares / freedom - within / weight, 0.0)
        freedom += BETWEEN_FREEDOM
        return cls(natural / freedom * weight, freedom)

    def and_error(self, error: Array, freedom: Array) -> tuple[Array, Array]:
        """Variance and freedom with the error of the samples added (Satterthwaite, 1946)."""
        variance = self.variance + error**2
        known = self.variance**2 / self.freedom + error**4 / freedom
        return variance, np.maximum(variance**2 / known, 1.0)


def _together(
    gain: Array,
    error: Array,
    freedom: Array,
    rows: NDArray[np.int_],
    between: _Between,
    chance: float,
) -> Change:
    """The change of several metrics: the median of theirs."""
    centre, count = middle(gain[rows]), len(rows)
    own = float(np.sqrt(np.mean(error[rows] ** 2)))
    scatter = NORMAL * middle(np.abs(gain[rows] - centre)) / (1 + centre)
    # They agree as long as what their errors explain is not exceeded by two errors of the scatter.
    agree = scatter <= own * (1 + 2 / np.sqrt(2 * MAD_EFFICIENCY * count))
    of_middle = (OF_MEDIAN if count > 2 else 1.0) / count**0.5
    within = np.array([max(own, scatter) * of_middle])
    known = np.array([max(float(np.sum(freedom[rows])), 1.0)])
    variance, loose = between.and_error(within, known)
    far = float(threshold(chance, loose)[0]) * float(np.sqrt(variance[0]))
    near = float(threshold(chance, known)[0]) * float(within[0])
    return Change(centre, centre - far, centre + far, count, REPEATED, near=near, agree=bool(agree))
