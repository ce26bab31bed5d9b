"""Compares campaigns with accepted ones: which figures changed, with which confidence.

One metric with seven samples cannot show a loss of 5 %. All metrics of a check together can, and
all metrics of the campaign can even better: a loss that affects all of them is small in each, and
an outlier in none. So there are three levels, each with its share of the chance of a false alarm.

Two sessions on a sound cluster differ by more than the scatter of their samples. Only further
sessions show by how much; further samples do not. So at each level a figure of a session is one
observation, as in Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013. The
variance of few sessions is moderated by the natural variance, as in Smyth, SAGMB 3 (2004).

statsmodels' MixedLM is not used: it estimates the same by iteration, is not robust, and cannot
estimate a variance well from two to six sessions.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.judge.limits import Limits
from assay.judge.rating import Rating
from assay.judge.stats import MAD_EFFICIENCY, NORMAL, OF_MEDIAN, Array, Summaries, middle, threshold

OF_CAMPAIGN, OF_KINDS, OF_METRICS = 1 / 100, 1 / 200, 1 / 400
"""The chances that a sound campaign is called worse at each level: the whole campaign, all kinds of
figures of a check, and all metrics. Together they are below 2 % (this project's own choice)."""

BETWEEN_SESSIONS = 0.015
"""Prior relative deviation between sessions on a sound cluster (own choice)."""

ALONE = 0.03
"""The same, where a side has one session: what nothing has shown to be less (own choice)."""

BETWEEN_FREEDOM = 6.0
"""Degrees of freedom of that prior: few, so that sessions that show how they differ count (own
choice)."""

ALONE_FREEDOM = 16.0
"""The same, where a side has one session (own choice)."""

KNOWN = 0.5
"""An interval that reaches further says nothing of the change (own choice)."""

DECIDING = 3
"""Sessions needed on either side to distinguish a loss of 5 % from differences between sessions."""

CHANGED = 0.05
"""Smaller changes of one metric are ignored (own choice)."""

REPEATED = 0.01
"""Smaller changes of many figures together are ignored (this project's own choice)."""

HIDDEN_TOGETHER = 0.05
"""A possible loss of many figures together that is too large to call them the same (own choice)."""

SLIPS = {
    1.048576: "MB/MiB",
    1.073741824: "GB/GiB",
    8.0: "bytes/bits",
    1000.0: "unit prefixes",
    1024.0: "unit prefixes",
}
"""Factors between units that may be mixed up."""

LARGE_SLIP = 2.0
"""Above this factor, only a wrong unit makes so many figures better or worse."""

NEAR_A_SLIP = 0.05
"""Maximum relative distance of a change from such a large factor to be suspected of it."""

Session = tuple[Summaries, Rating]
"""The figures of one session and their rating; a row without samples was not measured."""


@dataclass(frozen=True, slots=True)
class Change:
    """The relative gain over the baseline, which is negative if something is worse.

    `low` and `high` are the ends of the confidence interval.
    """

    gain: float
    low: float
    high: float
    metrics: int
    """Number of metrics that it combines."""
    tolerated: float
    """Smaller changes are ignored."""
    apart: float = 0.0
    """The gain beyond that of the other kinds of figures."""
    near: float = 0.0
    """Half the width of the interval around `apart`, from the scatter of samples alone."""
    agree: bool = True
    """Whether the gains of its metrics differ by no more than their own errors."""

    @property
    def is_known(self) -> bool:
        """Whether its interval is narrow enough to say something."""
        return self.gain - self.low < KNOWN

    @property
    def is_loss(self) -> bool:
        """Whether it is worse with statistical confidence, by more than the tolerance."""
        return self.high < 0 and self.gain < -self.tolerated

    @property
    def is_gain(self) -> bool:
        """Whether it is better with statistical confidence, by more than the tolerance."""
        return self.low > 0 and self.gain > self.tolerated

    @property
    def is_undecided(self) -> bool:
        """Whether a relevant loss is possible, but not certain."""
        return not self.is_loss and self.low < -max(2 * self.tolerated, HIDDEN_TOGETHER)

    @property
    def slip(self) -> str | None:
        """The units that may be mixed up, if all metrics changed by the factor between them."""
        if not (self.is_loss or self.is_gain) or not self.agree:
            return None
        ratio = 1 + self.apart if self.apart > 0 else 1 / (1 + self.apart)
        nearest = min(SLIPS, key=lambda factor: abs(ratio / factor - 1))
        near = NEAR_A_SLIP if nearest > LARGE_SLIP else self.near
        return SLIPS[nearest] if abs(ratio / nearest - 1) <= near else None


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes since the baseline, from the whole campaign to single metrics."""

    campaign: Change | None
    """None if no metric was measured in both."""
    kinds: dict[Hashable, Change]
    """The change of all metrics of one kind, such as the bandwidths of a check."""
    gain: Array
    """The gain of each metric; NaN if one of the campaigns lacks it."""
    reach: Array
    """Half the width of the interval around each gain."""
    sessions: tuple[int, int] = (1, 1)
    """Number of sessions of the baseline, and of the campaign compared with it."""

    def metric(self, row: int) -> Change | None:
        """The change of one metric; None if one of the campaigns lacks it."""
        gain, reach = float(self.gain[row]), float(self.reach[row])
        return None if np.isnan(gain) else Change(gain, gain - reach, gain + reach, 1, CHANGED)

    @property
    def losses(self) -> NDArray[np.bool_]:
        """Which single metrics are worse with statistical confidence."""
        return self.gain < -np.maximum(CHANGED, self.reach)

    @property
    def is_undecided(self) -> bool:
        """Whether a relevant loss is possible, but not certain: together, of a kind, of a metric.

        A single metric without enough peers is nearly always open; it counts if it looks worse.
        """
        together = (self.campaign, *self.kinds.values())
        if any(change is not None and change.is_undecided for change in together):
            return True
        single = map(self.metric, np.flatnonzero(self.gain < -CHANGED).tolist())
        return any(change is not None and change.is_undecided for change in single)

    @property
    def comparisons(self) -> int:
        """Number of comparisons that could have raised a false alarm."""
        return int(np.sum(~np.isnan(self.gain))) + len(self.kinds) + (self.campaign is not None)

    @property
    def is_regression(self) -> bool:
        """Whether anything is worse with statistical confidence."""
        together = (self.campaign, *self.kinds.values())
        return any(c is not None and c.is_loss for c in together) or bool(self.losses.any())


def changes(
    before: Sequence[Session], after: Sequence[Session], limits: Limits, kinds: Sequence[Hashable]
) -> Changes:
    """Compare sessions row by row.

    Args:
        before: sessions of the accepted campaign; a row without samples is a missing metric.
        after: sessions of the new campaign, with the same rows.
        limits: only its direction of each metric is used, whether more is better.
        kinds: the kind of each row. Use the check and the unit, since a mix-up of units affects all
            figures of one unit and check.
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
            self.figures = np.array([sign * np.log(summaries.median) for summaries, _ in sessions])
        measured = ~np.isnan(self.figures)
        count = np.where(measured.any(axis=0), measured.sum(axis=0), np.nan)
        self.level = np.where(measured, self.figures, 0.0).sum(axis=0) / count
        squares = np.array([rating.figures.error**2 for _, rating in sessions])
        self.error = np.sqrt(np.where(measured, squares, 0.0).sum(axis=0)) / count
        self.freedom = np.fmin.reduce([rating.figures.freedom for _, rating in sessions])

    def wobble(self, rows: NDArray[np.int_]) -> Array:
        """The deviation of each session from the mean of all, as an array of sessions by rows."""
        return np.asarray((self.figures - self.level)[:, rows.ravel()])

    def session(self, rows: NDArray[np.int_]) -> Array:
        """The same for several rows together, one figure for each session."""
        return np.nan_to_num(np.nanmedian(self.wobble(rows), axis=1))


@dataclass(frozen=True, slots=True)
class _Between:
    """The variance between sessions of a difference, and its degrees of freedom."""

    variance: float
    freedom: float

    @classmethod
    def of(cls, wobble: Sequence[Array], within: float, sessions: tuple[int, int]) -> _Between:
        """Estimate it from the deviations of sessions from the mean of their side.

        Args:
            wobble: the deviations on both sides, sessions by figures.
            within: the part of the variance of a difference that comes from the samples.
            sessions: number of sessions on each side.
        """
        freedom = sum(sessions) - 2.0
        weight = sum(1 / count for count in sessions)
        prior, trust = BETWEEN_SESSIONS, BETWEEN_FREEDOM
        if min(sessions) == 1:
            prior, trust = ALONE, ALONE_FREEDOM
        natural = trust * prior**2
        if freedom:
            squares = float(sum(np.nanmean(side**2, axis=1).sum() for side in wobble))
            natural += freedom * max(squares / freedom - within / weight, 0.0)
        freedom += trust
        return cls(natural / freedom * weight, freedom)

    def and_error(self, error: Array, freedom: Array) -> tuple[Array, Array]:
        """Variance and degrees of freedom, including the samples' error (Satterthwaite, 1946)."""
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
    """The change of several metrics, which is the median of their changes."""
    centre, count = middle(gain[rows]), len(rows)
    own = float(np.sqrt(np.mean(error[rows] ** 2)))
    scatter = NORMAL * middle(np.abs(gain[rows] - centre)) / (1 + centre)
    # They agree if the scatter exceeds what their errors explain by at most two of its own errors.
    agree = scatter <= own * (1 + 2 / np.sqrt(2 * MAD_EFFICIENCY * count))
    of_middle = (OF_MEDIAN if count > 2 else 1.0) / count**0.5
    within = np.array([max(own, scatter) * of_middle])
    known = np.array([max(float(np.sum(freedom[rows])), 1.0)])
    variance, loose = between.and_error(within, known)
    far = float(threshold(chance, loose)[0]) * float(np.sqrt(variance[0]))
    near = float(threshold(chance, known)[0]) * float(within[0])
    return Change(centre, centre - far, centre + far, count, REPEATED, near=near, agree=bool(agree))
