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
    WAIVED = "waived"
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
    else:
        verdict, reason = _rate(summary, expectation, owed.metric.better == "higher")
    return Judgement(owed, tuple(samples), summary, expectation, verdict, reason, tuple(raw))


def _no_measurement(value: float) -> str | None:
    if math.isfinite(value) and value > 0:
        return None
    return f"a sample is {value:g}, and a measurement is above zero"


def _rate(summary: Summary, expected: Expectation, more: bool) -> tuple[Verdict, str]:
    """Hold the samples against the expectation; `more` says that more is better."""
    best, worst = (expected.ceiling, expected.floor) if more else (expected.floor, expected.ceiling)
    luckiest, unluckiest = (summary.high, summary.low) if more else (summary.low, summary.high)

    def better(one: float, other: float) -> bool:
        return one > other if more else one < other

    value = Quantity(summary.median, expected.unit)
    if best is not None and better(summary.median, best):
        possible = Quantity(best, expected.unit)
        return Verdict.IMPLAUSIBLE, (
            f"{value} is better than is possible, {possible}: a cache, a hole or a wrong unit"
        )
    if worst is None:
        return Verdict.UNRATED, expected.derivation
    limit = f"the {'floor' if more else 'limit'} of {Quantity(worst, expected.unit)}"
    if better(worst, luckiest):
        return Verdict.BELOW, f"{value} is {'below' if more else 'above'} {limit}"
    if better(worst, unluckiest):
        return Verdict.UNSTEADY, _straddles(summary, limit)
    return Verdict.PASS, f"{value} is {'above' if more else 'within'} {limit}"


def _straddles(summary: Summary, limit: str) -> str:
    return (
        f"{summary.count} samples leave the median anywhere between {show(summary.low)} and"
        f" {show(summary.high)}, on both sides of {limit}"
    )
