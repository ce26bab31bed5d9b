"""Turns the raw outputs of a check into samples, in the units of its metrics."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.entry import Metric, Run
from assay.checks.raw import RawOutputs
from assay.subject import Subject
from assay.tools.output import Sample, impossible
from assay.units import UnitError, factor


def samples_of(
    run: Run, subject: Subject, raw: RawOutputs
) -> tuple[dict[str, list[float]], list[str]]:
    """The samples of a subject by metric, from its raw outputs, and their problems.

    A run with a problem has no samples.

    Raises:
        ForeignError: an output is not a regular file, or is too large.
        OSError: it cannot be read.
    """
    reading = run.check.reading
    parsed = reading.parsed(run, subject, raw)
    problems = list(parsed.problems)
    samples = {}
    for metric in run.check.metrics:
        matching = [each for each in parsed.samples if reading.is_sample_of(metric, each)]
        samples[metric.name], its_problems = values_of(metric, matching, run.repetitions)
        problems += its_problems
    return ({}, problems) if problems else (samples, [])


def values_of(
    metric: Metric, samples: Sequence[Sample], repetitions: int
) -> tuple[list[float], list[str]]:
    """The samples of a metric of one subject, in the metric's unit, and their problems.

    Args:
        metric: the metric.
        samples: all samples of the metric and the subject.
        repetitions: required number of samples.
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
