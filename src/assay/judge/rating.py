"""The rules that turn figures into verdicts, for all metrics of a campaign at once.

A campaign makes hundreds of comparisons, and chance decides some of them wrongly: at 95 % each, one
in twenty. So the chance of a false alarm is fixed for the whole campaign, `FALSE_ALARMS`, and each
comparison gets its share (Bonferroni). That makes alarms less likely, but does not make it easier
to pass: a metric that is neither surely wrong nor surely right is `unsteady`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.judge.blame import Blame
from assay.judge.few_peers import SLOWER
from assay.judge.intermittent import intermittent, wild_counts
from assay.judge.limits import Flags, Limits, Numbers
from assay.judge.peers import (
    BEYOND_PEERS,
    HIDDEN,
    HIDING,
    Compared,
    Figures,
    among_peers,
)
from assay.judge.populations import border
from assay.judge.stats import (
    CONFIDENCE,
    MAD_EFFICIENCY,
    NORMAL,
    OF_MEDIAN,
    Array,
    Summaries,
    change_error,
    middle,
    threshold,
)
from assay.judge.verdict import Verdict

FASTER = 0.25
"""Minimum gain over its peers or its bound of a figure that must be a cache, a hole or a wrong
unit, regardless of its scatter (own choice)."""

NATURE = 0.03
"""Maximum gain over what is possible by which a device may exceed it as its peers differ (own
choice)."""

TOGETHER = 0.005
"""Tolerated deviation of all peers together below their floor, since figures measured at one time
have a common error (own choice)."""

DRIFT = 0.05
"""Minimum relative change from the first sample to the last of a drifting run (own choice); twice
as much if there are no peers to estimate the scatter from."""

ORDERED = 0.8
"""Minimum Kendall's tau of a metric that drifts by itself; two wild samples at an end do not reach
it."""

ENOUGH_CHANGES = 32
"""Minimum number of a check's changes that show by themselves how far chance takes them; those of
fewer are seen together with all others (own choice)."""

STRICT = 6
"""Minimum number of samples whose strict order is no coincidence: for six, the chance is 1/360."""

ENOUGH = 6
"""Minimum number of samples for an interval of `CONFIDENCE`."""

MOST_SAMPLES = 200
"""Maximum number of further samples to ask for; a metric that needs more lies on its limit."""


@dataclass(frozen=True, slots=True)
class Peers:
    """How a metric compares with its peers."""

    count: int
    """Number of peers, including the metric itself."""
    median: float
    """The median of their medians."""
    gain: float
    """Its relative gain over that median; negative if it is worse."""
    outlier: bool


@dataclass(frozen=True, slots=True)
class Rated:
    """The verdict of one metric, and what it follows from."""

    verdict: Verdict
    peers: Peers | None
    """None if it has too few."""
    local: float
    """Its gain over the peers that share its host or its ends; NaN if there are none."""
    apart: float
    """The distance between two populations if it is in the worse one; NaN otherwise."""
    blame: Blame | None
    more_samples: int | None
    drifting: bool
    straddling: bool
    hiding: bool
    spiking: bool
    better: bool
    wild: int
    """Number of its samples far below the peers', if it is slow from time to time; otherwise 0."""
    differing: float
    """How much worse than its best peer it is, of two or three; NaN if not surely."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A verdict for each metric, and the figures behind it."""

    verdict: NDArray[Any]
    figures: Figures
    """Each metric among its peers."""
    outlier: Flags
    drifting: Flags
    straddling: Flags
    """Whether it is undecided on which side of its floor it lies."""
    hiding: Flags
    """Whether its scatter could hide a loss against its peers."""
    spiking: Flags
    """Whether samples are far better than possible: two by 25 %, or one by twice as much."""
    better: Flags
    """Whether it is so much better than its peers that it is a question."""
    wild: Numbers
    """Number of samples far below the peers'."""
    fitful: Flags
    """Whether it is slow from time to time."""
    blame: Mapping[int, Blame]
    """The causes of some slow metrics, by row."""
    more_samples: Array
    """Further samples that would decide an open verdict; NaN if no reasonable number would."""
    comparisons: int
    """Number of comparisons that could have raised a false alarm."""

    @property
    def scattering(self) -> Flags:
        """Whether a verdict is open because of scatter, so that more samples may decide it."""
        is_open = self.verdict == Verdict.UNSTEADY
        return np.asarray(is_open & (self.straddling | self.hiding) & ~self.drifting)

    def of(self, row: int) -> Rated:
        """The rating of one metric."""
        figures, more = self.figures, float(self.more_samples[row])
        count, median = int(figures.count[row]), float(figures.median[row])
        gain, outlier = float(figures.gain[row]), bool(self.outlier[row])
        return Rated(
            verdict=Verdict(str(self.verdict[row])),
            peers=Peers(count, median, gain, outlier) if count else None,
            local=float(figures.local[row]),
            apart=float(figures.apart[row]),
            blame=self.blame.get(row),
            more_samples=None if math.isnan(more) else int(more),
            drifting=bool(self.drifting[row]),
            straddling=bool(self.straddling[row]),
            hiding=bool(self.hiding[row]),
            spiking=bool(self.spiking[row]),
            better=bool(self.better[row]),
            wild=int(self.wild[row]) if self.fitful[row] else 0,
            differing=float(figures.differing[row]),
        )


def rate(
    summaries: Summaries,
    limits: Limits,
    fake: Flags | None = None,
    rows: Sequence[Sequence[float]] | None = None,
) -> Rating:
    """Rate every metric of a campaign: without samples it is `missing`, a fake is `implausible`.

    Args:
        summaries: what the samples say together.
        limits: their limits.
        fake: the metrics that nobody measured.
        rows: the samples themselves; without them, nothing is found to be slow from time to time.
    """
    present = summaries.count > 0
    peers = among_peers(summaries, limits, present)
    floored = _floors(summaries, limits, present, peers)
    drifting, drifts = _drifts(summaries, limits, present, peers)
    beyond = limits.gain(summaries.median, limits.best)
    unluckiest = np.where(limits.more, summaries.low, summaries.high)
    luckiest = np.where(limits.more, summaries.most, summaries.least)
    second = np.where(limits.more, summaries.second_high, summaries.second_low)
    # Of many thousand samples, one may be a glitch.
    spiking = limits.gain(second, limits.best) > FASTER
    spiking |= limits.gain(luckiest, limits.best) > BEYOND_PEERS
    explained, impossible = _by_nature(limits, beyond, peers)
    too_good = beyond > FASTER
    too_good |= (limits.gain(unluckiest, limits.best) > 0) & impossible
    if fake is not None:
        too_good |= fake
    wild = np.zeros(len(present), dtype=int)
    if rows is not None:
        wild = wild_counts(rows, summaries, limits, peers.figures.median, peers.figures.distance)
    fitful = intermittent(wild, summaries.count, limits, peers.figures.count > 0)
    verdict = np.select(
        [
            ~present,
            too_good | peers.faster,
            floored.below | peers.slower,
            floored.straddling
            | drifting
            | peers.hiding
            | peers.better
            | ~np.isnan(peers.figures.apart)
            | ~np.isnan(peers.figures.differing)
            | fitful
            | ((beyond > 0) & ~explained)
            | spiking,
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
        figures=peers.figures,
        outlier=peers.slower | peers.faster,
        drifting=drifting,
        straddling=floored.straddling,
        hiding=peers.hiding,
        spiking=spiking,
        better=peers.better,
        wild=wild,
        fitful=fitful,
        blame=peers.blame,
        more_samples=_more_samples(summaries, limits, floored, peers),
        comparisons=floored.comparisons + peers.comparisons + drifts,
    )


def _by_nature(limits: Limits, beyond: Array, peers: Compared) -> tuple[Flags, Flags]:
    """Which metrics are better than possible only as peers differ, and which are so surely.

    A sheet promises what a model does, and single devices differ from it: of sound peers, the best
    may be above the allowance of the sheet when the others are not. What no peer explains is
    impossible as before.
    """
    figures = peers.figures
    bounded = ~np.isnan(limits.best)
    far = threshold(limits.share(int(np.sum(bounded))), figures.loose) * figures.distance
    with np.errstate(invalid="ignore", divide="ignore"):
        error = OF_MEDIAN * figures.distance / np.sqrt(figures.count)
        together = limits.gain(figures.median, limits.best)
        sure = threshold(limits.share(len(peers.members)), figures.loose) * error
        possible = ~(together > np.fmax(TOGETHER, sure))
        explained = (figures.count > 0) & possible & (beyond <= np.fmin(far, NATURE))
    return np.asarray(explained), np.asarray(~explained)


@dataclass(frozen=True, slots=True)
class _Floors:
    below: Flags
    straddling: Flags
    comparisons: int


def _floors(summaries: Summaries, limits: Limits, present: Flags, peers: Compared) -> _Floors:
    rated, figures = present & ~np.isnan(limits.worst), peers.figures
    luckiest = np.where(limits.more, summaries.high, summaries.low)
    unluckiest = np.where(limits.more, summaries.low, summaries.high)
    comparisons = int(np.sum(rated))
    # Without peers, the error comes only from its own few samples, which is too rough for a
    # quantile of Student's t. The interval below the floor is a separate condition.
    freedom = np.where(figures.count > 0, figures.freedom, np.inf)
    margin = threshold(limits.share(comparisons), freedom) * figures.error + figures.step
    under = limits.gain(luckiest, limits.worst) < 0
    # Error and distance are relative to the median: relative to the floor, no distance would exceed
    # 1, however far below it a metric lies.
    surely = limits.gain(limits.worst, summaries.median) > margin
    # A single sample has no scatter, so it has no interval that could lie on either side.
    # A count is not estimated: one sample shows it, and each has to be right.
    exact = rated & (limits.best == limits.worst)
    single = rated & ~exact & (summaries.count == 1)
    below = rated & ~single & ((under & surely) | _all_below(summaries, limits, rated, peers))
    fewest = np.where(limits.more, summaries.least, summaries.most)
    below |= exact & (limits.gain(fewest, limits.worst) < 0)
    # One outlier among seven samples is an end of the interval. If others show the scatter, the
    # median may still be above the floor with confidence.
    sure = threshold(limits.of_look((1 - CONFIDENCE) / 2), figures.freedom) * figures.error
    above = limits.gain(summaries.median, limits.worst) > sure
    # Of a metric without peers, all samples but one have to be above.
    unlucky = np.where(limits.more, summaries.second_low, summaries.second_high)
    shared = (limits.check is not None) & (limits.gain(unlucky, limits.worst) >= 0)
    above &= (figures.count > 0) | (shared & (summaries.count > 1))
    above |= _above_with_peers(summaries, limits, figures)
    low = limits.gain(unluckiest, limits.worst) < 0
    straddling = rated & ~below & (single | (~above & low))
    return _Floors(below, straddling, comparisons)


def _above_with_peers(summaries: Summaries, limits: Limits, figures: Figures) -> Flags:
    """The metrics at or above their floor whose peers show that they are not there by chance.

    Sound peers are one population. What is known of a member is its own median and where the
    population lies, each by its own error: the posterior of a normal population (Efron and Morris,
    Stein's Estimation Rule and its Competitors, JASA 68, 1973). A member that differs from the
    population by what matters is found by the comparison with its peers, not by its floor.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        between = np.maximum(figures.distance**2 - figures.error**2, 0.0)
        weight = between / (between + figures.error**2)
        of_all = OF_MEDIAN * figures.distance / np.sqrt(figures.count)
        unsure = np.sqrt(weight * figures.error**2 + ((1 - weight) * of_all) ** 2)
        floor = limits.gain(limits.worst, figures.median)
        far = threshold(limits.of_look((1 - CONFIDENCE) / 2), figures.loose) * unsure
        own = limits.gain(summaries.median, limits.worst) >= 0
        return np.asarray(own & (weight * figures.gain - far > floor))


def _all_below(summaries: Summaries, limits: Limits, rated: Flags, peers: Compared) -> Flags:
    """The metrics below their floor whose peers, taken together, are below it with confidence.

    All metrics of a kind can show what a single one cannot: that each of them is 2 % below the
    floor.
    """
    below = np.zeros(len(rated), dtype=bool)
    for rows in peers.members:
        if not np.all(rated[rows]):
            continue
        lacks = limits.gain(limits.worst, summaries.median)[rows]
        # These are all of them, so their natural differences add no error to their median.
        far = float(threshold(limits.share(len(peers.members)), peers.figures.freedom[rows[0]]))
        far *= OF_MEDIAN * float(peers.figures.error[rows[0]]) / len(rows) ** 0.5
        if middle(lacks) > max(TOGETHER, far) + float(peers.figures.step[rows[0]]):
            below[rows] = lacks > 0
    return below


def _drifts(
    summaries: Summaries, limits: Limits, present: Flags, peers: Compared
) -> tuple[Flags, int]:
    """The metrics that drift, alone or with all their peers, and the number of comparisons."""
    alone = present & (peers.figures.count == 0) & (summaries.count >= STRICT)
    drifting = alone & (np.abs(summaries.order) == 1) & (np.abs(summaries.change) > 2 * DRIFT)
    comparisons = sum(len(rows) + 1 for rows in peers.members) + int(np.sum(alone))
    longer = [rows for rows in peers.members if middle(summaries.count[rows]) >= STRICT - 1]
    errors = _change_errors(summaries, limits, longer)
    for rows in longer:
        count, error = middle(summaries.count[rows]), errors[rows[0]]
        freedom = MAD_EFFICIENCY * len(rows) * (count - 2)
        # Half the share on either side: a run may rise or fall.
        far = float(threshold(limits.share(comparisons) / 2, freedom)) * error
        change, order = summaries.change[rows], summaries.order[rows]
        moved = abs(middle(change))
        together = moved > max(DRIFT, far * OF_MEDIAN / len(rows) ** 0.5)
        # Figures of a system that warms up are not on a line, and all peers rise.
        together |= moved > 2 * DRIFT and abs(float(np.mean(order))) >= ORDERED
        # What all peers lose at once is not of one of them.
        own = np.abs(change - middle(change))
        each = (own > max(DRIFT, far)) & (np.abs(order) >= ORDERED) & (count >= STRICT)
        drifting[rows] = together | each
    return drifting, comparisons


def _change_errors(summaries: Summaries, limits: Limits, groups: Sequence[Numbers]) -> Array:
    """The error of each change from first to last, from its peers' scatter about their lines.

    Where samples are like those before them, that scatter is too small, and the changes of peers
    differ by more than it says. By how much is seen in all metrics of a check together. Where half
    of the peers drift and the others do not, these are two populations, and not how peers differ.
    """
    errors, beyond = np.full(len(summaries.count), np.nan), np.full(len(summaries.count), np.nan)
    for rows in groups:
        change, count = summaries.change[rows], middle(summaries.count[rows])
        errors[rows] = error = float(change_error(middle(summaries.wobble[rows]), count))
        if error > 0:
            two = border(change, error, len(np.unique(limits.host[rows])))
            centre = np.full(len(rows), middle(change))
            for side in () if two is None else (two.worse, ~two.worse):
                centre[side] = middle(change[side])
            beyond[rows] = NORMAL * np.abs(change - centre) / error
    known = ~np.isnan(beyond)
    if limits.check is None or not known.any():
        return errors
    wider = np.full(len(errors), max(1.0, middle(beyond[known])))
    for check in np.unique(limits.check[known]).tolist():
        own = known & (limits.check == check)
        if np.sum(own) >= ENOUGH_CHANGES:
            wider[own] = max(1.0, middle(beyond[own]))
    return np.asarray(errors * wider)


def _more_samples(summaries: Summaries, limits: Limits, floored: _Floors, peers: Compared) -> Array:
    """The further samples that make the error small enough for a verdict, at the same scatter."""
    above = limits.gain(summaries.median, limits.worst)
    alarm = threshold(limits.share(floored.comparisons), np.inf)
    sure = threshold(limits.of_look((1 - CONFIDENCE) / 2), np.inf)
    unseen = threshold(limits.of_look(HIDING), np.inf)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        errors = np.where(above > 0, sure, alarm)
        floor = np.where(floored.straddling, (errors * peers.figures.error / above) ** 2, 0.0)
        lost = -peers.figures.gain
        alarm = threshold(limits.share(peers.comparisons), np.inf)
        sound = np.where(lost < HIDDEN, unseen / (HIDDEN - lost), np.inf)
        slow = np.where(lost > SLOWER, alarm / lost, np.inf)
        error = peers.figures.unshared
        hidden = np.where(peers.hiding, (np.fmin(sound, slow) * error) ** 2, 0.0)
        more = np.ceil(summaries.count * (np.fmax(floor, hidden) - 1))
        more = np.where(floored.straddling & (summaries.count == 1), ENOUGH - 1, more)
    return np.where((more > 0) & (more <= MOST_SAMPLES), more, np.nan)
