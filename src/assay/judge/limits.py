"""The limits of metrics, and the chance of a false alarm that each comparison may have."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.judge.stats import Array

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int_]

FALSE_ALARMS = 1 / 200
"""Share of a sound cluster's campaigns that chance may stop (this project's own choice)."""

QUESTIONS = 4
"""Each gets the same share of `FALSE_ALARMS`: is it under its floor, is it slower than its peers,
does it drift, and has it changed since the baseline?"""

NO_END = -1
"""In place of an end, for a subject that is not a pair."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of each metric; NaN if there is none."""

    best: Array
    """Better than this is not possible."""
    worst: Array
    """Worse than this is too slow."""
    more: Flags
    """Whether more is better."""
    group: Numbers
    """Metrics with the same number are peers; a metric with a negative number has none."""
    subject: Numbers
    """Metrics with the same number are of one subject of one check; a fault affects them all."""
    host: Numbers
    """Metrics with the same number are of one host (the first, for pairs) and change together."""
    ends: Numbers
    """The numbers of a pair's two ends, source and destination; otherwise `NO_END` twice."""
    looks: int = 1
    """How often the samples may be judged before the last of them; each look has an equal part of
    every chance (see `assay.judge.stopping`)."""
    check: Numbers | None = None
    """Metrics with the same number are of one check, and scatter alike; None: each for itself."""

    def gain(
        self, value: Array, reference: Array | float, rows: Numbers | slice = slice(None)
    ) -> Array:
        """The relative gain of a value over the reference; for a time, of its inverse.

        Args:
            value: the values of the metrics in `rows`.
            reference: what they are compared with.
            rows: the metrics; by default, all.
        """
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.where(self.more[rows], value / reference, reference / value) - 1

    def of_look(self, chance: float) -> float:
        """The part of a chance of error that one look has."""
        return chance / self.looks

    def share(self, comparisons: int) -> float:
        """The allowed chance of a false alarm of each of the comparisons of one question."""
        return self.of_look(FALSE_ALARMS / QUESTIONS / max(comparisons, 1))


def numbered(keys: Iterable[Hashable]) -> Numbers:
    """A number for each key; equal keys have the same number."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=int)


def no_ends(count: int) -> Numbers:
    """The ends of `count` metrics, none of which is a pair."""
    return np.full((count, 2), NO_END)
