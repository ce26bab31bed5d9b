"""What makes pairs slow: an end that all of them share, or the path between two ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.judge.few_peers import SLOWER
from assay.judge.limits import Flags, Numbers
from assay.judge.pairs import Polished
from assay.judge.populations import deviation, scale
from assay.judge.stats import OF_MEDIAN, Array, middle, threshold


@dataclass(frozen=True, slots=True)
class Blame:
    """The cause of a slow figure, by number: ends of pairs, or sets of ends that pairs cross."""

    ends: tuple[frozenset[int], ...]
    """One set: each of these ends is slow. Several sets: the path between them is slow."""
    apart: float
    """The relative loss of its pairs."""


Paired = Sequence[tuple[Numbers, Polished]]
"""The rows of each population of pairs, and its model."""


def slow_ends(
    model: Polished, error: float, known: float, chance: float, *, in_modes: bool = False
) -> Iterator[int]:
    """The positions of ends whose pairs are all slower than by their natural deviation."""
    own = error * OF_MEDIAN / middle(model.pairs.astype(float)) ** 0.5
    if in_modes:  # these change several medians at once, by more than their errors
        own = error
    # The slower end decides what a pair does: by it good ends are alike, and the worst stands out.
    # Pairs differ by no more than their ends do.
    between = max(deviation(model.level), deviation(model.gain))
    usual, loose = scale(between, min(own, error), known, len(model.ends) - 1)
    far = max(SLOWER, float(threshold(chance, loose)) * usual)
    yield from np.flatnonzero((model.effect < -SLOWER) & (model.level < -far)).tolist()


def at_slow_ends(
    paired: Paired, error: Array, freedom: Array, in_modes: Flags, chance: float
) -> Iterator[tuple[int, Blame]]:
    """The metrics of slow ends, each with its end.

    Args:
        paired: the populations of pairs.
        error: of each metric, relative to its median.
        freedom: the degrees of freedom of that error.
        in_modes: whether the samples of each metric's peers are in modes.
        chance: of a false alarm, of each end.
    """
    for rows, model in paired:
        first = rows[0]
        found = slow_ends(
            model,
            float(error[first]),
            float(freedom[first]),
            chance,
            in_modes=bool(in_modes[first]),
        )
        for end in found:
            blame = Blame((frozenset({int(model.ends[end])}),), -float(model.effect[end]))
            of_end = rows[(model.positions == end).any(axis=1)]
            yield from ((row, blame) for row in of_end.tolist())


def slow_paths(paired: Paired, slow: Flags) -> Iterator[tuple[int, Blame]]:
    """The path between the ends of each slow pair, if both ends are also in other pairs."""
    for rows, model in paired:
        several = (model.pairs[model.positions] > 1).all(axis=1)
        for place in np.flatnonzero(several & slow[rows]).tolist():
            first, second = model.ends[model.positions[place]].tolist()
            sides = frozenset({first}), frozenset({second})
            yield int(rows[place]), Blame(sides, -float(model.residual[place]))
