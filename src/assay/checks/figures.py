"""How the expectation of a metric follows from its bound, its floor and what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.bounds.path import PORTS
from assay.checks.entry import MEASURED_CEILING, Expectation, Measured, Metric, Requirement
from assay.checks.references import Law, Reference, reference
from assay.cluster.description import Cluster
from assay.cluster.once import once
from assay.subject import Subject
from assay.units import Quantity


@dataclass(frozen=True, slots=True)
class Unrated:
    """The rule of a metric without a bound."""

    why: str

    def __call__(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """The expectation without limits, with the reason."""
        return nothing(requirement, self.why)


def is_judged(metric: Metric) -> bool:
    """Whether a metric can have a reference; other metrics are measured for information."""
    owner = getattr(metric.rule, "__self__", metric.rule)
    return not isinstance(owner, Unrated)


def nothing(requirement: Requirement, why: str) -> Expectation:
    """The expectation of a metric for which no reference is available."""
    return Expectation(requirement.unit, "nothing", None, None, None, f"nothing to judge by: {why}")


def exactly(requirement: Requirement, count: int, derivation: str) -> Expectation:
    """The expectation of an exact count."""
    figure = float(count)
    return Expectation(requirement.unit, "count", figure, figure, figure, derivation)


@dataclass(frozen=True, slots=True)
class Least:
    """The worst accepted figure of a metric, in its unit, and its source."""

    value: float
    sentence: str


def least_of(
    cluster: Cluster,
    requirement: Requirement,
    bound: Bound | None,
    below: Sequence[Limit] | None,
    processes: int,
    copies: float = 1,
) -> Least | None:
    """The floor of a metric (for a time, its limit): the site's, or that of `references.yml`.

    Args:
        cluster: the cluster, with its floors, engines and provider.
        requirement: the metric.
        bound: the most that is possible; None if it is unknown.
        below: limits of the layers below; None: use the bound. Empty: too little is known.
        processes: number of processes, for a reference of a single process.
        copies: how often targets store what is written.
    """
    unit, more = requirement.unit, requirement.metric.better == "higher"
    reach = bound if below is None else tightest(below, unit)
    backend = requirement.subject.backend
    provider = requirement.metric.provider or cluster.provider
    shipped = reference(requirement.figure, backend, provider, _scm(cluster, requirement.subject))
    full = bound or reach
    if requirement.figure in cluster.floors and full is not None:
        own = cluster.floors[requirement.figure]
        instead = ""
        if shipped:
            part = shipped.fraction and _part(shipped.fraction * shipped.kept, more)
            instead = f"; the shipped {_side(more)} is {part or shipped.word}"
        value = full.value.to(unit).value
        return Least(
            value * own if more else value / own,
            f"{_side(more)} {_part(own, more)} (this site's own choice{instead})",
        )
    if shipped is None:
        return None
    if shipped.derived is not None:
        return _by_law(cluster, requirement, shipped, reach, processes, copies)
    stated = below is not None
    candidates = list(_required(cluster, requirement, shipped, reach, processes, stated))
    if not candidates:
        return None
    worst = (min if more else max)(candidates, key=lambda least: least.value)
    return Least(worst.value, f"{worst.sentence} ({shipped.word})")


def _side(more: bool) -> str:
    """The limit on the slow side: a floor, or of a time its ceiling."""
    return "floor" if more else "ceiling"


def _part(part: float, more: bool) -> str:
    """A fraction in words; a time may be so many times as long as the shortest."""
    return f"{part:.0%}" if more else f"{1 / part:.3g} times"


def _required(
    cluster: Cluster,
    requirement: Requirement,
    shipped: Reference,
    reach: Bound | None,
    processes: int,
    stated: bool,
) -> Iterator[Least]:
    """The requirement of each part of a reference; the most lenient one counts.

    `stated` is whether a fraction names what it is of; otherwise it is of the bound.
    """
    unit, more, kept = requirement.unit, requirement.metric.better == "higher", shipped.kept
    most = None if reach is None else reach.value.to(unit).value
    if shipped.fraction is not None and most is not None and reach is not None:
        part, limit = shipped.fraction * kept, reach.limits[0]
        if shipped.of_ports is not None:
            ports = shipped.of_ports * kept
            parts = ((ports if each.who in PORTS else part, each) for each in reach.limits)
            part, limit = min(parts, key=lambda pair: pair[0] * pair[1].value.to(unit).value)
        value, of = limit.value.to(unit).value, f" {limit.made_of}" if stated else ""
        whole = (of and f" of{of}") if more else of or " the bound"
        yield Least(
            value * part if more else value / part, f"{_side(more)} {_part(part, more)}{whole}"
        )
    counted: tuple[tuple[Quantity | None, Callable[[], int], str], ...] = (
        (shipped.each_process, lambda: processes, "processes"),
        (shipped.each_target, lambda: targets(cluster, requirement.subject), "targets"),
        (shipped.least, lambda: 1, ""),
        (shipped.most, lambda: 1, ""),
    )
    for each, counting, things in counted:
        if each is None or not (count := counting()):
            continue
        value = published = each.to(unit).value * count
        value = value * kept if more else value / kept
        if most is not None:  # a reference must not require more than this hardware can do
            value = min(value, most * POSSIBLE) if more else max(value, most / POSSIBLE)
        sentence = f"{_side(more)} {Quantity(value, unit)}"
        if things:
            sentence += f": {count:,} {things} × {each}"
        elif value != published:
            sentence += f": {each}"
        yield Least(value, sentence)


def _by_law(
    cluster: Cluster,
    requirement: Requirement,
    shipped: Reference,
    reach: Bound | None,
    processes: int,
    copies: float,
) -> Least | None:
    """The requirement of a law of published systems; None if one of its parts is unknown."""
    unit, law = requirement.unit, shipped.derived
    assert law is not None
    parts = list(_parts_of(cluster, requirement, law, reach, processes, copies))
    if not parts or any(rate is None for rate, _ in parts):
        return None
    value = shipped.kept / sum(1 / rate for rate, _ in parts if rate is not None)
    if law.fraction is None and reach is not None:
        value = min(value, reach.value.to(unit).value * POSSIBLE)
    made_of = ", ".join(words for _, words in parts)
    sentence = f"floor {Quantity(value, unit)}: the times add up of {made_of} ({shipped.word})"
    return Least(value, sentence)


def _parts_of(
    cluster: Cluster,
    requirement: Requirement,
    law: Law,
    reach: Bound | None,
    processes: int,
    copies: float,
) -> Iterator[tuple[float | None, str]]:
    """The most that each part of a law allows, in words too; None if that is unknown."""
    unit, count = requirement.unit, targets(cluster, requirement.subject)
    if each := law.each_process:
        yield (processes * each.to(unit).value or None), f"{processes:,} processes × {each}"
    if each := law.each_target:
        yield (count * each.to(unit).value or None), f"{count:,} targets × {each}"
    if (each := law.each_copy) and copies > 1:
        rate = count * each.to(unit).value / (copies - 1)
        yield (rate or None), f"{copies - 1:.3g} more copies at {count:,} targets × {each}"
    if law.fraction is not None:
        most = None if reach is None else law.fraction * reach.value.to(unit).value
        yield most, f"{law.fraction:.0%} of {reach.limits[0].made_of if reach else 'the bound'}"


def _scm(cluster: Cluster, subject: Subject) -> str | None:
    """The class of the SCM to which a figure belongs, by its engine or else by any."""
    servers = cluster.daos.servers if cluster.daos else ()
    every = (engine for name in servers for engine in cluster.hosts[name].engines)
    engine = cluster.engine(subject) if subject.engine is not None else next(every, None)
    return engine.scm_tier.class_ if engine and engine.scm_tier else None


POSSIBLE = 0.5
"""Maximum floor from a reference of other hardware, as a fraction of the bound (own choice)."""


@once
def all_targets(cluster: Cluster) -> int:
    """The targets of all engines; of a system that was found, those of its pool."""
    if cluster.daos is not None and cluster.daos.found is not None:
        return cluster.daos.found.targets or 0
    servers = cluster.daos.servers if cluster.daos else ()
    return sum(engine.targets for name in servers for engine in cluster.hosts[name].engines)


def targets(cluster: Cluster, subject: Subject) -> int:
    """The targets of an engine; for a pair, the smaller number; otherwise, of all engines."""
    if subject.engine is not None:
        return min(cluster.engine(end).targets for end in subject.ends)
    return all_targets(cluster)


def within(
    cluster: Cluster,
    requirement: Requirement,
    bound: Bound | None,
    why: str,
    ceiling: Limit | None = None,
    below: Sequence[Limit] | None = None,
    processes: int = 0,
    copies: float = 1,
) -> Expectation:
    """Make the expectation of a metric from its bound.

    Args:
        cluster: the cluster, with its floors.
        requirement: the metric.
        bound: the most that is possible; None if it is unknown.
        why: the reason why it is unknown.
        ceiling: the most that is plausible, if a figure may exceed the bound.
        below: limits of the layers below, for the floor; None: use the bound. Empty: too little is
            known for a floor.
        processes: number of processes, for a floor of a single process.
        copies: how often targets store what is written, for a floor of published systems.
    """
    floor = least_of(cluster, requirement, bound, below, processes, copies)
    unit, more = requirement.unit, requirement.metric.better == "higher"
    if bound is None:
        if floor is None and ceiling is None:
            return nothing(requirement, why)
        least = floor.value if floor else None
        most = ceiling.value.to(unit).value if ceiling else None
        reasons = [f"no bound: {why}", floor.sentence if floor else f"no {_side(more)}"]
        if ceiling is not None:
            reasons.append(f"ceiling {ceiling.value}: {ceiling.made_of} ({ceiling.source})")
        return Expectation(
            unit=unit,
            ground="reference",
            bound=None,
            floor=least if more else most,
            ceiling=most if more else least,
            derivation="; ".join(reasons),
        )
    value = bound.value.to(unit).value
    best = value if ceiling is None else ceiling.value.to(unit).value
    worst, sentence = (floor.value, floor.sentence) if floor else (None, f"no {_side(more)}")
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
    cluster: Cluster,
    requirement: Requirement,
    best: Sequence[Limit],
    usual: Limit,
    ceiling: float = MEASURED_CEILING,
) -> Expectation:
    """Make the expectation of a metric from figures of the same host in the same campaign.

    Args:
        cluster: the cluster, with its floors.
        requirement: the metric.
        best: the best samples of the layers below; their minimum is the bound.
        usual: the usual figure of the layer below, for the floor.
        ceiling: the allowed ratio of the figure to the bound.
    """
    bound = tightest(best, requirement.unit)
    assert bound
    expected = within(
        cluster,
        requirement,
        bound,
        "",
        bound.limits[0].over(1 / ceiling, "measured"),
        [usual],
    )
    derivation = (
        f"{expected.derivation}; the floor is of {usual.made_of}; ceiling {ceiling:g} times"
        " their best"
    )
    return replace(expected, ground="measured", derivation=derivation)


def shortest(size: Quantity, limit: Limit | None) -> Bound | None:
    """The shortest time of a transfer of a size at a limit."""
    if limit is None:
        return None
    seconds = size.to("B").value / limit.value.to("B/s").value
    time = Quantity(seconds * 1e6, "us")
    made_of = f"{size} / {limit.made_of}"
    return Bound(time, (Limit(limit.who, time, made_of, limit.source),))
