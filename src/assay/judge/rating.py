"""The rules that turn figures into verdicts, for all metrics of a campaign at once.

A campaign asks hundreds of questions, and chance answers some of them wrongly: at 95 % each, one
in twenty. So the chance of a false alarm is fixed for the campaign as a whole, `FALSE_ALARMS`, and
each comparison gets its share (Bonferroni). That makes alarms harder to raise, and nothing easier
to pass: what is neither surely wrong nor surely right is `unsteady`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.judge.limits import Flags, Limits, Numbers, share
from assay.judge.peers import HIDDEN, HIDING, OF_MEDIAN, SLOWER, Blame, Compared, among_peers
from assay.judge.stats import (
    CONFIDENCE,
    MAD_EFFICIENCY,
    Array,
    Summaries,
    change_error,
    middle,
    threshold,
)
from assay.judge.verdict import Verdict

FASTER = 0.25
"""Nothing is by as much better than its peers or its bound, however much it scatters: that is
a cache, a hole or a unit (own choice)."""

TOGETHER = 0.005
"""By as much all peers may be under their floor together: what is measured at one time errs in one
direction (own choice)."""

DRIFT = 0.05
"""Minimum relative change of a run from its first sample to its last to be called drifting (own
choice); twice as much where there are no peers to tell the scatter from."""

ORDERED = 0.8
"""Kendall's tau of a metric that drifts by itself. Two wild samples at an end do not make it."""

STRICT = 6
"""As many samples all in one order are no chance: of six, 1 in 360."""

ENOUGH = 6
"""As few samples have an interval of `CONFIDENCE`."""

MOST_SAMPLES = 200
"""Maximum number of further samples to ask for; a metric that needs more lies on its limit."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A verdict for each metric, and what it was made of."""

    verdict: NDArray[Any]
    gain: Array
    """By how much it is better than the median of its peers; NaN where it has too few."""
    local: Array
    """By how much it is better than what shares its host or its ends; NaN where nothing does."""
    peers_median: Array
    """That median."""
    peers: Numbers
    """How many peers there are, itself included; 0 for too few."""
    outlier: Flags
    drifting: Flags
    straddling: Flags
    """It is undecided on which side of its floor it lies."""
    hiding: Flags
    """A loss against its peers could hide in its scatter."""
    apart: Array
    """By how much it is in the worse of two populations of peers; NaN elsewhere."""
    blame: dict[int, Blame]
    """What makes some of them slow."""
    more_samples: Array
    """How many more would decide what is open; NaN where no reasonable number does."""
    error: Array
    """The standard error of its median, relative to it."""
    freedom: Array
    """The degrees of freedom of that error."""
    comparisons: int
    """How many questions were asked that could have raised a false alarm."""


def rate(summaries: Summaries, limits: Limits, fake: Flags | None = None) -> Rating:
    """Rate every metric of a campaign. One without samples is `missing`, a fake `implausible`."""
    present = summaries.count > 0
    peers = among_peers(summaries, limits, present)
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
        local=peers.local,
        peers_median=peers.median,
        peers=peers.count,
        outlier=peers.slower | peers.faster,
        drifting=drifting,
        straddling=floored.straddling,
        hiding=peers.hiding,
        apart=peers.apart,
        blame=peers.blame,
        more_samples=_more_samples(summaries, limits, floored, peers),
        error=peers.error,
        freedom=peers.freedom,
        comparisons=floored.comparisons + peers.comparisons + drifts,
    )


@dataclass(frozen=True, slots=True)
class _Floors:
    below: Flags
    straddling: Flags
    comparisons: int


def _floors(summaries: Summaries, limits: Limits, present: Flags, peers: Compared) -> _Floors:
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


def _all_below(summaries: Summaries, limits: Limits, rated: Flags, peers: Compared) -> Flags:
    """Which lie under their floor with peers that surely do, all together.

    What one metric cannot show, all of its kind do: each of them 2 % under the floor.
    """
    found = np.zeros(len(rated), dtype=bool)
    for rows in peers.members:
        if not np.all(rated[rows]):
            continue
        lacks = limits.gain(limits.worst, summaries.median)[rows]
        # All of them are here, so that how much they differ by nature makes their middle no surer.
        far = float(threshold(share(len(peers.members)), peers.freedom[rows[0]]))
        far *= OF_MEDIAN * float(peers.error[rows[0]]) / len(rows) ** 0.5
        if middle(lacks) > max(TOGETHER, far) + float(peers.step[rows[0]]):
            found[rows] = lacks > 0
    return found


def _drifts(summaries: Summaries, present: Flags, peers: Compared) -> tuple[Flags, int]:
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
        moved = abs(middle(change))
        together = moved > max(DRIFT, far * OF_MEDIAN / len(rows) ** 0.5)
        # What warms up lies on no line, and all of its peers rise.
        together |= moved > 2 * DRIFT and abs(float(np.mean(order))) >= ORDERED
        each = (np.abs(change) > max(DRIFT, far)) & (np.abs(order) >= ORDERED)
        drifting[rows] = together | each
    return drifting, comparisons


def _more_samples(summaries: Summaries, limits: Limits, floored: _Floors, peers: Compared) -> Array:
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
