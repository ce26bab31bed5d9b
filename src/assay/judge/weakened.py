"""Weakened yardsticks: the site's own that require less than the reference that they replace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.judge.judgement import Judgement
from assay.units import Quantity

IDLE = 10.0
"""A site's yardstick without a reference beside it judges nothing if the figure, or what the
hardware can do, is so many times better: the shipped floors are a tenth or more of their bounds,
except those of times among many in flight (this project's own choice)."""

ROUNDED = 0.01
"""By less than this share, a site's yardstick is as strict as the reference (own choice): contracts
have round figures."""


@dataclass(frozen=True, slots=True)
class Weakened:
    """Figures of one kind that one weakened yardstick judges."""

    by: str
    figure: str
    """Check and metric."""
    instead: str
    """What it replaces, in words."""
    judgements: tuple[Judgement, ...]

    def __str__(self) -> str:
        count = len(self.judgements)
        first = self.judgements[0].requirement.subject
        subjects = f"{count:,} subjects" if count > 1 else str(first)
        return f"{self.figure} on {subjects}: {self.by}, {self.instead}"


def is_weakened(judgement: Judgement) -> bool:
    """Whether the site's yardstick of a metric requires less than the reference."""
    expected, required = judgement.expectation, judgement.requirement
    if expected.own is None:
        return False
    limit, reference = required.slowest(expected), expected.own.reference
    is_more = required.metric.better == "higher"
    if limit is None:
        return reference is not None
    if reference is not None:
        return _times(reference, limit, is_more=is_more) > 1 / (1 - ROUNDED)
    usual = judgement.summary.median if judgement.summary else None
    better = [each for each in (usual, expected.bound) if each is not None]
    return any(_times(each, limit, is_more=is_more) > IDLE for each in better)


def is_saved(judgement: Judgement) -> bool:
    """Whether a figure misses the reference, and only a weakened yardstick lets it pass."""
    own, summary = judgement.expectation.own, judgement.summary
    if own is None or own.reference is None or summary is None or not is_weakened(judgement):
        return False
    is_more = judgement.requirement.metric.better == "higher"
    return _times(summary.median, own.reference, is_more=is_more) < 1


def _times(value: float, limit: float, *, is_more: bool) -> float:
    """How many times better a value is than a limit."""
    return value / limit if is_more else limit / value


def weakened(judgements: Iterable[Judgement]) -> list[Weakened]:
    """The weakened yardsticks of a campaign, in the order of its metrics."""
    found: dict[tuple[str, str], list[Judgement]] = {}
    for each in judgements:
        if each.expectation.own and is_weakened(each):
            found.setdefault((each.expectation.own.by, each.requirement.figure), []).append(each)
    return [
        Weakened(by, figure, _instead(its[0]), tuple(its)) for (by, figure), its in found.items()
    ]


def _instead(judgement: Judgement) -> str:
    expected, required = judgement.expectation, judgement.requirement
    assert expected.own
    limit, reference = required.slowest(expected), expected.own.reference
    side = "floor" if required.metric.better == "higher" else "ceiling"
    here = "nothing" if limit is None else str(Quantity(limit, expected.unit))
    if reference is not None:
        return f"{here} instead of the {side} of {Quantity(reference, expected.unit)}"
    return f"{here}, where no reference is and {IDLE:g} times as much is possible or was measured"
