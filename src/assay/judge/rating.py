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

from assay.judge.populations import scale, split
from assay.judge.stats import (
    CONFIDENCE,
    MAD_EFFICIENCY,
    Array,
    Summaries,
    change_error,
    interval_error,
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
"""Each gets the same share of `FALSE_ALARMS`: is it under its floor, is it slower than its peers,
does it drift, and has it changed since the baseline?"""

FEWEST_PEERS = 4
"""As few peers can tell which of them is odd; of fewer, half may be slow."""

SLOWER = 0.05
"""Minimum relative deviation of an outlier from its peers (own choice)."""

FASTER = 0.25
"""Nothing is by as much better than its peers or its bound, however much it scatters: that is
a cache, a hole or a unit (own choice)."""

HIDDEN = 0.10
"""A loss against its peers that must not hide in the scatter of a metric that passes."""

HIDING = 0.01
"""The chance that it does all the same."""

DRIFT = 0.05
"""Minimum relative change of a run from its first sample to its last to be called drifting (own
choice); twice as much where there are no peers to tell the scatter from."""

ORDERED = 0.8
"""Kendall's tau of a metric that drifts by itself. Two wild samples at an end do not make it."""

STRICT = 6
"""As many samples all in one order are no chance: of six, 1 in 360."""

ENOUGH = 6
"""As few samples have an interval of `CONFIDENCE`."""

BEYOND_PEERS = 1.0
"""What is twice as good as its peers, or better, is a cache, a hole or a unit (own choice). By less
it may be the one sound host among slow ones."""

MODES = 1.6
"""Where intervals are so many times as wide as the scatter says, samples are in modes; normal ones
are 1.2 times as wide (own choice)."""

STEPS = 1.5
"""No verdict rests on fewer steps of what a tool prints than this."""

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
    """Metrics of one number are peers; a negative one has none."""
    subject: Numbers
    """Metrics of one number are of one subject of one check: what ails it ails them all."""
    host: Numbers
    """Metrics of one number are of one host (of a pair, the first): its figures move together."""

    def gain(self, value: Array, reference: Array) -> Array:
        """By how much of the reference a value is better; of a time, its inverse counts."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.where(self.more, value / reference, reference / value) - 1


@dataclass(frozen=True, slots=True)
class Rating:
    """A verdict for each metric, and what it was made of."""

    verdict: NDArray[Any]
    gain: Array
    """By how much it is better than the median of its peers; NaN where it has too few."""
    peers_median: Array
    """That median."""
    peers: Numbers
    """How many peers there are, itself included; 0 for too few."""
    outlier: Flags
    drifting: Flags
    straddling: Flags
    """On which side of its floor it lies is open."""
    hiding: Flags
    """A loss against its peers could hide in its scatter."""
    apart: Array
    """By how much it is in the worse of two populations of peers; NaN elsewhere."""
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


def rate(summaries: Summaries, limits: Limits, fake: Flags | None = None) -> Rating:
    """Rate every metric of a campaign. One without samples is `missing`, a fake `implausible`."""
    present = summaries.count > 0
    peers = _among_peers(summaries, limits, present)
    floored = _floors(summaries, limits, present, peers)
    drifting, drifts = _drifts(summaries, present, peers)
    beyond = limits.gain(summaries.median, limits.best)
    unluckiest = np.where(limits.more, summaries.low, summaries.high)
    too_good = (beyond > FASTER) | (limits.gain(unluckiest, limits.best) > 0)
    if fake is not None:
        too_good |= fake
    verdict = np.select(
        [
            ~present,
            too_good | peers.faster,
            floored.below | peers.slower,
            floored.straddling | drifting | peers.hiding | ~np.isnan(peers.apart) | (beyond > 0),
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
        gain=peers.gain,
        peers_median=peers.median,
        peers=peers.count,
        outlier=peers.slower | peers.faster,
        drifting=drifting,
        straddling=floored.straddling,
        hiding=peers.hiding,
        apart=peers.apart,
        more_samples=_more_samples(summaries, limits, floored, peers),
        error=peers.error,
        freedom=peers.freedom,
        comparisons=floored.comparisons + peers.comparisons + drifts,
    )


@dataclass(frozen=True, slots=True)
class _Peers:
    members: list[Numbers]
    gain: Array
    median: Array
    count: Numbers
    error: Array
    """Of a median, from all peers; from its own samples where there are too few."""
    freedom: Array
    step: Array
    """What a tool prints in steps, one of them, relative to the median."""
    apart: Array
    comparisons: int
    slower: Flags
    faster: Flags
    hiding: Flags


def _among_peers(summaries: Summaries, limits: Limits, present: Flags) -> _Peers:
    size = len(present)
    groups: dict[int, list[int]] = {}
    for row in np.flatnonzero(present & (limits.group >= 0)).tolist():
        groups.setdefault(int(limits.group[row]), []).append(row)
    members = [np.array(rows) for rows in groups.values() if len(rows) >= FEWEST_PEERS]

    median, distance, loose, apart = (np.full(size, np.nan) for _ in range(4))
    error = median_error(summaries.spread, summaries.count)
    freedom = np.maximum(MAD_EFFICIENCY * (summaries.count - 1), 1.0)
    step = summaries.step / summaries.median
    count = np.zeros(size, dtype=int)
    in_modes = np.zeros(size, dtype=bool)
    for rows in members:
        pooled = pool(summaries.median[rows], summaries.spread[rows], summaries.count[rows])
        wide = interval_error(summaries.low[rows], summaries.high[rows], summaries.confidence[rows])
        error[rows] = max(pooled.error, middle(wide / summaries.median[rows]))
        in_modes[rows] = error[rows] > MODES * pooled.error
        freedom[rows], count[rows], median[rows] = pooled.known, len(rows), pooled.median
        step[rows] = _step_of(summaries, rows) / pooled.median
        own = float(error[rows[0]])
        gain = limits.gain(summaries.median, median)[rows]
        for population in _populations(gain, limits.host[rows], own, rows, apart):
            median[population] = middle(summaries.median[population])
            gain = limits.gain(summaries.median, median)[population]
            hosts = len(np.unique(limits.host[population]))
            distance[population], loose[population] = scale(gain, own, pooled.known, hosts)
    gain = limits.gain(summaries.median, median)
    # Three levels: metrics, subjects of a check, and hosts; each with a third of the chance.
    families = [_families(count, limits.subject), _families(count, limits.host)]
    comparisons = int(np.sum(count > 0)) + sum(len(rows) for each in families for rows in each)
    far = threshold(share(int(np.sum(count > 0))) / LEVELS, loose) * distance
    ailing = np.zeros(size, dtype=bool)
    for family in families:
        asked = sum(len(rows) for rows in family)
        for rows in family:  # all that have the same number of metrics
            chance = share(asked) / LEVELS
            # Samples in modes move several medians at once, by more than errors say.
            alike = 1.0 if in_modes[rows].any() else 1.2533 / rows.shape[1] ** 0.5
            own = float(np.sqrt(np.mean(error[rows] ** 2))) * min(alike, 1.0)
            known = middle(freedom[rows].ravel())
            ailing[rows] |= _ailing(gain[rows], own, known, chance)[:, None]
    luckiest = np.where(limits.more, summaries.second_high, summaries.second_low)
    # A wild sample or a second mode reaches up to the others; what is slow does not.
    apart_by_itself = limits.gain(luckiest, median) < -SLOWER / 2
    coarse = STEPS * step
    sure = threshold(HIDING, freedom) * error
    return _Peers(
        members,
        gain,
        median,
        count,
        error,
        freedom,
        step,
        apart,
        comparisons,
        slower=(gain < -np.where(ailing, SLOWER, np.maximum(SLOWER, far)))
        & (gain < -coarse)
        & apart_by_itself,
        faster=gain > np.maximum(BEYOND_PEERS, far),
        hiding=(gain - sure < -HIDDEN) & (gain < 0),
    )


LEVELS = 3


def _step_of(summaries: Summaries, rows: Numbers) -> float:
    """In which steps the samples of peers were printed; 0 where most do not show it."""
    steps = summaries.step[rows]
    return float(np.min(steps[steps > 0])) if middle(steps) > 0 else 0.0


def _populations(
    gain: Array, host: Numbers, error: float, rows: Numbers, apart: Array
) -> list[Numbers]:
    """The rows of each population of peers; `apart` is filled in for the worse of two."""
    found = split(gain, host, error)
    if found is None:
        return [rows]
    apart[rows[found.worse]] = found.apart
    return [rows[found.worse], rows[~found.worse]]


def _ailing(gain: Array, error: float, known: float, chance: float) -> Flags:
    """Which subjects, a row each, are slower than the others in what was measured of them.

    How far one of them lies from the others by nature is what the others show: figures of one
    host move together, and so their number makes nothing surer than it is.
    """
    together = np.median(gain, axis=1)
    usual, freedom = scale(together, error, known, len(together))
    return together < -max(SLOWER, float(threshold(chance, freedom)) * usual)


def _families(peer_count: Numbers, subject: Numbers) -> list[Numbers]:
    """The metrics with peers of each subject (or host) that has several: a row each, by number.

    A slow SSD is slow in most that is measured of it, and that is surer than any one figure.
    """
    rows = np.flatnonzero(peer_count)
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


def _floors(summaries: Summaries, limits: Limits, present: Flags, peers: _Peers) -> _Floors:
    rated = present & ~np.isnan(limits.worst)
    luckiest = np.where(limits.more, summaries.high, summaries.low)
    unluckiest = np.where(limits.more, summaries.low, summaries.high)
    comparisons = int(np.sum(rated))
    # Without peers there is only the error from its own few samples, too rough for a quantile of
    # Student's t; but the interval under the floor is a condition of its own.
    freedom = np.where(peers.count > 0, peers.freedom, np.inf)
    margin = threshold(share(comparisons), freedom) * peers.error + peers.step
    under = limits.gain(luckiest, limits.worst) < 0
    # The error is relative to the median, and so is the distance: of the floor, nothing lacks more
    # than all of it, however far below it lies.
    surely = limits.gain(limits.worst, summaries.median) > margin
    # One sample has no scatter, and so no interval that could lie on either side.
    single = rated & (summaries.count == 1)
    below = rated & ~single & ((under & surely) | _all_below(summaries, limits, rated, peers))
    # One wild sample of seven is an end of the interval. Where peers tell the scatter, the median
    # may be surely above the floor all the same.
    sure = threshold((1 - CONFIDENCE) / 2, peers.freedom) * peers.error
    above = (peers.count > 0) & (limits.gain(summaries.median, limits.worst) > sure)
    low = limits.gain(unluckiest, limits.worst) < 0
    straddling = rated & ~below & (single | (~above & low))
    return _Floors(below, straddling, comparisons)


def _all_below(summaries: Summaries, limits: Limits, rated: Flags, peers: _Peers) -> Flags:
    """Which lie under their floor with peers that surely do, all together.

    What one metric cannot show, all of its kind do: each of them 2 % under the floor.
    """
    found = np.zeros(len(rated), dtype=bool)
    for rows in peers.members:
        if not np.all(rated[rows]):
            continue
        lacks = limits.gain(limits.worst, summaries.median)[rows]
        hosts = len(np.unique(limits.host[rows]))
        usual, freedom = scale(lacks, float(peers.error[rows[0]]), peers.freedom[rows[0]], hosts)
        chance = share(len(peers.members))
        far = float(threshold(chance, freedom)) * 1.2533 * usual / hosts**0.5
        if middle(lacks) > far + float(peers.step[rows[0]]):
            found[rows] = lacks > 0
    return found


def _drifts(summaries: Summaries, present: Flags, peers: _Peers) -> tuple[Flags, int]:
    """Which metrics drift, alone or with all their peers; and how often that was asked."""
    alone = present & (peers.count == 0) & (summaries.count >= STRICT)
    drifting = alone & (np.abs(summaries.order) == 1) & (np.abs(summaries.change) > 2 * DRIFT)
    comparisons = sum(len(rows) + 1 for rows in peers.members) + int(np.sum(alone))
    for rows in peers.members:
        count = middle(summaries.count[rows])
        if count < STRICT - 1:
            continue
        error = float(change_error(middle(summaries.wobble[rows]), count))
        freedom = max(MAD_EFFICIENCY * len(rows) * (count - 2), 1.0)
        # Half the share on either side: a run may rise or fall.
        far = float(threshold(share(comparisons) / 2, freedom)) * error
        change, order = summaries.change[rows], summaries.order[rows]
        together = abs(middle(change)) > max(DRIFT, far * 1.2533 / len(rows) ** 0.5)
        each = (np.abs(change) > max(DRIFT, far)) & (np.abs(order) >= ORDERED)
        drifting[rows] = together | each
    return drifting, comparisons


def _more_samples(summaries: Summaries, limits: Limits, floored: _Floors, peers: _Peers) -> Array:
    """By how many samples the error becomes small enough for what is open, at the same scatter."""
    above = limits.gain(summaries.median, limits.worst)
    alarm = threshold(share(floored.comparisons), np.inf)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        errors = np.where(above > 0, threshold((1 - CONFIDENCE) / 2, np.inf), alarm)
        floor = np.where(floored.straddling, (errors * peers.error / above) ** 2, 0.0)
        lost = -peers.gain
        alarm = threshold(share(peers.comparisons), np.inf)
        sound = np.where(lost < HIDDEN, threshold(HIDING, np.inf) / (HIDDEN - lost), np.inf)
        slow = np.where(lost > SLOWER, alarm / lost, np.inf)
        hidden = np.where(peers.hiding, (np.fmin(sound, slow) * peers.error) ** 2, 0.0)
        more = np.ceil(summaries.count * (np.fmax(floor, hidden) - 1))
        more = np.where(floored.straddling & (summaries.count == 1), ENOUGH - 1, more)
    return np.where((more > 0) & (more <= MOST_SAMPLES), more, np.nan)
