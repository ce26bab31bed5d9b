"""The judgements of a sign-off, grouped as readers need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.checks.plan import LAYERS, Layer
from assay.judge.causes import metric
from assay.judge.judgement import Judgement
from assay.judge.signoff import SignOff
from assay.judge.verdict import Verdict

_WORST_FIRST = {verdict: rank for rank, verdict in enumerate(Verdict)}


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
