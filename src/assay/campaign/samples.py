"""A metric's samples as its check printed them, in the unit of the metric."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.entry import Metric
from assay.checks.raw import RawOutputs
from assay.checks.run import Run
from assay.subject import Subject
from assay.tools.output import Sample, impossible
from assay.units import UnitError, factor


def samples_of(
    run: Run, subject: Subject, raw: RawOutputs
) -> tuple[dict[str, list[float]], list[str]]:
    """The samples of a subject by metric, from its raw outputs; or what is wrong with them.

    A run with a problem has no samples.

    Raises:
        ForeignError: an output is no regular file, or larger than any.
        OSError: it cannot be read.
    """
    reading = run.check.reading
    parsed = reading.parsed(run, subject, raw)
    problems = list(parsed.problems)
    samples = {}
    for metric in run.check.metrics:
        found = [each for each in parsed.samples if reading.is_sample_of(metric, each)]
        samples[metric.name], wrong = values_of(metric, found, run.repetitions)
        problems += wrong
    return ({}, problems) if problems else (samples, [])


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
