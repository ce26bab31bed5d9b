"""A control chart over nights: which families of figures are worse than in their own history.

The chart is an exponentially weighted moving average (Roberts, Technometrics 1, 1959) of relative
deviations from the first nights. Peers that change together, such as on a busy night, are a kind's
deviation, and not that of each of them. The variance of a family is moderated by that of similar
families, as in Smyth, SAGMB 3 (2004). Nights that follow each other are alike, which widens the
limits as for a series of first order (Schmid, in Frontiers in Statistical Quality Control 5, 1997).

The chance of a false alarm is that of a campaign, `FALSE_ALARMS`, in equal parts for all families;
what is ignored is what a comparison of campaigns ignores, `CHANGED`. Neither was fitted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.health.families import Families
from assay.judge.baseline import CHANGED
from assay.judge.few_peers import FEWEST_PEERS
from assay.judge.limits import FALSE_ALARMS, Flags
from assay.judge.peers import STEPS
from assay.judge.populations import NATURAL
from assay.judge.rating import FASTER
from assay.judge.stats import Array, Summaries, threshold

WEIGHT = 0.4
"""Weight of the last night in the moving average (chosen among others by `make bench-health`)."""

FEWEST = 5
"""Nights before a history judges (own choice)."""

REFERENCE = 14
"""Number of first nights whose median is the reference: two weeks, so that a slow decay has
nothing to hide in (own choice)."""

NIGHTLY_FREEDOM = 8.0
"""Degrees of freedom of what similar families say of one's scatter (own choice). Nights are not
hosts: with seven, as peers have, a sound cluster whose samples come in two modes had 1.25 nights of
90 with a false alarm, where 1 is asked for, and 1.00 with eight."""

LEAST = -float(np.log1p(-CHANGED))
"""The smallest loss that counts, as a logarithm."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the chart shows of each family tonight; logarithms, negative where it is worse."""

    tonight: Array
    average: Array
    """The moving average; NaN if the history is too short."""
    limit: Array
    """Distance at which the moving average is an alarm; NaN if the history is too short."""
    worse: Flags
    faster: Flags
    """Whether tonight is better than a history can explain: a cache, a hole or a wrong unit."""


def reference(figures: Array) -> Array:
    """The median of each metric in the first nights that have it; NaN if no night has.

    Args:
        figures: logarithms of figures, larger where they are better: nights by metrics.
    """
    order = np.argsort(np.isnan(figures), axis=0, kind="stable")
    return _median(np.take_along_axis(figures, order, axis=0)[:REFERENCE].T)


def deviations(figures: Array, levels: Array, families: Families) -> Array:
    """The deviation of each family from its reference: nights by families.

    A family needs half of its metrics; its deviation is NaN without them.

    Args:
        figures: logarithms of figures: nights by metrics.
        levels: the reference of each metric.
        families: the families of these metrics.
    """
    relative = figures - levels
    deviation = np.full((len(figures), len(families.members)), np.nan)
    own = relative.copy()
    for number, family in enumerate(families.members):
        if family.level == "kind":
            rows = np.array(family.rows)
            deviation[:, number] = common = _median(relative[:, rows], FEWEST_PEERS, timid=True)
            own[:, rows] -= np.nan_to_num(common)[:, None]
    for numbers, rows in families.places:
        deviation[:, numbers] = _median(own[:, rows], -(-rows.shape[1] // 2), timid=True)
    return deviation


def _median(figures: Array, fewest: int = 1, *, timid: bool = False) -> Array:
    """The median along the last axis without NaN; NaN of too few figures.

    Of an even number it is the mean of two or, if it is to be timid, the one that is nearer to 0:
    half of the figures are not most of them. numpy's nanmedian takes ten times as long.
    """
    ordered = np.sort(figures, axis=-1)  # NaN are last
    count = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    low, high = (
        np.take_along_axis(ordered, np.clip(place, 0, None), axis=-1)
        for place in ((count - 1) // 2, np.minimum(count // 2, ordered.shape[-1] - 1))
    )
    nearer = np.where(np.abs(low) < np.abs(high), low, high)
    middle = nearer if timid else low / 2 + high / 2
    return np.asarray(np.where(count >= max(fewest, 1), middle, np.nan)[..., 0])


def steps(summaries: Summaries, families: Families) -> Array:
    """The step in which the figures of each metric's kind are printed, relative to their median."""
    step = np.zeros(len(families.kind))
    for number in range(int(families.kind.max(initial=-1)) + 1):
        rows = np.flatnonzero((families.kind == number) & (summaries.count > 0))
        seen = summaries.step[rows]
        if len(rows) and np.median(seen) > 0:
            step[rows] = np.min(seen[seen > 0]) / np.median(summaries.median[rows])
    return step


def averages(series: Array, weight: float = WEIGHT) -> Array:
    """The moving average after each night, from 0; a night without a figure changes nothing."""
    average = np.zeros(series.shape[1])
    after = np.empty_like(series)
    for night, figures in enumerate(series):
        average = average + weight * np.nan_to_num(figures - average)
        after[night] = average
    return after


def signals(
    past: Array, tonight: Array, families: Families, coarse: Array, weight: float = WEIGHT
) -> Signals:
    """Hold tonight's deviations against those of the nights before.

    Args:
        past: the deviations of earlier nights, the first one first: nights by families.
        tonight: the deviations of tonight.
        families: the families.
        coarse: the step in which each metric is printed, relative to it; 0 if that is fine.
        weight: the weight of tonight in the moving average.
    """
    if len(past) < FEWEST:
        nothing, none = np.full(len(tonight), np.nan), np.zeros(len(tonight), dtype=bool)
        return Signals(tonight, nothing, nothing, none, none)
    before = averages(past, weight)[-1]
    average = before + weight * np.nan_to_num(tonight - before)
    nights = np.sum(~np.isnan(past), axis=0)
    variance, freedom, alike = scatter(past, families)
    kept = alike * (1 - weight)
    of_average = weight / (2 - weight) * (1 + kept) / (1 - kept)
    of_reference = np.pi / 2 / np.clip(nights, 1, REFERENCE) * (1 + alike) / (1 - alike)
    error = np.sqrt(variance * (of_average + of_reference))
    chance = FALSE_ALARMS / max(1, int(np.sum(nights >= FEWEST)))
    far = threshold(chance, freedom)
    ready = nights >= FEWEST
    least = np.maximum(LEAST, STEPS * _coarsest(coarse, families))
    limit = np.where(ready, np.maximum(least, far * error), np.nan)
    with np.errstate(invalid="ignore"):
        worse = (average < -limit) & (tonight < -least)
        single = np.sqrt(variance * (1 + of_reference))
        faster = ready & (tonight > np.maximum(np.log1p(FASTER), far * single))
    return Signals(tonight, average, limit, worse, faster)


def _coarsest(coarse: Array, families: Families) -> Array:
    """The median step of each family's metrics."""
    median_step = np.empty(len(families.members))
    for number, family in enumerate(families.members):
        if family.level == "kind":
            median_step[number] = np.median(coarse[list(family.rows)])
    for numbers, rows in families.places:
        median_step[numbers] = np.median(coarse[rows], axis=1)
    return median_step


def scatter(past: Array, families: Families) -> tuple[Array, Array, Array]:
    """Variance between nights, its degrees of freedom, and how alike successive nights are.

    That of the family itself is from its first nights, which no later fault widens; that of
    similar families is their mean without the largest tenth, which may be faults. (Of figures in
    two modes, most have seen only one of them in a few nights, so a median would be too small.)
    """
    first = past[:REFERENCE]
    own = np.nan_to_num(_variance(first))
    # A fault of all hosts is in all figures of a check at once: no later night of theirs may widen
    # the limits of each other.
    of_all = np.array([family.level == "kind" for family in families.members], dtype=bool)
    every = np.where(of_all, _variance(first), _variance(past))
    follows = np.where(of_all, _follows(first), _follows(past))
    count = np.sum(~np.isnan(first), axis=0)
    freedom = np.maximum(count - 1.0, 0.0)
    usual = np.full(len(own), NATURAL**2)
    alike = np.zeros(len(own))
    nights = np.where(of_all, count, np.sum(~np.isnan(past), axis=0))
    for number in range(int(families.like.max(initial=-1)) + 1):
        similar = np.flatnonzero(families.like == number)
        seen = similar[~np.isnan(every[similar])]
        if len(seen) >= FEWEST_PEERS:
            usual[similar] = _trimmed(every[seen])
        if len(seen := similar[~np.isnan(follows[similar])]):
            # A series of n is less alike than it is, by about (1 + 4 r) / n (Kendall, 1954).
            seen_alike = np.median(follows[seen])
            many = max(float(np.median(nights[seen])), 5.0)
            alike[similar] = np.clip((seen_alike + 1 / many) / (1 - 4 / many), 0.0, 0.9)
    # What happened to be quieter than others like it will not stay so.
    moderated = (NIGHTLY_FREEDOM * usual + freedom * own) / (NIGHTLY_FREEDOM + freedom)
    return np.maximum(usual, moderated), freedom + NIGHTLY_FREEDOM, alike


def _follows(series: Array) -> Array:
    """How alike successive nights of each family are; NaN if they do not differ."""
    centred = np.nan_to_num(series - _median(series.T))
    with np.errstate(invalid="ignore"):
        follows = np.sum(centred[1:] * centred[:-1], axis=0) / np.sum(centred**2, axis=0)
    return np.asarray(follows)


def _variance(series: Array) -> Array:
    """The variance of each family; NaN of a single night."""
    count = np.sum(~np.isnan(series), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(series, axis=0) / count
        squares = np.nansum((series - mean) ** 2, axis=0) / (count - 1)
    return np.where(count > 1, squares, np.nan)


def _trimmed(variances: Array) -> float:
    """Their mean without the largest tenth."""
    return float(np.mean(np.sort(variances)[: max(1, len(variances) * 9 // 10)]))
