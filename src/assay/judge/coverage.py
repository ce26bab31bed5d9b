"""How much of the plan was judged: nothing is accepted that was not judged.

A class is a layer in one direction: what the SSDs read, say. As long as no metric of a class has a
floor, nobody knows whether that part of the cluster is slow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from assay.checks.bounds.devices import Direction
from assay.checks.entry import Layer
from assay.checks.figures import is_judged
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict

_IN_NAME = re.compile(r"[\w.-]")
"""A character that a name of a host can have: beside it another name goes on."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much was judged of a layer in one direction."""

    layer: Layer
    direction: Direction | None
    """None for what neither writes to the storage nor reads from it."""
    required: int
    judged: int
    """Held against a floor, or against a count."""
    waived: int

    @property
    def is_unjudged(self) -> bool:
        """Whether it has no verdict on its speed, and no waiver."""
        return not self.judged and self.waived < self.required

    def __str__(self) -> str:
        return f"{self.layer} {self.direction}" if self.direction else self.layer


def coverage(judgements: Iterable[Judgement]) -> list[Coverage]:
    """Each class that the plan requires, from the lowest layer up."""
    counted: dict[tuple[Layer, Direction | None], Counter[str]] = {}
    asked = cache(is_judged)
    for judgement in judgements:
        metric = judgement.requirement.metric
        if not asked(metric):
            continue
        # IO500's phases of mdtest say nothing of the bandwidth of its other phases.
        layer = "metadata" if metric.unit in ("op/s", "kop/s") else judgement.requirement.layer
        found = counted.setdefault((layer, metric.direction), Counter())
        found["required"] += 1
        found["waived"] += judgement.verdict is Verdict.WAIVED
        found["judged"] += has_been_judged(judgement)
    return [
        Coverage(layer, direction, found["required"], found["judged"], found["waived"])
        for (layer, direction), found in counted.items()
    ]


def has_been_judged(judgement: Judgement) -> bool:
    """Whether it was measured, and held against a limit on its slow side."""
    expected = judgement.expectation
    better = judgement.requirement.metric.better
    limit = expected.floor if better == "higher" else expected.ceiling
    excused = judgement.verdict in (Verdict.MISSING, Verdict.WAIVED, Verdict.UNRATED)
    return limit is not None and not excused


def causes(judgements: Iterable[Judgement]) -> Counter[str]:
    """Why metrics are unrated, and how many for each cause; hosts and devices are left out."""
    return Counter(
        _cause(judgement) for judgement in judgements if judgement.verdict is Verdict.UNRATED
    )


def _cause(judgement: Judgement) -> str:
    said = judgement.expectation.derivation.removeprefix("nothing to judge by: ")
    subject = judgement.requirement.subject
    if judgement.expectation.ground != "nothing":
        return f"{judgement.requirement.figure} has a bound, but no floor"
    for name in sorted((str(subject), *subject.hosts), key=len, reverse=True):
        said = _without(said, name)
    return said


def _without(said: str, name: str) -> str:
    """A sentence without a name, where this is a whole word; a pattern for each host takes long."""
    first, *rest = said.split(name)
    for part in rest:
        inside = _IN_NAME.match(first[-1:]) or _IN_NAME.match(part[:1])
        first += (name if inside else "…") + part
    return first


def shares(judgements: Sequence[Judgement]) -> list[str]:
    """What share of each layer is waived: ``9 waived (12 % of network)``."""
    total = Counter(judgement.requirement.layer for judgement in judgements)
    waived = Counter(j.requirement.layer for j in judgements if j.verdict is Verdict.WAIVED)
    return [f"{count / total[layer]:.0%} of {layer}" for layer, count in waived.items()]
