"""What several samples say together, without assuming how they are distributed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
"""How sure the interval is to hold the true median, where there are samples enough for that."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The median of some samples, how far it can be trusted, and how much they scatter.

    `low` and `high` enclose the true median with the probability `confidence`, which is below
    0.95 for fewer than six samples. `spread` is the median absolute deviation over the median.
    """

    count: int
    median: float
    low: float
    high: float
    confidence: float
    spread: float


def summarize(samples: Sequence[float]) -> Summary:
    """Summarize at least one finite sample above zero.

    The interval runs between two order statistics: the true median lies between the k-th smallest
    and the k-th largest of n samples with probability 1 - 2 P(Binomial(n, 1/2) < k), whatever the
    distribution (David and Nagaraja, Order Statistics, section 7.1).

    Raises:
        ValueError: there is no sample.
    """
    if not samples:
        raise ValueError("no samples to summarize")
    ordered = np.sort(np.asarray(samples, dtype=float))
    count = len(ordered)
    median = float(np.median(ordered))
    rank, confidence = _rank(count)
    return Summary(
        count=count,
        median=median,
        low=float(ordered[rank - 1]),
        high=float(ordered[count - rank]),
        confidence=confidence,
        spread=float(np.median(np.abs(ordered - median)) / median),
    )


def _rank(count: int) -> tuple[int, float]:
    """The largest k whose interval still has the wanted confidence, or 1; and its confidence."""
    best = (1, _enclosing(count, 1))
    for rank in range(2, count // 2 + 1):
        confidence = _enclosing(count, rank)
        if confidence < CONFIDENCE:
            break
        best = (rank, confidence)
    return best


def _enclosing(count: int, rank: int) -> float:
    outside = sum(math.comb(count, i) for i in range(rank)) * 0.5**count
    return max(0.0, 1 - 2 * outside)
