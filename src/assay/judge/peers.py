"""Each metric among its peers: which one is slower, and by which evidence.

A figure may be slow by itself, together with the other figures of its subject, or together with the
figures of its host or end. It is compared with all peers, or with those that share its host or
ends. Each of these levels has the same share of the chance of a false alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from assay.judge.blame import Blame, at_slow_ends, slow_paths
from assay.judge.few_peers import FEWEST_PEERS, SLOWER, differences
from assay.judge.limits import NO_END, Flags, Limits, Numbers
from assay.judge.pairs import Polished, polish
from assay.judge.populations import Split, deviation, most_error, scale, split, split_pairs
from assay.judge.stats import (
    MAD_EFFICIENCY,
    OF_MEDIAN,
    Array,
    Summaries,
    interval_error,
    median_error,
    middle,
    pool,
    threshold,
)

FEWEST_OF_HOST = 3
"""Minimum number of devices of one host, if other hosts show the deviation between devices."""

HIDDEN = 0.10
"""A possible loss against its peers with which a metric must not pass."""

HIDING = 0.01
"""The chance that a metric passes with such a loss."""

BETTER = 0.25
"""Minimum gain over its peers of a figure that is a question: with it, a host is not like the
others, or it is the one sound host among slow ones (own choice)."""

BEYOND_PEERS = 1.0
"""Minimum gain over its peers of a figure that must be a cache, a hole or a wrong unit: it is twice
as good (own choice). The same holds for a single sample and what is possible."""

MODES = 1.6
"""Minimum ratio of the width of intervals to that expected from the scatter, for samples in modes;
for normally distributed samples it is 1.2 (own choice)."""

STEPS = 1.5
"""Minimum difference for a verdict, in steps of the printed figures."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of each metric among its peers; NaN if it has too few of them."""

    count: Numbers
    """Number of its peers, including itself; 0 if there are too few."""
    median: Array
    """The median of its peers, or of the population that it belongs to."""
    gain: Array
    """Its relative gain over that median."""
    distance: Array
    """The usual deviation between its peers, with `loose` degrees of freedom."""
    loose: Array
    local: Array
    """Its gain over the peers that share its host or its ends; NaN if there are none."""
    local_distance: Array
    local_loose: Array
    by_host: Array
    """Its gain over the median, without the effect of its destination."""
    apart: Array
    """The distance between two populations if it is in the worse one; NaN otherwise."""
    differing: Array
    """How much worse than its best peer it is, if it has one or two that it surely differs from."""
    error: Array
    """The relative error of its own median, from all peers, or from all metrics of its check if it
    has too few peers."""
    unshared: Array
    """As much of that error as peers do not share: no more than they deviate, if they are many."""
    freedom: Array
    """The degrees of freedom of both."""
    step: Array
    """The step of the printed figures, relative to the median."""
    in_modes: Flags
    """Whether the samples of its peers are in modes."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Each metric among its peers."""

    figures: Figures
    members: list[Numbers]
    """The rows of each group of peers."""
    blame: Mapping[int, Blame]
    comparisons: int
    slower: Flags
    faster: Flags
    better: Flags
    """Whether it is so much better than its peers that it is a question."""
    hiding: Flags
    """Whether its scatter could hide a loss."""


@dataclass(frozen=True, slots=True)
class _Population:
    """Peers that do not differ by nature, compared; arrays are in the order of `rows`."""

    rows: Numbers
    median: float
    gain: Array
    distance: float
    loose: float
    local: Array
    local_distance: float
    local_loose: float
    by_host: Array
    pairs: Polished | None


@dataclass(frozen=True, slots=True)
class _Group:
    """All peers of one metric, compared; they are one population or two."""

    rows: Numbers
    error: float
    unshared: float
    freedom: float
    step: float
    in_modes: bool
    worse: Numbers
    """The rows of the worse population; empty if there is one."""
    two: Split | None
    populations: tuple[_Population, ...]


def among_peers(summaries: Summaries, limits: Limits, present: Flags) -> Compared:
    """Compare each metric with its peers, which have the same number in `limits.group`."""
    alike = list(_members(limits, present))
    many = [rows for rows in alike if len(rows) >= FEWEST_PEERS]
    few = [rows for rows in alike if 1 < len(rows) < FEWEST_PEERS]
    groups = [_compared(summaries, limits, rows) for rows in many]
    figures = _scattered(summaries, limits, groups)
    figures.differing[:] = differences(summaries, limits, few, figures.error, figures.freedom)
    populations = [each for group in groups for each in group.populations]
    paired = [(each.rows, each.pairs) for each in populations if each.pairs is not None]
    levels = _levels(figures.local, limits.ends)
    compared = int(np.sum(figures.count > 0))
    ailing, ailing_there, asked = _ailing(figures, limits, levels)
    ends = sum(len(pairs.ends) for _, pairs in paired)
    blame: dict[int, Blame] = {}
    for group in groups:
        if group.two is not None:
            blame |= dict.fromkeys(group.worse.tolist(), Blame(group.two.sides, group.two.apart))
    chance = limits.share(ends) / levels
    for row, cause in at_slow_ends(
        paired, figures.error, figures.freedom, figures.in_modes, chance
    ):
        ailing[row] = True
        if row not in blame or not blame[row].ends:
            blame[row] = cause
    chance = limits.share(compared) / levels
    far = threshold(chance, figures.loose) * figures.distance
    local_far = threshold(chance, figures.local_loose) * figures.local_distance
    coarse = np.maximum(SLOWER, STEPS * figures.step)
    luckiest = np.where(limits.more, summaries.second_high, summaries.second_low)
    # An outlier among samples or a second mode reaches up to the peers; a slow metric does not.
    reach = limits.gain(luckiest, figures.median)
    gain, local = figures.gain, figures.local
    slower = (gain < -coarse) & (ailing | (gain < -far)) & (reach < -SLOWER / 2)
    reach -= gain - local
    slow_there = (local < -coarse) & (ailing_there | (local < -local_far))
    slow_there &= reach < -SLOWER / 2
    sure = threshold(limits.of_look(HIDING), figures.freedom) * figures.unshared
    return Compared(
        figures,
        [group.rows for group in groups],
        {**dict(slow_paths(paired, slow_there)), **blame},
        asked + ends + compared,
        slower=slower | slow_there,
        faster=gain > np.maximum(BEYOND_PEERS, far),
        better=gain > np.maximum(BETTER, far),
        hiding=(gain - sure < -np.maximum(HIDDEN, STEPS * figures.step)) & (gain < 0),
    )


def _members(limits: Limits, present: Flags) -> Iterator[Numbers]:
    """The rows of each group."""
    groups: dict[int, list[int]] = {}
    for row in np.flatnonzero(present & (limits.group >= 0)).tolist():
        groups.setdefault(int(limits.group[row]), []).append(row)
    return map(np.array, groups.values())


def _compared(summaries: Summaries, limits: Limits, rows: Numbers) -> _Group:
    """Compare the peers of one metric."""
    pooled = pool(summaries.median[rows], summaries.spread[rows], summaries.count[rows])
    wide = interval_error(summaries.low[rows], summaries.high[rows], summaries.confidence[rows])
    error = max(pooled.error, middle(wide / summaries.median[rows]))
    gain = limits.gain(summaries.median[rows], pooled.median, rows)
    in_modes = error > MODES * pooled.error
    # What all share hides nothing of one of them. Samples in modes move single medians far.
    unshared = error if in_modes else min(error, most_error(gain))
    if limits.ends[rows[0], 0] == NO_END:
        two = split(gain, limits.host[rows], error)
    else:
        two = split_pairs(gain, limits.ends[rows], error)
    worse = np.zeros(len(rows), dtype=bool) if two is None else two.worse
    parts = [rows] if two is None else [rows[worse], rows[~worse]]
    return _Group(
        rows,
        error,
        unshared,
        pooled.known,
        _step_of(summaries, rows) / pooled.median,
        in_modes,
        rows[worse],
        two,
        tuple(_population(summaries, limits, part, error, pooled.known) for part in parts),
    )


def _population(
    summaries: Summaries, limits: Limits, rows: Numbers, error: float, known: float
) -> _Population:
    """The deviation between the peers of one population, among all and locally."""
    median = middle(summaries.median[rows])
    gain = limits.gain(summaries.median[rows], median, rows)
    hosts = limits.host[rows]
    distance, loose = scale(deviation(gain), error, known, len(np.unique(hosts)) - 1)
    if limits.ends[rows[0], 0] == NO_END:
        pairs, by_host = None, gain
        local, usual, local_loose = _within_hosts(gain, hosts, error, known)
    else:
        pairs = polish(gain, limits.ends[rows])
        by_host = pairs.residual + pairs.effect[pairs.positions[:, 0]]
        local, (usual, local_loose) = pairs.residual, _between_pairs(pairs, error, known)
    return _Population(
        rows, median, gain, distance, loose, local, usual, local_loose, by_host, pairs
    )


_Part = TypeVar("_Part", _Group, _Population)


def _scattered(summaries: Summaries, limits: Limits, groups: Sequence[_Group]) -> Figures:
    """The figures of all groups, by the rows of their metrics."""

    def of(parts: Iterable[_Part], figure: Callable[[_Part], Array | float], whole: Array) -> Array:
        for part in parts:
            whole[part.rows] = figure(part)
        return whole

    size = len(summaries.median)
    populations = [each for group in groups for each in group.populations]

    def nothing() -> Array:
        return np.full(size, np.nan)

    apart = nothing()
    for group in groups:
        if group.two is not None:
            apart[group.worse] = group.two.apart
    own, alone = shared_error(summaries, limits.check)
    return Figures(
        count=of(groups, lambda each: len(each.rows), np.zeros(size)).astype(int),
        median=of(populations, lambda each: each.median, nothing()),
        gain=of(populations, lambda each: each.gain, nothing()),
        distance=of(populations, lambda each: each.distance, nothing()),
        loose=of(populations, lambda each: each.loose, nothing()),
        local=of(populations, lambda each: each.local, nothing()),
        local_distance=of(populations, lambda each: each.local_distance, nothing()),
        local_loose=of(populations, lambda each: each.local_loose, nothing()),
        by_host=of(populations, lambda each: each.by_host, nothing()),
        apart=apart,
        differing=nothing(),
        error=of(groups, lambda each: each.error, own),
        unshared=of(groups, lambda each: each.unshared, own.copy()),
        freedom=of(groups, lambda each: each.freedom, alone),
        step=of(groups, lambda each: each.step, summaries.step / summaries.median),
        in_modes=of(groups, lambda each: each.in_modes, np.zeros(size)).astype(bool),
    )


def shared_error(summaries: Summaries, check: Numbers | None) -> tuple[Array, Array]:
    """The relative error of each median without peers, and its degrees of freedom.

    A few samples say little of their scatter, but all metrics of a check scatter alike: their
    errors are pooled, and none is less than its own.
    """
    own = median_error(summaries.spread, summaries.count)
    freedom = np.maximum(MAD_EFFICIENCY * (summaries.count - 1), 1.0)
    if check is None:
        return own, freedom
    wide = interval_error(summaries.low, summaries.high, summaries.confidence)
    own = np.fmax(own, wide / summaries.median)
    known = (summaries.count > 1) & ~np.isnan(own)
    size = np.bincount(check, known)
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = np.sqrt(np.bincount(check, np.where(known, own, 0.0) ** 2) / size)[check]
    together = np.bincount(check, np.where(known, freedom, 0.0))[check]
    return np.fmax(own, pooled), np.where(own > pooled, freedom, np.maximum(together, 1.0))


def _levels(local: Array, ends: Numbers) -> int:
    """The number of levels that share the chance of a false alarm.

    They are a metric, a subject and a host among all; if hosts have several devices, also the
    first two within their host; if there are pairs, also a pair and an end.

    Args:
        local: the gain of each metric over the peers that share its host or ends, or NaN.
        ends: the ends of each metric.
    """
    paired = ends[:, 0] != NO_END
    compared = ~np.isnan(local)
    return 3 + 2 * bool(np.any(compared & ~paired)) + 2 * bool(np.any(compared & paired))


def _step_of(summaries: Summaries, rows: Numbers) -> float:
    """The step in which the samples of peers were printed; 0 if most do not show it."""
    steps = summaries.step[rows]
    return float(np.min(steps[steps > 0])) if middle(steps) > 0 else 0.0


def _between_pairs(model: Polished, error: float, known: float) -> tuple[float, float]:
    """The scale of pairs without the effects of their ends, which each take a degree of freedom."""
    effects = int(np.count_nonzero(model.effect))
    freedom = max(len(model.residual) - effects - 1, 0)
    return scale(deviation(model.residual), error, known, freedom)


def _within_hosts(
    gain: Array, hosts: Numbers, error: float, known: float
) -> tuple[Array, float, float]:
    """The gain of each peer over the median of its host, if it has several; and their scale.

    An effect on the whole host does not change these gains.
    """
    local = np.full(len(gain), np.nan)
    order = np.argsort(hosts, kind="stable")
    _, starts, counts = np.unique(hosts[order], return_index=True, return_counts=True)
    for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
        if count >= FEWEST_OF_HOST:
            places = order[start : start + count]
            local[places] = gain[places] - middle(gain[places])
    compared = local[~np.isnan(local)]
    if not len(compared):
        return local, np.nan, np.nan
    of_host = float(np.median(counts[counts >= FEWEST_OF_HOST]))
    # Few figures lie too near their own median (see `median_error`), which also has an error.
    between = deviation(compared) * of_host / (of_host - 1.2)
    wider = (1 + OF_MEDIAN**2 / of_host) ** 0.5
    freedom = len(compared) * (1 - 1 / of_host)
    usual, loose = scale(between, error, known, freedom)
    return local, usual * wider, loose


def _ailing(figures: Figures, limits: Limits, levels: int) -> tuple[Flags, Flags, int]:
    """The metrics of subjects and hosts whose figures are slow together.

    The natural deviation of one of these is estimated from the others. The figures of one host
    change together, so a larger number of them does not make the result more certain.

    Returns:
        The metrics that are slow among all, those that are slow within their host, and the number
        of comparisons.
    """
    ailing, there = (np.zeros(len(figures.gain), dtype=bool) for _ in range(2))
    of_subject = list(_families(figures.count, limits.subject, limits.group))
    of_host = list(_families(figures.count, limits.host, None))
    tests = [
        (of_subject, figures.gain, False),
        (of_subject, figures.gain, True),
        (of_host, figures.by_host, False),
    ]
    total = 0
    for families, gain, within in tests:
        asked = sum(len(rows) for rows in families)
        total += asked * (not within)
        for rows in families:  # those with the same number of metrics
            # Samples in modes change several medians at once, by more than their errors.
            alike = 1.0 if figures.in_modes[rows].any() else OF_MEDIAN / rows.shape[1] ** 0.5
            own = float(np.sqrt(np.mean(figures.error[rows] ** 2))) * alike
            known = middle(figures.freedom[rows].ravel())
            together = np.median(gain[rows], axis=1)
            if within:
                hosts = limits.host[rows[:, 0]]
                together, usual, loose = _within_hosts(together, hosts, own, known)
            else:
                usual, loose = scale(deviation(together), own, known, len(together) - 1)
            far = max(SLOWER, float(threshold(limits.share(asked) / levels, loose)) * usual)
            (there if within else ailing)[rows] |= (together < -far)[:, None]
    return ailing, there, total


def _families(peer_count: Numbers, subject: Numbers, group: Numbers | None) -> Iterator[Numbers]:
    """The metrics with peers of each subject or host that has several, as rows of equal length.

    A slow SSD is slow in most of its metrics, which is more certain than a single figure. With
    `group`, the first metrics of all subjects in a family are peers.
    """
    rows = np.flatnonzero(peer_count)
    rows = rows[np.argsort(subject[rows], kind="stable")]
    _, starts, counts = np.unique(subject[rows], return_index=True, return_counts=True)
    for count in np.unique(counts).tolist():
        if count < 2:
            continue
        family = rows[starts[counts == count][:, None] + np.arange(count)]
        if group is None:
            yield family
            continue
        first = group[family[:, 0]]
        yield from (family[first == number] for number in np.unique(first).tolist())
