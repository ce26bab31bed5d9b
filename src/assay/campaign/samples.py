"""A metric's samples as its check prints them, in the unit of the metric."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.entry import Metric
from assay.tools.output import Sample, impossible
from assay.units import UnitError, factor


def values_of(
    metric: Metric, samples: Sequence[Sample], repetitions: int
) -> tuple[list[float], list[str]]:
    """The samples of a metric of one subject in its unit, and what is wrong with them.

    Args:
        metric: whose samples they are.
        samples: all of them.
        repetitions: how many there have to be.
    """
    problems = [problem for sample in samples if (problem := impossible(sample))]
    if len(samples) != repetitions:
        problems.append(f"{metric.name} has {len(samples)} of {repetitions} samples")
    values = []
    for sample in samples:
        try:
            values.append(sample.value * factor(sample.unit, metric.unit))
        except UnitError as error:
            problems.append(f"{metric.name}: {error}")
    return values, list(dict.fromkeys(problems))
