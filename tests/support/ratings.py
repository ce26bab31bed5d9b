"""Ratings of metrics of which every figure is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.judge.limits import Limits, no_ends
from assay.judge.rating import Rating, rate
from assay.judge.stats import Array, Summaries
from assay.judge.verdict import Verdict

NOTHING = float("nan")


def rated(
    medians: Sequence[float],
    *,
    low: float | Sequence[float] | None = None,
    high: float | Sequence[float] | None = None,
    spread: float = 0.0,
    count: float = 7,
    change: float | Sequence[float] = 0.0,
    order: float | Sequence[float] = 0.0,
    wobble: float = 0.0,
    least: float | None = None,
    most: float | None = None,
    best: float = NOTHING,
    worst: float | Sequence[float] = NOTHING,
    more: bool = True,
    group: int | Sequence[int] = 0,
    subject: Sequence[int] | None = None,
    step: float | Sequence[float] = 0.0,
    host: Sequence[int] | None = None,
    ends: Sequence[tuple[int, int]] | None = None,
    check: Sequence[int] | None = None,
) -> Rating:
    """Rate metrics of which every figure is given; all are peers unless told otherwise."""
    size = len(medians)

    def each(figure: float | Sequence[float]) -> Array:
        return np.broadcast_to(np.asarray(figure, np.float64), size).copy()

    summaries = Summaries(
        count=each(count),
        median=each(medians),
        low=each(medians if low is None else low),
        high=each(medians if high is None else high),
        confidence=each(0.95),
        spread=each(spread),
        change=each(change),
        wobble=each(wobble),
        order=each(order),
        least=each(least if least is not None else medians if low is None else low),
        most=each(most if most is not None else medians if high is None else high),
        second_low=each(medians if low is None else low),
        second_high=each(medians if high is None else high),
        step=each(step),
    )
    limits = Limits(
        best=each(best),
        worst=each(worst),
        more=np.full(size, more),
        group=each(group).astype(int),
        subject=np.asarray(range(size) if subject is None else subject),
        host=np.asarray(host or (range(size) if subject is None else subject)),
        ends=no_ends(size) if ends is None else np.asarray(ends),
        check=None if check is None else np.asarray(check),
    )
    return rate(summaries, limits)


def last(rating: Rating) -> Verdict:
    return Verdict(str(rating.verdict[-1]))


def among(figure: float, **more: float) -> Verdict:
    """The verdict of one metric among seven others of 1000."""
    return last(rated([1000.0] * 7 + [figure], **more))


def alone(figure: float, **more: float) -> Verdict:
    """The verdict of one metric that has no peers."""
    return last(rated([figure], group=-1, **more))
