"""The rules that turn figures into verdicts, for all metrics of a campaign at once.

A campaign asks hundreds of questions, and chance answers some of them wrongly: at 95 % each, one
in twenty. So the chance of a false alarm is fixed for the campaign as a whole, `FALSE_ALARMS`, and
each comparison gets its share (Bonferroni). That makes alarms harder to raise, and nothing easier
to pass: what is neither surely wrong nor surely right is `unsteady`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.judge.stats import (
    CONFIDENCE,
    MAD_EFFICIENCY,
    Array,
    Summaries,
    change_error,
    median_error,
    middle,
    pool,
    threshold,
)
from assay.judge.verdict import Verdict

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int_]


FALSE_ALARMS = 1 / 200
"""How many campaigns of a sound cluster may be stopped by chance (this project's own choice)."""

QUESTIONS = 4
"""Each gets the same share of `FALSE_ALARMS`: is it under its floor, is it slower than its equals,
does it drift, and has it changed since the baseline?"""

EQUALS = 4
"""As few equals can tell which of them is odd; of fewer, half may be slow."""

SLOWER = 0.05
"""Minimum relative deviation of an outlier from its peers (own choice)."""

FASTER = 0.25
"""Nothing is by as much better than its equals or its bound, however much it scatters: that is
a cache, a hole or a unit (own choice)."""

HIDDEN = 0.10
"""A loss against its equals that must not hide in the scatter of a metric that passes."""

HIDING = 0.01
"""The chance that it does all the same."""

DRIFT = 0.05
"""Minimum relative change of a run from its first sample to its last to be called drifting (own
choice); twice as much where there are no equals to tell the scatter from."""

ORDERED = 0.8
"""Kendall's tau of a metric that drifts by itself. Two wild samples at an end do not make it."""

STRICT = 6
"""As many samples all in one order are no chance: of six, 1 in 360."""

ENOUGH = 6
"""As few samples have an interval of `CONFIDENCE`."""

MOST_SAMPLES = 200
"""Nobody takes more samples of one metric: it lies on its limit then, and not beside it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What each metric is held against; NaN where there is nothing."""

    best: Array
    """Better than this is not possible."""
    worst: Array
    """Worse than this is too slow."""
    more: Flags
    """Whether more is better."""
    group: Numbers
    """Metrics of one number are equals; a negative one has none."""
    subject: Numbers
    """Metrics of one number are of one subject of one check: what ails it ails them all."""

    def gain(self, value: Array, reference: Array) -> Array:
        """By how much of the reference a value is better; of a time, its inverse counts."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.where(self.more, value / reference, reference / value) - 1


@dataclass(frozen=True, slots=True)
class Rating:
    """A verdict for each metric, and what it was made of."""

    verdict: NDArray[Any]
    gain: Array
    """By how much it is better than the median of its equals; NaN where it has too few."""
    equals: Array
    """That median."""
    peers: Numbers
    """How many equals there are, itself included; 0 for too few."""
    outlier: Flags
    drifting: Flags
    straddling: Flags
    """On which side of its floor it lies is open."""
    hiding: Flags
    """A loss against its equals could hide in its scatter."""
    more_samples: Array
    """How many more would decide what is open; NaN where no reasonable number does."""
    error: Array
    """The standard error of its median, relative to it."""
    freedom: Array
    """The degrees of freedom of that error."""
    comparisons: int
    """How many questions were asked that could have raised a false alarm."""


def numbered(keys: Iterable[Hashable]) -> Numbers:
    """A number for each key, the same for the same."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=int)


def share(comparisons: int) -> float:
    """The chance of a false alarm that each of so many comparisons of one question has."""
    return FALSE_ALARMS / QUESTIONS / max(comparisons, 1)


def rate(found: Summaries, limits: Limits) -> Rating:
    """Rate every metric of a campaign. One without samples is `missing`."""
    present = found.count > 0
    equal = _equals(found, limits, present)
    floored = _floors(found, limits, present, equal)
    drifting, drifts = _drifts(found, present, equal)
    beyond = limits.gain(found.median, limits.best)
    unluckiest = np.where(limits.more, found.low, found.high)
    too_good = (beyond > FASTER) | (limits.gain(unluckiest, limits.best) > 0)
    verdict = np.select(
        [
            ~present,
            too_good | equal.faster,
            floored.below | equal.slower,
            floored.straddling | drifting | equal.hiding | (beyond > 0),
            np.isnan(limits.worst),
        ],
        [
            Verdict.MISSING,
            Verdict.IMPLAUSIBLE,
            Verdict.BELOW,
            Verdict.UNSTEADY,
            Verdict.UNRATED,
        ],
        Verdict.PASS,
    )
    return Rating(
        verdict=verdict,
        gain=equal.gain,
        equals=equal.median,
        peers=equal.peers,
        outlier=equal.slower | equal.faster,
        drifting=drifting,
        straddling=floored.straddling,
        hiding=equal.hiding,
        more_samples=_more_samples(found, limits, floored, equal),
        error=equal.error,
        freedom=equal.freedom,
        comparisons=floored.comparisons + equal.comparisons + drifts,
    )


@dataclass(frozen=True, slots=True)
class _Equals:
    members: list[Numbers]
    gain: Array
    median: Array
    peers: Numbers
    error: Array
    """Of a median, from all equals; from its own samples where there are too few."""
    freedom: Array
    comparisons: int
    slower: Flags
    faster: Flags
    hiding: Flags


def _equals(found: Summaries, limits: Limits, present: Flags) -> _Equals:
    size = len(present)
    groups: dict[int, list[int]] = {}
    for row in np.flatnonzero(present & (limits.group >= 0)).tolist():
        groups.setdefault(int(limits.group[row]), []).append(row)
    members = [np.array(rows) for rows in groups.values() if len(rows) >= EQUALS]

    median, scale, loose = (np.full(size, np.nan) for _ in range(3))
    error = median_error(found.spread, found.count)
    freedom = np.maximum(MAD_EFFICIENCY * (found.count - 1), 1.0)
    peers = np.zeros(size, dtype=int)
    for rows in members:
        pooled = pool(found.median[rows], found.spread[rows], found.count[rows])
        median[rows], scale[rows], peers[rows] = pooled.median, pooled.distance, len(rows)
        loose[rows] = pooled.freedom
        error[rows], freedom[rows] = pooled.error, pooled.known
    gain = limits.gain(found.median, median)
    subjects = _subjects(peers, limits.subject)
    comparisons = int(np.sum(peers > 0)) + sum(len(rows) for rows in subjects)
    far = threshold(share(comparisons), loose) * scale
    ailing = np.zeros(size, dtype=bool)
    for rows in subjects:  # all that have the same number of metrics
        known = threshold(share(comparisons), np.sum(loose[rows], axis=1))
        usual = 1.2533 * np.sqrt(np.mean(scale[rows] ** 2, axis=1) / rows.shape[1])
        together = np.median(gain[rows], axis=1)
        ailing[rows] = (together < -np.maximum(SLOWER, known * usual))[:, None]
    sure = threshold(HIDING, freedom) * error
    return _Equals(
        members,
        gain,
        median,
        peers,
        error,
        freedom,
        comparisons,
        slower=gain < -np.where(ailing, SLOWER, np.maximum(SLOWER, far)),
        faster=gain > np.maximum(FASTER, far),
        hiding=gain - sure < -HIDDEN,
    )


def _subjects(peers: Numbers, subject: Numbers) -> list[Numbers]:
    """The metrics with equals of each subject that has several: a row each, by their number.

    A slow SSD is slow in most that is measured of it, and that is surer than any one figure.
    """
    rows = np.flatnonzero(peers)
    rows = rows[np.argsort(subject[rows], kind="stable")]
    _, starts, counts = np.unique(subject[rows], return_index=True, return_counts=True)
    return [
        rows[starts[counts == count][:, None] + np.arange(count)]
        for count in np.unique(counts).tolist()
        if count > 1
    ]


@dataclass(frozen=True, slots=True)
class _Floors:
    below: Flags
    straddling: Flags
    comparisons: int


def _floors(found: Summaries, limits: Limits, present: Flags, equal: _Equals) -> _Floors:
    rated = present & ~np.isnan(limits.worst)
    luckiest = np.where(limits.more, found.high, found.low)
    unluckiest = np.where(limits.more, found.low, found.high)
    comparisons = int(np.sum(rated))
    # Without equals there is only the error from its own few samples, too rough for a quantile of
    # Student's t; but the interval under the floor is a condition of its own.
    freedom = np.where(equal.peers > 0, equal.freedom, np.inf)
    margin = threshold(share(comparisons), freedom) * equal.error
    under = limits.gain(luckiest, limits.worst) < 0
    # The error is relative to the median, and so is the distance: of the floor, nothing lacks more
    # than all of it, however far below it lies.
    surely = limits.gain(limits.worst, found.median) > margin
    # One sample has no scatter, and so no interval that could lie on either side.
    single = rated & (found.count == 1)
    below = rated & under & surely & ~single
    # One wild sample of seven is an end of the interval. Where equals tell the scatter, the median
    # may be surely above the floor all the same.
    sure = threshold((1 - CONFIDENCE) / 2, equal.freedom) * equal.error
    above = (equal.peers > 0) & (limits.gain(found.median, limits.worst) > sure)
    low = limits.gain(unluckiest, limits.worst) < 0
    straddling = rated & ~below & (single | (~above & low))
    return _Floors(below, straddling, comparisons)


def _drifts(found: Summaries, present: Flags, equal: _Equals) -> tuple[Flags, int]:
    """Which metrics drift, alone or with all their equals; and how often that was asked."""
    alone = present & (equal.peers == 0) & (found.count >= STRICT)
    drifting = alone & (np.abs(found.order) == 1) & (np.abs(found.change) > 2 * DRIFT)
    comparisons = sum(len(rows) + 1 for rows in equal.members) + int(np.sum(alone))
    for rows in equal.members:
        count = middle(found.count[rows])
        if count < STRICT - 1:
            continue
        error = float(change_error(middle(found.wobble[rows]), count))
        freedom = max(MAD_EFFICIENCY * len(rows) * (count - 2), 1.0)
        # Half the share on either side: a run may rise or fall.
        far = float(threshold(share(comparisons) / 2, freedom)) * error
        change, order = found.change[rows], found.order[rows]
        together = abs(middle(change)) > max(DRIFT, far * 1.2533 / len(rows) ** 0.5)
        each = (np.abs(change) > max(DRIFT, far)) & (np.abs(order) >= ORDERED)
        drifting[rows] = together | each
    return drifting, comparisons


def _more_samples(found: Summaries, limits: Limits, floored: _Floors, equal: _Equals) -> Array:
    """By how many samples the error becomes small enough for what is open, at the same scatter."""
    above = limits.gain(found.median, limits.worst)
    alarm = threshold(share(floored.comparisons), np.inf)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        errors = np.where(above > 0, threshold((1 - CONFIDENCE) / 2, np.inf), alarm)
        floor = np.where(floored.straddling, (errors * equal.error / above) ** 2, 0.0)
        lost = -equal.gain
        alarm = threshold(share(equal.comparisons), np.inf)
        sound = np.where(lost < HIDDEN, threshold(HIDING, np.inf) / (HIDDEN - lost), np.inf)
        slow = np.where(lost > SLOWER, alarm / lost, np.inf)
        hidden = np.where(equal.hiding, (np.fmin(sound, slow) * equal.error) ** 2, 0.0)
        more = np.ceil(found.count * (np.fmax(floor, hidden) - 1))
        more = np.where(floored.straddling & (found.count == 1), ENOUGH - 1, more)
    return np.where((more > 0) & (more <= MOST_SAMPLES), more, np.nan)
