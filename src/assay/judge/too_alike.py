"""Samples that nobody measured one by one: too quiet, or those of a peer times a factor.

Each test asks how likely such samples are by chance, and compares that with the number of questions
of the campaign. A figure is never distinguished by less than its printed digits, nor by less than
the steps in which its peers come, such as a size over whole milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.judge.stats import NORMAL, Array

FEWEST = 5
"""Fewer samples show no scatter."""

CHANCE = 1e-3
"""Chance that either test accuses anything of a sound campaign (this project's own choice)."""

STILL = 2e-6
"""No benchmark repeats its figure so well that the relative standard deviation is less (own
choice); disks at their limit have shown 1e-4."""

QUIETER = 1 / 40
"""At most this part of the usual scatter of its peers makes a figure suspicious (own choice); the
modes of a figure with two differ by less."""

FEW = 1 / 4
"""If more of the peers are so quiet, they are so by nature (own choice)."""

APART = 1e-4
"""Chance that the next one of its peers scatters so many times as much (own choice): among many
sound figures the quietest has others near it."""

PEERS = 8
"""Fewer show no usual scatter (own choice)."""

NEAR = 1 / 50
"""The ratio of two figures varies at most by this part of their scatter if one is copied from the
other (own choice)."""

EXACT = 3e-5
"""And at most by so much, which is what digits leave (own choice): two hosts may have a cause in
common, but each also has a scatter of its own."""

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows with equally many samples of one figure, as logarithms, and where they came from."""

    at: NDArray[np.int_]
    logs: Array
    steps: Array
    """The printed steps, relative to the figure."""

    @property
    def count(self) -> int:
        """The number of samples of each row."""
        return int(self.logs.shape[1])


def _groups(
    rows: Rows, groups: Sequence[Hashable], step: Callable[[Sequence[float]], float]
) -> list[_Group]:
    """The rows whose samples all differ, since equal ones show steps, by group and number."""
    places: dict[tuple[Hashable, int], list[int]] = {}
    for row, samples in enumerate(rows):
        if len(samples) >= FEWEST and len(set(samples)) == len(samples) and min(samples) > 0:
            places.setdefault((groups[row], len(samples)), []).append(row)
    return [
        _Group(
            np.array(at),
            np.log(np.array([rows[row] for row in at], dtype=float)),
            np.array([step(rows[row]) / min(rows[row]) for row in at]),
        )
        for at in places.values()
    ]


def too_alike(
    rows: Rows,
    groups: Sequence[Hashable],
    names: Sequence[str],
    step: Callable[[Sequence[float]], float],
) -> dict[int, str]:
    """The metrics with such samples, and the reason in words.

    Args:
        rows: the samples of each metric.
        groups: metrics of one group are peers.
        names: the name of each metric.
        step: the step in which samples are printed, in their unit.
    """
    found: dict[int, str] = {}
    every = _groups(rows, groups, step)
    asked = sum(len(group.at) for group in every)
    for group in every:
        found |= _quiet(group, CHANCE / max(asked, 1))
    pairs = sum(len(group.at) * (len(group.at) - 1) // 2 for group in every)
    for group in every:
        for one, other, ratio, apart in _copies(group, CHANCE / max(pairs, 1)):
            for row, twin, factor in ((one, other, ratio), (other, one, 1 / ratio)):
                found.setdefault(
                    row,
                    f"its samples are {factor:.6g} times those of {names[twin]}, to within"
                    f" {max(apart, 1e-9):.1g} of them: one of the two was not measured",
                )
    return found


def _quiet(group: _Group, chance: float) -> Iterator[tuple[int, str]]:
    """The rows that scatter less than any benchmark, or far less than their peers."""
    from scipy.special import chdtr  # half a second, which only judging needs

    scatter = np.std(group.logs, axis=1, ddof=1)
    fine = group.steps < scatter
    still = fine & (scatter < STILL)
    for row in np.flatnonzero(still):
        yield (
            int(group.at[row]),
            f"its {group.count} samples scatter by {scatter[row]:.2g} of the figure, and no"
            " benchmark repeats so well: nothing was measured",
        )
    if len(scatter) < PEERS:
        return
    usual = float(np.quantile(scatter, FEW))
    ratio = scatter / usual if usual else np.ones(len(scatter))
    freedom = group.count - 1
    quiet = fine & ~still & (ratio < QUIETER) & (chdtr(freedom, freedom * ratio**2) < chance)
    ordered = np.sort(scatter)
    leap = np.flatnonzero(ordered[1:] * APART ** (1 / freedom) >= ordered[:-1])
    leap = leap[leap < FEW * len(scatter)]
    quiet &= scatter <= (ordered[leap[-1]] if len(leap) else 0.0)
    for row in np.flatnonzero(quiet):
        yield (
            int(group.at[row]),
            f"its {group.count} samples scatter by {scatter[row]:.2g} of the figure, those of most"
            f" peers by more than {usual:.2g}: it was not measured {group.count} times",
        )


def _copies(group: _Group, chance: float) -> Iterator[tuple[int, int, float, float]]:
    """Pairs of rows of which one follows the other; their ratio, and by how much it varies.

    The samples of two hosts at one time may have a common part, which is that of most peers.
    """
    if len(group.at) < 2:
        return
    logs = group.logs - np.median(group.logs, axis=1, keepdims=True)
    own = logs - np.median(logs, axis=0) if len(logs) >= PEERS else logs
    scatter = NORMAL * np.median(np.abs(own - np.median(own, axis=1, keepdims=True)), axis=1)
    orders = math.factorial(group.count)
    for pattern, ways in ((group.logs, 1), (np.sort(group.logs, axis=1), orders)):
        yield from _near(group, pattern, scatter, chance / ways)


def _near(
    group: _Group, logs: Array, scatter: Array, chance: float
) -> Iterator[tuple[int, int, float, float]]:
    widest = min(EXACT, NEAR * float(np.median(scatter)))
    order = np.argsort(logs[:, 1] - logs[:, 0], kind="stable")
    moves = (logs[:, 1] - logs[:, 0])[order]
    tick = _tick(logs)
    for shift in range(1, len(order)):
        near = np.flatnonzero(moves[shift:] - moves[:-shift] <= widest)
        if not len(near):
            return
        one, other = order[near], order[near + shift]
        between = logs[other] - logs[one]
        steps = group.steps[one] + group.steps[other]
        apart = np.maximum(np.ptp(between, axis=1), np.maximum(steps, tick))
        least = np.minimum(scatter[one], scatter[other])
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(least > 0, apart / least, np.inf)
        likely = group.count * part ** (group.count - 1)
        for pair in np.flatnonzero((apart < EXACT) & (part < NEAR) & (likely < chance)):
            ratio = float(np.exp(np.median(between[pair])))
            yield int(group.at[other[pair]]), int(group.at[one[pair]]), ratio, float(apart[pair])


def _tick(logs: Array) -> float:
    """The steps in which figures come, if they share values by chance; otherwise 0."""
    values, counts = np.unique(np.round(logs, 12), return_counts=True)
    shared = int(np.sum(counts[counts > 1]))
    return float(np.min(np.diff(values))) if shared > len(logs) and len(values) > 1 else 0.0
