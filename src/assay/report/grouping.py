"""The judgements of a sign-off, grouped as readers need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.checks.plan import LAYERS, Layer
from assay.judge.judgement import Judgement
from assay.judge.signoff import SignOff
from assay.judge.verdict import Verdict

_WORST_FIRST = {verdict: rank for rank, verdict in enumerate(Verdict)}


@dataclass(frozen=True, slots=True)
class Cause:
    """Judgements with the same verdict for the same reason."""

    verdict: Verdict
    reason: str
    judgements: tuple[Judgement, ...]

    def named(self, most: int) -> str:
        """Its metrics in words; see the function `named`."""
        return named(self.judgements, most)


def named(judgements: Iterable[Judgement], most: int) -> str:
    """Metrics in words: ``SsdFio.read_1m on n1, n2 and 510 more``.

    At most `most` metrics are named, with at most `most` subjects each.
    """
    subjects: dict[str, list[str]] = {}
    for judgement in judgements:
        subjects.setdefault(metric(judgement), []).append(str(judgement.requirement.subject))
    metrics = [f"{name} on {_several(names, most)}" for name, names in subjects.items()]
    return _several(metrics, most, "; ", " metrics")


def metric(judgement: Judgement) -> str:
    """The metric without its subject: ``SsdFio.read_1m``."""
    return f"{judgement.requirement.check}.{judgement.requirement.name}"


def _several(names: Sequence[str], most: int, between: str = ", ", what: str = "") -> str:
    if len(names) <= most:
        return between.join(names)
    more = len(names) - most
    kind = what.removesuffix("s") if more == 1 else what
    return f"{between.join(names[:most])} and {more} more{kind}"


def causes(judgements: Iterable[Judgement]) -> list[Cause]:
    """Group judgements with the same verdict and reason, in order of first appearance."""
    alike: dict[tuple[Verdict, str], list[Judgement]] = {}
    for judgement in judgements:
        alike.setdefault((judgement.verdict, judgement.reason), []).append(judgement)
    return [Cause(verdict, reason, tuple(judged)) for (verdict, reason), judged in alike.items()]


def by_layer(signed: SignOff) -> list[tuple[Layer, list[Judgement]]]:
    """The judgements of each layer that has one, from the lowest layer up."""
    layers: dict[Layer, list[Judgement]] = {layer: [] for layer in LAYERS}
    for judgement in signed.judgements:
        layers[judgement.requirement.layer].append(judgement)
    return [(layer, judgements) for layer, judgements in layers.items() if judgements]


def by_metric(judgements: Iterable[Judgement]) -> list[list[Judgement]]:
    """The judgements by metric, each with all its subjects."""
    metrics: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        metrics.setdefault(metric(judgement), []).append(judgement)
    return list(metrics.values())


def worst(peers: Sequence[Judgement], most: int) -> list[Judgement]:
    """At most `most` judgements of one metric: the worst verdicts, then the worst figures.

    If there are not more than `most`, they keep their order.
    """
    if len(peers) <= most:
        return list(peers)
    return sorted(peers, key=_badness)[:most]


def _badness(judgement: Judgement) -> tuple[int, float]:
    median = judgement.summary.median if judgement.summary else 0.0
    sign = 1 if judgement.requirement.metric.better == "higher" else -1
    return _WORST_FIRST[judgement.verdict], sign * median
