"""What an expectation is: the figures that a metric is judged by, and how a bound makes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from assay.checks.bounds import Bound, Limit
from assay.checks.bounds.devices import Direction
from assay.checks.floors import floor_of
from assay.checks.plan import Owed
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


class Measured(Mapping[Owed, Sequence[float]]):
    """Valid samples of the metrics of lower layers, each in its metric's unit; and their scale."""

    def __init__(self, samples: Mapping[Owed, Sequence[float]], scale: str = "") -> None:
        self._samples = dict(samples)
        self.scale = scale

    def __getitem__(self, metric: Owed) -> Sequence[float]:
        return self._samples[metric]

    def __iter__(self) -> Iterator[Owed]:
        return iter(self._samples)

    def __len__(self) -> int:
        return len(self._samples)

    @cached_property
    def round_trip(self) -> Limit | None:
        """The shortest round trip from a client to an engine, in us."""
        trips = (
            (min(samples), metric.key)
            for metric, samples in self._samples.items()
            if (metric.check, metric.metric.name) == ("SelfTestClientServer", "latency_empty")
            and samples
        )
        least = min(trips, default=None)
        if least is None:
            return None
        time, key = least
        return Limit("round trips", Quantity(time, "us"), "a round trip", f"least of {key}")


Rule = Callable[[Cluster, Owed, Measured], Expectation]
"""What derives the expectations of a check's metrics."""


def nothing(metric: Owed, why: str) -> Expectation:
    """A metric that is measured, and vouched for by nothing."""
    unit = metric.metric.unit
    return Expectation(unit, "nothing", None, None, None, f"nothing to judge by: {why}")


def within(
    cluster: Cluster, metric: Owed, bound: Bound | None, why: str, ceiling: Limit | None = None
) -> Expectation:
    """Hold a metric against a bound; `ceiling` where that is not what nothing can exceed."""
    unit = metric.metric.unit
    if bound is None:
        return nothing(metric, why)
    value = bound.value.to(unit).value
    best = value if ceiling is None else ceiling.value.to(unit).value
    floor, said = None, "no floor"
    efficiency = floor_of(cluster, metric)
    more = metric.metric.better == "higher"
    if efficiency is not None:
        floor = value * efficiency.fraction if more else value / efficiency.fraction
        said = f"floor {efficiency.fraction:.0%} ({efficiency.source})"
    return Expectation(
        unit=unit,
        ground="hardware",
        bound=value,
        floor=floor if more else best,
        ceiling=best if more else floor,
        derivation=f"{bound.sentence} ({bound.source}); {said}",
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


def direction_of(metric: Owed) -> Direction:
    """Whether a metric is of writing or of reading, by its name."""
    return "write" if re.search("write|update", metric.metric.name) else "read"
