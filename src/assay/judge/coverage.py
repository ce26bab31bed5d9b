"""How much of the plan was judged: only what was judged can be accepted.

A class is a layer in one direction, such as reads of SSDs. If no metric of a class has a floor, it
is unknown whether that part of the cluster is slow.
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
from assay.cluster.description import PARTITIONS
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict

_IN_NAME = re.compile(r"[\w.-]")
"""A character of host names: next to a match, it shows that the match is part of a longer name."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The numbers of required and judged metrics of a layer in one direction."""

    layer: Layer
    direction: Direction | None
    """None for metrics that neither write to the storage nor read from it."""
    required: int
    judged: int
    """Number of metrics that were compared with a floor, or with a count."""
    waived: int

    @property
    def is_unjudged(self) -> bool:
        """Whether none of its metrics has a verdict on its speed, and not all are waived."""
        return not self.judged and self.waived < self.required

    def __str__(self) -> str:
        return f"{self.layer} {self.direction or 'of neither direction'}"


def coverage(judgements: Iterable[Judgement]) -> list[Coverage]:
    """The coverage of each class that the plan requires, from the lowest layer up."""
    counted: dict[tuple[Layer, Direction | None], Counter[str]] = {}
    asked = cache(is_judged)
    for judgement in judgements:
        metric = judgement.requirement.metric
        if not asked(metric):
            continue
        # IO500's phases of mdtest do not show the bandwidth of its other phases.
        layer = "metadata" if metric.unit in ("op/s", "kop/s") else judgement.requirement.layer
        counts = counted.setdefault((layer, metric.direction), Counter())
        counts["required"] += 1
        counts["waived"] += judgement.verdict is Verdict.WAIVED
        counts["judged"] += has_been_judged(judgement)
    return [
        Coverage(layer, direction, counts["required"], counts["judged"], counts["waived"])
        for (layer, direction), counts in counted.items()
    ]


def has_been_judged(judgement: Judgement) -> bool:
    """Whether a metric was measured and compared with a limit on its slow side."""
    expected = judgement.expectation
    better = judgement.requirement.metric.better
    limit = expected.floor if better == "higher" else expected.ceiling
    excused = judgement.verdict in (Verdict.MISSING, Verdict.WAIVED, Verdict.UNRATED)
    return limit is not None and not excused


def causes(judgements: Iterable[Judgement]) -> Counter[str]:
    """The causes for which metrics are unrated, without hosts and devices, and their numbers."""
    return Counter(
        _cause(judgement) for judgement in judgements if judgement.verdict is Verdict.UNRATED
    )


def _cause(judgement: Judgement) -> str:
    reason = judgement.expectation.derivation.removeprefix("nothing to judge by: ")
    subject = judgement.requirement.subject
    if judgement.expectation.ground != "nothing":
        side = "floor" if judgement.requirement.metric.better == "higher" else "ceiling"
        return f"{judgement.requirement.figure} has a bound, but no {side}"
    for name in sorted({str(subject), *subject.hosts}, key=len, reverse=True):
        if name not in PARTITIONS:  # "the clients" are in the sentences of hosts, too
            reason = _without(reason, name)
    return reason


def _without(reason: str, name: str) -> str:
    """A sentence without a name, if it is a whole word; a pattern for each host would be slow."""
    first, *rest = reason.split(name)
    for part in rest:
        inside = _IN_NAME.match(first[-1:]) or _IN_NAME.match(part)
        first += (name if inside else "…") + part
    return first


def shares(judgements: Sequence[Judgement]) -> list[str]:
    """The waived share of each layer, for ``9 waived (12 % of network)``."""
    total = Counter(judgement.requirement.layer for judgement in judgements)
    waived = Counter(j.requirement.layer for j in judgements if j.verdict is Verdict.WAIVED)
    return [f"{count / total[layer]:.0%} of {layer}" for layer, count in waived.items()]
