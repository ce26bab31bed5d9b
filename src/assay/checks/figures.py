"""What an expectation is: the figures that a metric is judged by, and how a bound makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.checks.bounds import Bound, Limit
from assay.checks.entry import Floor, Requirement
from assay.cluster.description import Cluster
from assay.units import Quantity

Ground = Literal["hardware", "measured", "count", "nothing"]
"""What an expectation stands on: a datasheet, a lower layer, a number of things, or nothing."""

MEASURED_CEILING = 2.0
"""How far above the best sample of the layer below a figure may lie (this project's own choice).

Two measurements of one virtual disk, seconds apart, differed by up to 1.7 when nothing was wrong;
a read from the page cache is faster by more than that. A datasheet's bound has no such allowance.
"""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a metric should be on this cluster, in the metric's unit.

    A value below `floor` is too slow and one above `ceiling` too good to be true. None means
    that there is nothing to say on that side.
    """

    unit: str
    ground: Ground
    bound: float | None
    floor: float | None
    ceiling: float | None
    derivation: str
    limits: tuple[Limit, ...] = ()
    """What the bound is the least of, the tightest first."""


class Measured(Mapping[Requirement, Sequence[float]]):
    """Valid samples of the metrics of lower layers, each in its metric's unit; and their scale."""

    def __init__(self, samples: Mapping[Requirement, Sequence[float]], scale: str = "") -> None:
        self._samples = dict(samples)
        self.scale = scale
        self._least: dict[str, tuple[float, str] | None] = {}

    def __getitem__(self, requirement: Requirement) -> Sequence[float]:
        return self._samples[requirement]

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self._samples)

    def __len__(self) -> int:
        return len(self._samples)

    def least(self, figure: str) -> tuple[float, str] | None:
        """The least sample of a figure such as ``SsdFio.read_1m``, of all its subjects, and whose.

        It is searched for once.
        """
        if figure not in self._least:
            candidates = (
                (min(samples), requirement.key)
                for requirement, samples in self._samples.items()
                if requirement.figure == figure and samples
            )
            self._least[figure] = min(candidates, default=None)
        return self._least[figure]


@dataclass(frozen=True, slots=True)
class Unrated:
    """The rule of a metric that nothing bounds."""

    why: str

    def __call__(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """Say so."""
        return nothing(requirement, self.why)


def nothing(requirement: Requirement, why: str) -> Expectation:
    """The expectation of a metric for which no reference is available."""
    return Expectation(requirement.unit, "nothing", None, None, None, f"nothing to judge by: {why}")


def exactly(requirement: Requirement, count: int, derivation: str) -> Expectation:
    """The expectation of a number of things, of which neither more nor fewer is right."""
    figure = float(count)
    return Expectation(requirement.unit, "count", figure, figure, figure, derivation)


def floor_of(cluster: Cluster, requirement: Requirement) -> Floor | None:
    """The fraction of its bound that is required: the site's, or else this project's."""
    shipped = requirement.metric.floor
    if requirement.figure not in cluster.floors:
        return shipped
    instead = f"; shipped is {shipped.fraction:.0%}" if shipped else ""
    return Floor(cluster.floors[requirement.figure], f"this site's own choice{instead}")


def within(
    cluster: Cluster,
    requirement: Requirement,
    bound: Bound | None,
    why: str,
    ceiling: Limit | None = None,
) -> Expectation:
    """Hold a metric against a bound; `ceiling` where that is not what nothing can exceed.

    Args:
        cluster: whose floors count.
        requirement: the metric.
        bound: the most that is possible; None where it is unknown.
        why: it is unknown.
        ceiling: the most that is believed, where that is more than the bound.
    """
    if bound is None:
        return nothing(requirement, why)
    unit = requirement.unit
    value = bound.value.to(unit).value
    best = value if ceiling is None else ceiling.value.to(unit).value
    worst, sentence = None, "no floor"
    more = requirement.metric.better == "higher"
    if floor := floor_of(cluster, requirement):
        worst = value * floor.fraction if more else value / floor.fraction
        sentence = f"floor {floor.fraction:.0%} ({floor.source})"
    return Expectation(
        unit=unit,
        ground="hardware",
        bound=value,
        floor=worst if more else best,
        ceiling=best if more else worst,
        derivation=f"{bound.sentence} ({bound.source}); {sentence}",
        limits=bound.limits,
    )


def shortest(size: Quantity, limit: Limit | None) -> Bound | None:
    """The least time that a size takes through a limit."""
    if limit is None:
        return None
    seconds = size.to("B").value / limit.value.to("B/s").value
    time = Quantity(seconds * 1e6, "us")
    made_of = f"{size} / {limit.made_of}"
    return Bound(time, (Limit(limit.who, time, made_of, limit.source),))
