"""Each metric among its peers: which one is slower, by which evidence, and what makes it slow.

A figure may be slow by itself, together with the other figures of its subject, or together with the
figures of its host or end. It is compared with all peers, or with those that share its host or
ends. Each of these levels has the same share of the chance of a false alarm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from assay.judge.limits import NO_END, Flags, Limits, Numbers
from assay.judge.pairs import Polished, polish
from assay.judge.populations import Split, deviation, scale, split, split_pairs
from assay.judge.stats import (
    MAD_EFFICIENCY,
    Array,
    Summaries,
    interval_error,
    median_error,
    middle,
    pool,
    threshold,
)

FEWEST_PEERS = 4
"""Minimum number of peers to find an outlier among them; of fewer, half may be slow."""

FEWEST_OF_HOST = 3
"""Minimum number of devices of one host, if other hosts show the deviation between devices."""

SLOWER = 0.06
"""Minimum relative deviation of an outlier from its peers (own choice)."""

HIDDEN = 0.10
"""A possible loss against its peers with which a metric must not pass."""

HIDING = 0.01
"""The chance that a metric passes with such a loss."""

BEYOND_PEERS = 1.0
"""Minimum gain over its peers of a figure that must be a cache, a hole or a wrong unit: it is twice
as good (own choice). With less, it may be the one sound host among slow ones. The same holds for a
single sample and what is possible."""

MODES = 1.6
"""Minimum ratio of the width of intervals to that expected from the scatter, for samples in modes;
for normally distributed samples it is 1.2 (own choice)."""

STEPS = 1.5
"""Minimum difference for a verdict, in steps of the printed figures."""

OF_MEDIAN = 1.2533
"""Ratio of the error of a median to that of the mean, for normally distributed figures."""


@dataclass(frozen=True, slots=True)
class Blame:
    """The cause of a slow figure, by number: ends of pairs, or sets of ends that pairs cross."""

    ends: tuple[frozenset[int], ...]
    """One set: each of these ends is slow. Several sets: the path between them is slow."""
    apart: float
    """The relative loss of its pairs."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Each metric among its peers."""

    members: list[Numbers]
    gain: Array
    local: Array
    """Its gain over the peers that share its host or its ends; NaN if there are none."""
    median: Array
    count: Numbers
    error: Array
    """Error of its median, from all peers, or from its own samples if there are too few peers."""
    freedom: Array
    step: Array
    """The step of the printed figures, relative to the median."""
    apart: Array
    """The distance between two populations if it is in the worse one; NaN otherwise."""
    blame: dict[int, Blame]
    comparisons: int
    slower: Flags
    faster: Flags
    hiding: Flags


@dataclass(slots=True)
class _Partial:
    """The intermediate results for each metric, group by group."""

    median: Array
    distance: Array
    loose: Array
    apart: Array
    local: Array
    """Its gain over the peers that share its host or its ends; NaN if there are none."""
    local_distance: Array
    local_loose: Array
    by_host: Array
    """Its gain over the median, without the effect of its destination."""
    blame: dict[int, Blame] = field(default_factory=dict)
    polished: list[tuple[Numbers, Polished, float, float]] = field(default_factory=list)


def among_peers(summaries: Summaries, limits: Limits, present: Flags) -> Compared:
    """Compare each metric with its peers, which have the same number in `limits.group`."""
    size = len(present)
    groups: dict[int, list[int]] = {}
    for row in np.flatnonzero(present & (limits.group >= 0)).tolist():
        groups.setdefault(int(limits.group[row]), []).append(row)
    members = [np.array(rows) for rows in groups.values() if len(rows) >= FEWEST_PEERS]

    nothing = np.full(size, np.nan)
    partial = _Partial(
        median=nothing.copy(),
        distance=nothing.copy(),
        loose=nothing.copy(),
        apart=nothing.copy(),
        local=nothing.copy(),
        local_distance=nothing.copy(),
        local_loose=nothing.copy(),
        by_host=nothing.copy(),
    )
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
        freedom[rows], count[rows], partial.median[rows] = pooled.known, len(rows), pooled.median
        step[rows] = _step_of(summaries, rows) / pooled.median
        own = float(error[rows[0]])
        for population in _populations(partial, limits, summaries, rows, own):
            partial.median[population] = middle(summaries.median[population])
            _measure(partial, limits, summaries, population, own, pooled.known)
    gain = limits.gain(summaries.median, partial.median)
    levels = _levels(partial.local, limits.ends)
    ailing, ailing_there, asked = _ailing(
        partial, limits, gain, error, freedom, count, in_modes, levels
    )
    comparisons = asked + int(np.sum(count > 0))
    chance = limits.share(int(np.sum(count > 0))) / levels
    far = threshold(chance, partial.loose) * partial.distance
    local_far = threshold(chance, partial.local_loose) * partial.local_distance
    coarse = np.maximum(SLOWER, STEPS * step)
    luckiest = np.where(limits.more, summaries.second_high, summaries.second_low)
    # An outlier among samples or a second mode reaches up to the peers; a slow metric does not.
    reach = limits.gain(luckiest, partial.median)
    slower = (gain < -coarse) & (ailing | (gain < -far)) & (reach < -SLOWER / 2)
    reach -= gain - partial.local
    slow_there = (partial.local < -coarse) & (ailing_there | (partial.local < -local_far))
    slow_there &= reach < -SLOWER / 2
    _blame_paths(partial, slow_there)
    sure = threshold(limits.of_look(HIDING), freedom) * error
    return Compared(
        members,
        gain,
        partial.local,
        partial.median,
        count,
        error,
        freedom,
        step,
        partial.apart,
        partial.blame,
        comparisons,
        slower=slower | slow_there,
        faster=gain > np.maximum(BEYOND_PEERS, far),
        hiding=(gain - sure < -HIDDEN) & (gain < 0),
    )


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


def _populations(
    partial: _Partial, limits: Limits, summaries: Summaries, rows: Numbers, error: float
) -> list[Numbers]:
    """The rows of each population of peers; `partial` is extended by the worse population."""
    gain = limits.gain(summaries.median, partial.median)[rows]
    two: Split | None
    if limits.ends[rows[0], 0] == NO_END:
        two = split(gain, limits.host[rows], error)
    else:
        two = split_pairs(gain, limits.ends[rows], error)
    if two is None:
        return [rows]
    worse = rows[two.worse]
    partial.apart[worse] = two.apart
    partial.blame.update(dict.fromkeys(worse.tolist(), Blame(two.sides, two.apart)))
    return [worse, rows[~two.worse]]


def _measure(
    partial: _Partial,
    limits: Limits,
    summaries: Summaries,
    rows: Numbers,
    error: float,
    known: float,
) -> None:
    """The deviation between the peers of one population, among all and locally."""
    gain = limits.gain(summaries.median, partial.median)[rows]
    partial.by_host[rows] = gain
    hosts = limits.host[rows]
    several = len(np.unique(hosts))
    usual, loose = scale(deviation(gain), error, known, several - 1)
    partial.distance[rows], partial.loose[rows] = usual, loose
    if limits.ends[rows[0], 0] != NO_END:
        model = polish(gain, limits.ends[rows])
        partial.by_host[rows] = model.residual + model.effect[model.positions[:, 0]]
        partial.polished.append((rows, model, error, known))
        local, (usual, loose) = model.residual, _between_pairs(model, error, known)
    else:
        local, usual, loose = _within_hosts(gain, hosts, error, known)
    partial.local[rows] = local
    partial.local_distance[rows], partial.local_loose[rows] = usual, loose


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


def _ailing(
    partial: _Partial,
    limits: Limits,
    gain: Array,
    error: Array,
    freedom: Array,
    count: Numbers,
    in_modes: Flags,
    levels: int,
) -> tuple[Flags, Flags, int]:
    """The metrics of subjects, hosts and ends whose figures are slow together.

    The natural deviation of one of these is estimated from the others. The figures of one host
    change together, so a larger number of them does not make the result more certain.

    Returns:
        The metrics that are slow among all, those that are slow within their host, and the number
        of comparisons.
    """
    ailing, there = (np.zeros(len(gain), dtype=bool) for _ in range(2))
    of_subject = list(_families(count, limits.subject, limits.group))
    of_host = list(_families(count, limits.host, None))
    tests = [(of_subject, gain, False), (of_subject, gain, True), (of_host, partial.by_host, False)]
    total = 0
    for families, figures, within in tests:
        asked = sum(len(rows) for rows in families)
        total += asked * (not within)
        for rows in families:  # those with the same number of metrics
            # Samples in modes change several medians at once, by more than their errors.
            alike = 1.0 if in_modes[rows].any() else OF_MEDIAN / rows.shape[1] ** 0.5
            own = float(np.sqrt(np.mean(error[rows] ** 2))) * alike
            known = middle(freedom[rows].ravel())
            together = np.median(figures[rows], axis=1)
            if within:
                hosts = limits.host[rows[:, 0]]
                together, usual, loose = _within_hosts(together, hosts, own, known)
            else:
                usual, loose = scale(deviation(together), own, known, len(together) - 1)
            far = max(SLOWER, float(threshold(limits.share(asked) / levels, loose)) * usual)
            (there if within else ailing)[rows] |= (together < -far)[:, None]
    asked = sum(len(model.ends) for _, model, _, _ in partial.polished)
    for rows, model, own, known in partial.polished:
        chance = limits.share(asked) / levels
        for end in _slow_ends(model, own, known, chance):
            of_end = rows[(model.positions == end).any(axis=1)]
            ailing[of_end] = True
            blame = Blame((frozenset({int(model.ends[end])}),), -float(model.effect[end]))
            for row in of_end.tolist():
                known_blame = partial.blame.get(row)
                if known_blame is None or not known_blame.ends:
                    partial.blame[row] = blame
    return ailing, there, total + asked


def _slow_ends(model: Polished, error: float, known: float, chance: float) -> Iterator[int]:
    """The positions of ends whose pairs are all slower than by their natural deviation."""
    own = error * OF_MEDIAN / middle(model.pairs.astype(float)) ** 0.5
    # The slower end decides what a pair does: by it good ends are alike, and the worst stands out.
    # Pairs differ by no more than their ends do.
    between = max(deviation(model.level), deviation(model.gain))
    usual, loose = scale(between, min(own, error), known, len(model.ends) - 1)
    far = max(SLOWER, float(threshold(chance, loose)) * usual)
    yield from np.flatnonzero((model.effect < -SLOWER) & (model.level < -far)).tolist()


def _blame_paths(partial: _Partial, slow: Flags) -> None:
    """Blame the path between the ends of single pairs, if both ends are also in other pairs."""
    for rows, model, _, _ in partial.polished:
        several = (model.pairs[model.positions] > 1).all(axis=1)
        for place in np.flatnonzero(several & slow[rows]).tolist():
            row, (first, second) = int(rows[place]), model.ends[model.positions[place]].tolist()
            if row not in partial.blame:
                sides = frozenset({first}), frozenset({second})
                partial.blame[row] = Blame(sides, -float(model.residual[place]))


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
