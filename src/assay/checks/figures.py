"""What an expectation is: the figures that a metric is judged by, and how a bound makes them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Literal, TypeVar, cast

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.entry import Metric, Requirement
from assay.checks.references import Reference, reference
from assay.cluster.description import Cluster
from assay.cluster.once import once
from assay.subject import Subject
from assay.units import Quantity

T = TypeVar("T")

Ground = Literal["hardware", "measured", "reference", "baseline", "contract", "count", "nothing"]
"""What an expectation is derived from: a datasheet, a lower layer, what others measured elsewhere,
an accepted campaign, what somebody has committed to, a number of things, or nothing."""

MEASURED_CEILING = 2.0
"""How far above the best sample of the layer below a figure may lie (this project's own choice).

Two measurements of one virtual disk, seconds apart, differed by up to 1.7 when nothing was wrong;
a read from the page cache is faster by more than that. A datasheet's bound has no such allowance.
"""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a metric should be on this cluster, in the metric's unit.

    A value below `floor` is too slow and one above `ceiling` too good to be true. None means
    that there is no limit on that side.
    """

    unit: str
    ground: Ground
    bound: float | None
    floor: float | None
    ceiling: float | None
    derivation: str
    limits: tuple[Limit, ...] = ()
    """What the bound is the least of, the tightest first."""
    accepted: float | None = None
    """The worst that an accepted campaign leaves room for; each subject has its own."""


class Measured(Mapping[Requirement, Sequence[float]]):
    """Valid samples of the metrics of lower layers, each in its metric's unit; and their scale."""

    def __init__(self, samples: Mapping[Requirement, Sequence[float]], scale: str = "") -> None:
        self._samples = dict(samples)
        self.scale = scale
        self._by_figure: dict[str, dict[Subject, Requirement]] = {}
        for requirement in self._samples:
            self._by_figure.setdefault(requirement.figure, {})[requirement.subject] = requirement
        self._known: dict[Hashable, Any] = {}

    def __getitem__(self, requirement: Requirement) -> Sequence[float]:
        return self._samples[requirement]

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self._samples)

    def __len__(self) -> int:
        return len(self._samples)

    def once(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """A figure that many metrics need, computed for the first of them."""
        if key not in self._known:
            self._known[key] = work_out()
        return cast("T", self._known[key])

    def least(self, figure: str) -> tuple[float, str] | None:
        """The least sample of a figure such as ``SsdFio.read_1m``, of all subjects, and whose."""
        return self.once(("least", figure), lambda: self._least(figure))

    def _least(self, figure: str) -> tuple[float, str] | None:
        candidates = (
            (min(samples), requirement.key)
            for requirement in self._by_figure.get(figure, {}).values()
            if (samples := self._samples[requirement])
        )
        return min(candidates, default=None)

    def medians(self, figure: str) -> Mapping[Subject, float]:
        """The median of each subject of a figure, in the figure's unit."""
        return self.once(("medians", figure), lambda: self._medians(figure))

    def _medians(self, figure: str) -> Mapping[Subject, float]:
        return {
            subject: median(samples)
            for subject, requirement in self._by_figure.get(figure, {}).items()
            if (samples := self._samples[requirement])
        }


@dataclass(frozen=True, slots=True)
class Unrated:
    """The rule of a metric that nothing bounds."""

    why: str

    def __call__(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """No expectation, and why."""
        return nothing(requirement, self.why)


def is_judged(metric: Metric) -> bool:
    """Whether there can be something to judge it by; others are measured for information."""
    owner = getattr(metric.rule, "__self__", metric.rule)
    return not isinstance(owner, Unrated)


def nothing(requirement: Requirement, why: str) -> Expectation:
    """The expectation of a metric for which no reference is available."""
    return Expectation(requirement.unit, "nothing", None, None, None, f"nothing to judge by: {why}")


def exactly(requirement: Requirement, count: int, derivation: str) -> Expectation:
    """The expectation of a count, of which neither more nor fewer is right."""
    figure = float(count)
    return Expectation(requirement.unit, "count", figure, figure, figure, derivation)


@dataclass(frozen=True, slots=True)
class Least:
    """The worst that is accepted of a metric, in its unit, and where that comes from."""

    value: float
    sentence: str


def least_of(
    cluster: Cluster,
    requirement: Requirement,
    bound: Bound | None,
    below: Sequence[Limit] | None = None,
    processes: int = 0,
) -> Least | None:
    """The floor of a metric (of a time, its limit): the site's, or else that of `references.yml`.

    Args:
        cluster: whose floors, engines and provider count.
        requirement: the metric.
        bound: the most that is possible; None where it is unknown.
        below: what the layers below allow; None: the bound. Empty: too little is known.
        processes: how many run, for a reference that is of one.
    """
    unit, more = requirement.unit, requirement.metric.better == "higher"
    reach = bound if below is None else tightest(below, unit)
    backend = requirement.subject.backend
    provider = requirement.metric.provider or cluster.provider
    shipped = reference(requirement.figure, backend, provider)
    full = bound or reach
    if requirement.figure in cluster.floors and full is not None:
        own = cluster.floors[requirement.figure]
        instead = f"; shipped is {shipped.word}" if shipped else ""
        if shipped and shipped.fraction:
            instead = f"; shipped is {shipped.fraction * shipped.kept:.0%}"
        value = full.value.to(unit).value
        return Least(
            value * own if more else value / own,
            f"floor {own:.0%} (this site's own choice{instead})",
        )
    if shipped is None:
        return None
    candidates = list(_required(cluster, requirement, shipped, reach, processes))
    if not candidates:
        return None
    worst = (min if more else max)(candidates, key=lambda least: least.value)
    whole = f" of {reach.limits[0].made_of}" if below is not None and reach is not None else ""
    return Least(worst.value, f"{worst.sentence}{whole} ({shipped.word})")


def _required(
    cluster: Cluster,
    requirement: Requirement,
    shipped: Reference,
    reach: Bound | None,
    processes: int,
) -> Iterator[Least]:
    """What each part of a reference requires; the most lenient of them counts."""
    unit, more, kept = requirement.unit, requirement.metric.better == "higher", shipped.kept
    most = None if reach is None else reach.value.to(unit).value
    if shipped.fraction is not None and most is not None and reach is not None:
        part = shipped.fraction * kept
        yield Least(most * part if more else most / part, f"floor {part:.0%}")
    counted = (
        (shipped.each_process, processes, "processes"),
        (shipped.each_target, targets(cluster, requirement.subject), "targets"),
        (shipped.least, 1, ""),
        (shipped.most, 1, ""),
    )
    for each, count, things in counted:
        if each is None or not count:
            continue
        value = each.to(unit).value * count
        value = value * kept if more else value / kept
        if most is not None:  # no reference asks for what this hardware cannot do
            value = min(value, most * POSSIBLE) if more else max(value, most / POSSIBLE)
        times = f"{count:,} {things} × {each}" if things else str(each)
        yield Least(value, f"floor {Quantity(value, unit)}: {times}")


POSSIBLE = 0.5
"""The part of its bound above which no reference of other hardware is required (own choice)."""


@once
def _all_targets(cluster: Cluster) -> int:
    servers = cluster.daos.servers if cluster.daos else ()
    return sum(engine.targets for name in servers for engine in cluster.hosts[name].engines)


def targets(cluster: Cluster, subject: Subject) -> int:
    """The targets of an engine; of a pair, of the one with fewer; of all engines for the others."""
    if subject.engine is not None:
        return min(cluster.engine(end).targets for end in subject.ends)
    return _all_targets(cluster)


def within(
    cluster: Cluster,
    requirement: Requirement,
    bound: Bound | None,
    why: str,
    ceiling: Limit | None = None,
    below: Sequence[Limit] | None = None,
    processes: int = 0,
) -> Expectation:
    """Compare a metric with a bound; `ceiling` where a figure may exceed the bound.

    Args:
        cluster: whose floors count.
        requirement: the metric.
        bound: the most that is possible; None where it is unknown.
        why: the reason why it is unknown.
        ceiling: the most that is plausible, where that is more than the bound.
        below: what the layers below allow, for the floor; None: the bound. Empty: too little is
            known for a floor.
        processes: how many run, for a floor that is of one.
    """
    floor = least_of(cluster, requirement, bound, below, processes)
    unit, more = requirement.unit, requirement.metric.better == "higher"
    if bound is None:
        if floor is None:
            return nothing(requirement, why)
        return Expectation(
            unit=unit,
            ground="reference",
            bound=None,
            floor=floor.value if more else None,
            ceiling=None if more else floor.value,
            derivation=f"no bound: {why}; {floor.sentence}",
        )
    value = bound.value.to(unit).value
    best = value if ceiling is None else ceiling.value.to(unit).value
    worst, sentence = (floor.value, floor.sentence) if floor else (None, "no floor")
    return Expectation(
        unit=unit,
        ground="hardware",
        bound=value,
        floor=worst if more else best,
        ceiling=best if more else worst,
        derivation=f"{bound.sentence} ({bound.source}); {sentence}",
        limits=bound.limits,
    )


def standing_on(
    cluster: Cluster, requirement: Requirement, best: Sequence[Limit], usual: Limit
) -> Expectation:
    """Compare a metric with what was measured on the same host in the same campaign.

    Args:
        cluster: whose floors count.
        requirement: the metric.
        best: the best samples of what it stands on, of which the least is the bound.
        usual: what it usually does, for the floor.
    """
    bound = tightest(best, requirement.unit)
    assert bound
    expected = within(
        cluster,
        requirement,
        bound,
        "",
        bound.limits[0].over(1 / MEASURED_CEILING, "measured"),
        [usual],
    )
    derivation = (
        f"{expected.derivation}; the floor is of {usual.made_of}; ceiling {MEASURED_CEILING:g}"
        " times their best"
    )
    return replace(expected, ground="measured", derivation=derivation)


def shortest(size: Quantity, limit: Limit | None) -> Bound | None:
    """The least time that a size takes through a limit."""
    if limit is None:
        return None
    seconds = size.to("B").value / limit.value.to("B/s").value
    time = Quantity(seconds * 1e6, "us")
    made_of = f"{size} / {limit.made_of}"
    return Bound(time, (Limit(limit.who, time, made_of, limit.source),))
