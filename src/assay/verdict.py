"""Samples and an expectation make a verdict, with its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.expect import Expectation
from assay.plan import Owed
from assay.stats import Summary, summarize
from assay.units import Quantity, show


class Verdict(StrEnum):
    """What can be said of a metric; the worst come first."""

    MISSING = "missing"
    IMPLAUSIBLE = "implausible"
    BELOW = "below"
    UNSTEADY = "unsteady"
    UNRATED = "unrated"
    PASS = "pass"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One metric, judged: what was owed, measured and expected, and what follows."""

    owed: Owed
    samples: tuple[float, ...]
    summary: Summary | None
    expectation: Expectation
    verdict: Verdict
    reason: str
    raw: tuple[str, ...] = ()
    """Where in the bundle the raw outputs are that hold the samples."""


def judge(
    owed: Owed,
    samples: Sequence[float],
    expectation: Expectation,
    problems: Sequence[str] = (),
    raw: Sequence[str] = (),
) -> Judgement:
    """Judge a metric. Fail closed: with a problem, or without a sample, it is `missing`."""
    problems = [*problems, *(text for value in samples if (text := _no_measurement(value)))]
    summary = None if problems or not samples else summarize(samples)
    if summary is None:
        verdict, reason = Verdict.MISSING, "; ".join(problems) or "it was not measured"
    elif owed.metric.better == "higher":
        verdict, reason = _higher_is_better(summary, expectation)
    else:
        verdict, reason = _lower_is_better(summary, expectation)
    return Judgement(owed, tuple(samples), summary, expectation, verdict, reason, tuple(raw))


def _no_measurement(value: float) -> str | None:
    if math.isfinite(value) and value > 0:
        return None
    return f"a sample is {value:g}, and a measurement is above zero"


def _higher_is_better(summary: Summary, expected: Expectation) -> tuple[Verdict, str]:
    unit = expected.unit
    value = Quantity(summary.median, unit)
    if expected.ceiling is not None and summary.median > expected.ceiling:
        limit = Quantity(expected.ceiling, unit)
        return Verdict.IMPLAUSIBLE, (
            f"{value} is above what is possible, {limit}: a cache, a hole or a wrong unit"
        )
    if expected.floor is None:
        return Verdict.UNRATED, expected.derivation
    floor = Quantity(expected.floor, unit)
    if summary.high < expected.floor:
        return Verdict.BELOW, f"{value} is below the floor of {floor}"
    if summary.low < expected.floor:
        return Verdict.UNSTEADY, _straddles(summary, f"the floor of {floor}")
    return Verdict.PASS, f"{value} is above the floor of {floor}"


def _lower_is_better(summary: Summary, expected: Expectation) -> tuple[Verdict, str]:
    unit = expected.unit
    value = Quantity(summary.median, unit)
    if expected.floor is not None and summary.median < expected.floor:
        limit = Quantity(expected.floor, unit)
        return Verdict.IMPLAUSIBLE, (
            f"{value} is less than is possible, {limit}: a local path or a wrong unit"
        )
    if expected.ceiling is None:
        return Verdict.UNRATED, expected.derivation
    ceiling = Quantity(expected.ceiling, unit)
    if summary.low > expected.ceiling:
        return Verdict.BELOW, f"{value} takes longer than the {ceiling} allowed"
    if summary.high > expected.ceiling:
        return Verdict.UNSTEADY, _straddles(summary, f"the {ceiling} allowed")
    return Verdict.PASS, f"{value} is within the {ceiling} allowed"


def _straddles(summary: Summary, limit: str) -> str:
    return (
        f"{summary.count} samples leave the median anywhere between {show(summary.low)} and"
        f" {show(summary.high)}, on both sides of {limit}"
    )
