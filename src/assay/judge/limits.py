"""What metrics are held against, and what chance of a false alarm each comparison may have."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.judge.stats import Array

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int_]

FALSE_ALARMS = 1 / 200
"""How many campaigns of a sound cluster may be stopped by chance (this project's own choice)."""

QUESTIONS = 4
"""Each gets the same share of `FALSE_ALARMS`: is it under its floor, is it slower than its peers,
does it drift, and has it changed since the baseline?"""

NO_END = -1
"""In place of an end, of what is no pair."""


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
    ends: Numbers
    """Of a pair, the numbers of its two ends, source and destination; else `NO_END` twice."""

    def gain(self, value: Array, reference: Array) -> Array:
        """By how much of the reference a value is better; of a time, its inverse counts."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.where(self.more, value / reference, reference / value) - 1


def numbered(keys: Iterable[Hashable]) -> Numbers:
    """A number for each key, the same for the same."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=int)


def no_ends(count: int) -> Numbers:
    """The ends of so many metrics of which none is of a pair."""
    return np.full((count, 2), NO_END)


def share(comparisons: int) -> float:
    """The chance of a false alarm that each of so many comparisons of one question has."""
    return FALSE_ALARMS / QUESTIONS / max(comparisons, 1)
