"""How much figures vary from round to round: the coefficient of variation, and what is sure of it.

ORNL's procurements ask that a benchmark's results vary by at most 5 % (`LIMIT`). A few rounds show
more or less by chance, so a figure varies too much only where a lower bound of its coefficient
does, at the chance of a false alarm of a campaign in equal parts for all figures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.judge.limits import FALSE_ALARMS
from assay.judge.stats import Array
from assay.subject import folded

LIMIT = 0.05
"""The largest coefficient of variation (variability within 5 %: ORNL's procurement pages)."""

FEWEST = 5
"""Rounds before anything is said of variation (own choice)."""

STRAY = 0.2
"""Loss of a single round against the median of all that is noted (own choice)."""

MOST_NAMED = 8
"""Subjects of a metric that are named (own choice)."""


@dataclass(frozen=True, slots=True)
class Varying:
    """A metric whose figures vary too much, of some of its subjects."""

    figure: str
    """Check and metric."""
    worst: float
    """The largest coefficient of variation."""
    subjects: tuple[str, ...]
    """Those that vary too much, the worst first."""
    total: int
    """The number of its subjects."""
    limit: float

    def __str__(self) -> str:
        is_all = len(self.subjects) == self.total > MOST_NAMED
        shown = f"all {self.total:,}" if is_all else _listed(self.subjects)
        return (
            f"{self.figure} of {shown} varies by up to {self.worst:.1%} from round to round"
            f" (limit {self.limit:.0%})"
        )


@dataclass(frozen=True, slots=True)
class Variation:
    """How much all figures vary."""

    judged: int
    """The figures with enough rounds."""
    largest: float | None
    """The largest coefficient of variation; None without any."""
    varying: tuple[Varying, ...]
    unsure: tuple[str, ...] = ()
    """Metrics above the limit, but not significantly, in words."""
    single: tuple[str, ...] = ()
    """Metrics that were much worse in a single round, in words."""


def variation(
    rounds: Sequence[Mapping[str, float]],
    names: Mapping[str, tuple[str, str]],
    limit: float = LIMIT,
    lower: Collection[str] = (),
) -> Variation:
    """How much figures vary over the rounds.

    Args:
        rounds: the figures of each round, by key.
        names: check with metric, and subject, of each key that counts.
        limit: the largest coefficient of variation.
        lower: keys of figures that are better where they are lower.
    """
    series = {
        key: np.array([figures[key] for figures in rounds if key in figures]) for key in names
    }
    judged = {
        key: values for key, values in series.items() if len(values) >= FEWEST and values.mean() > 0
    }
    steps = _steps(judged, names)
    too_much: dict[str, list[tuple[float, str]]] = defaultdict(list)
    maybe: dict[str, list[tuple[float, str]]] = defaultdict(list)
    worst: dict[str, list[tuple[float, str]]] = defaultdict(list)
    totals: dict[str, int] = defaultdict(int)
    largest = None
    for key, values in judged.items():
        figure, subject = names[key]
        totals[figure] += 1
        coefficient = float(values.std(ddof=1) / values.mean())
        largest = max(largest or 0.0, coefficient)
        surely = coefficient * _lower(values, FALSE_ALARMS / len(judged))
        # One that is printed in steps may jump between two of them, half a step from its mean.
        allowed = float(np.hypot(limit, steps[figure] / 2 / values.mean()))
        if surely > allowed:
            too_much[figure].append((coefficient, subject))
        elif coefficient > allowed:
            maybe[figure].append((coefficient, subject))
        middle = float(np.median(values))
        loss = 1 - middle / values.max() if key in lower else 1 - values.min() / middle
        if loss > STRAY:
            worst[figure].append((float(loss), subject))
    varying = [
        Varying(
            figure,
            max(found)[0],
            tuple(subject for _, subject in sorted(found, reverse=True)),
            totals[figure],
            limit,
        )
        for figure, found in too_much.items()
    ]
    unsure = [
        f"{figure} of {named(found)} varies by up to {max(found)[0]:.1%}: above the limit of"
        f" {limit:.0%}, but not significantly"
        for figure, found in maybe.items()
    ]
    single = [
        f"{figure} of {named(found)} was up to {max(found)[0]:.0%} worse than its median in a round"
        for figure, found in worst.items()
    ]
    ordered = tuple(sorted(varying, key=lambda each: -each.worst))
    return Variation(len(judged), largest, ordered, tuple(unsure), tuple(single))


def _steps(series: Mapping[str, Array], names: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """The step in which each metric is printed: the smallest difference between any two figures."""
    found: dict[str, list[Array]] = defaultdict(list)
    for key, values in series.items():
        found[names[key][0]].append(values)
    every = {figure: np.unique(np.concatenate(parts)) for figure, parts in found.items()}
    return {
        figure: float(np.diff(values).min()) if len(values) > 1 else 0.0
        for figure, values in every.items()
    }


def named(found: Collection[tuple[float, str]]) -> str:
    """The worst subjects, and the number of others."""
    return _listed([subject for _, subject in sorted(found, reverse=True)])


def _listed(subjects: Sequence[str]) -> str:
    more = len(subjects) - MOST_NAMED
    return f"{folded(subjects[:MOST_NAMED])}{f' and {more:,} more' if more > 0 else ''}"


def _lower(values: Array, chance: float) -> float:
    """The factor from the seen coefficient of variation to its lower bound.

    That of normal figures, by chi-squared, or that of figures with heavy tails, by their kurtosis
    (Bonett, Computational Statistics & Data Analysis 50, 2006), whichever is the smaller.
    """
    from scipy.special import chdtri, ndtri  # half a second, which only judging needs

    count = len(values)
    # chdtri is of the upper tail.
    normal = float(np.sqrt((count - 1) / chdtri(count - 1, chance)))
    quantile = float(-ndtri(chance))
    squares = float(np.sum((values - values.mean()) ** 2))
    if count <= quantile or squares == 0:
        return 0.0
    about = np.sort(values)[(count - 1) // 4 : count - (count - 1) // 4].mean()
    kurtosis = count * float(np.sum((values - about) ** 4)) / squares**2
    error = np.sqrt(max(kurtosis - (count - 3) / count, 0.0) / (count - 1))
    correction = count / (count - quantile)
    heavy = np.sqrt(correction) * np.exp(-quantile * correction * error / 2)
    return min(normal, float(heavy))
