"""Verdicts: fail closed, call what is too good wrong, and never decide what is not decided."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from assay.checks.bounds.limit import Limit
from assay.checks.expect import Expectation
from assay.checks.figures import Unrated
from assay.checks.plan import Metric, Requirement
from assay.judge.judgement import (
    Judgement,
    Measurement,
    _Words,
    judge,
)
from assay.judge.verdict import Verdict
from assay.subject import Subject
from assay.units import Quantity
from judged import OWED, RATED, UNRATED

LATENCY = replace(OWED, metric=Metric("latency", "us", Unrated("a trial"), better="lower"))
PROMPT = Expectation("us", "hardware", 1.0, 1.0, 5.0, "1 us: the wire")


def alone(
    requirement: Requirement,
    samples: Sequence[float],
    limits: Expectation,
    problems: Sequence[str] = (),
) -> Judgement:
    return judge([Measurement(requirement, samples, limits, problems)]).judgements[0]


@pytest.mark.parametrize(
    ("samples", "verdict", "message"),
    [
        ([900, 910, 920, 905, 915], Verdict.PASS, "910 MiB/s is above the floor of 850 MiB/s"),
        ([700, 710, 720, 705, 715], Verdict.BELOW, "710 MiB/s is below the floor of 850 MiB/s"),
        ([800, 900, 910, 920, 930], Verdict.UNSTEADY, "anywhere between 800 and 930"),
        ([700, 750, 760, 770, 860], Verdict.UNSTEADY, "on both sides of the floor of 850 MiB/s"),
        ([1.0, 0.4, 2.1, 0.6, 1.7], Verdict.BELOW, "1.00 MiB/s is below the floor of 850 MiB/s"),
        *(
            ([only], Verdict.UNSTEADY, "does not show on which side of the floor of 850 MiB/s")
            for only in (400, 900)
        ),
        (
            [900, 910, 5000, 905, 915],
            Verdict.UNSTEADY,
            "its median is possible, but its best samples are more than 25% better than that: a",
        ),
        ([900], Verdict.UNSTEADY, "about 5 more samples would decide"),
        ([5000], Verdict.IMPLAUSIBLE, "better than possible, 1,000"),
        ([5000, 5001, 5002, 5003, 5004], Verdict.IMPLAUSIBLE, "better than possible, 1,000"),
        ([], Verdict.MISSING, "it was not measured"),
        ([900, math.nan], Verdict.MISSING, "a sample is nan"),
        ([900, math.inf], Verdict.MISSING, "a sample is inf"),
        ([900, 0.0], Verdict.MISSING, "a sample is 0"),
        ([900, -1.0], Verdict.MISSING, "a sample is -1"),
    ],
)
def test_more_is_better(samples: list[float], verdict: Verdict, message: str) -> None:
    judged = alone(OWED, samples, RATED)
    assert judged.verdict is verdict
    assert message in judged.reason


def test_what_a_disturbed_layer_below_makes_implausible_names_that_layer() -> None:
    disk = Limit("the disk", Quantity(500, "MiB/s"), "best of 5 samples of direct I/O", "SsdFio")
    beside = replace(RATED, ground="measured", limits=(disk,))
    causes = "1,000 MiB/s: a cache, a hole or a wrong unit"
    assert alone(OWED, [5000], RATED).reason.endswith(causes)
    assert alone(OWED, [5000], beside).reason.endswith(
        f"{causes}, unless other work slowed what it is compared with: best of 5 samples of direct"
        " I/O"
    )


@pytest.mark.parametrize(
    ("samples", "verdict", "message"),
    [
        ([2.0, 2.1, 2.2], Verdict.PASS, "within the ceiling of 5.00 us"),
        ([7.0, 7.1, 7.2], Verdict.BELOW, "above the ceiling of 5.00 us"),
        ([4.0, 4.1, 7.2], Verdict.UNSTEADY, "on both sides of the ceiling of 5.00 us"),
        ([0.1, 0.1, 0.1], Verdict.IMPLAUSIBLE, "better than possible, 1.00 us"),
    ],
)
def test_less_is_better(samples: list[float], verdict: Verdict, message: str) -> None:
    judged = alone(LATENCY, samples, PROMPT)
    assert judged.verdict is verdict
    assert message in judged.reason


SHORT = "the engines moved 60% of the bytes that the benchmark reports"


def judged_short(samples: Sequence[float], limits: Expectation) -> Judgement:
    return judge([Measurement(OWED, samples, limits, short=SHORT)]).judgements[0]


@pytest.mark.parametrize("limits", [RATED, UNRATED], ids=["rated", "unrated"])
@pytest.mark.parametrize("samples", [[900.0, 910.0, 920.0], [700.0, 710.0, 705.0]])
def test_what_the_engines_did_not_move_is_implausible(
    samples: list[float], limits: Expectation
) -> None:
    judged = judged_short(samples, limits)
    assert (judged.verdict, judged.reason) == (Verdict.IMPLAUSIBLE, SHORT)


def test_without_a_sample_what_the_engines_did_not_move_is_missing() -> None:
    judged = judged_short([], RATED)
    assert (judged.verdict, judged.reason) == (Verdict.MISSING, "it was not measured")


def test_nothing_to_judge_by_is_not_a_pass() -> None:
    judged = alone(OWED, [900.0, 910.0], UNRATED)
    assert judged.verdict is Verdict.UNRATED
    assert judged.reason == "nothing to judge by: no datasheet"


def test_a_run_with_a_problem_is_not_a_slow_run() -> None:
    judged = alone(OWED, [900.0, 910.0], RATED, ["fio crashed", "and more"])
    assert judged.verdict is Verdict.MISSING
    assert judged.reason == "fio crashed; and more"
    assert judged.summary is None


BESIDE_THE_LIMITS = st.lists(st.floats(800, 1050), min_size=5, max_size=9)
ANYTHING = st.lists(st.floats(-1e9, 1e9) | st.just(math.nan) | st.just(math.inf), max_size=12)


def passes(samples: list[float]) -> bool:
    return alone(OWED, samples, RATED).verdict is Verdict.PASS


def test_something_passes() -> None:
    """What the next test says of those that pass is said of some."""
    assert passes(find(BESIDE_THE_LIMITS, passes))


@given(BESIDE_THE_LIMITS | ANYTHING)
def test_what_passes_lies_between_floor_and_ceiling(samples: list[float]) -> None:
    judged = alone(OWED, samples, RATED)
    if judged.verdict is Verdict.PASS:
        assert judged.summary is not None
        assert 850 <= judged.summary.median <= 1000
        assert sum(sample < 850 for sample in samples) <= 1


def test_a_check_that_warms_up_is_unsteady() -> None:
    rise = [700.0, 800, 880, 930, 960, 980, 1000]
    cases = [Measurement(replace(OWED, subject=Subject(f"n{n}")), rise, UNRATED) for n in range(16)]
    judged = judge(cases).judgements[0]
    assert judged.verdict is Verdict.UNSTEADY
    assert "it rose by" in judged.reason
    assert "did not settle" in judged.reason


def test_under_the_floor_by_less_than_chance_allows_is_unsteady() -> None:
    judged = alone(OWED, [848, 810, 849, 790, 849.5, 835, 845], RATED)
    assert judged.verdict is Verdict.UNSTEADY
    assert "7 samples may lie below the floor of 850 MiB/s by chance" in judged.reason


def test_more_samples_are_asked_for_the_nearer_the_floor_lies() -> None:
    near, far = (alone(OWED, [v, v * 0.9, v * 1.1, v * 0.95, v * 1.05], RATED) for v in (870, 930))
    assert near.verdict is far.verdict is Verdict.UNSTEADY
    assert near.more_samples is None or near.more_samples > (far.more_samples or 0)


def test_better_than_possible_by_a_hair_is_neither_possible_nor_sure() -> None:
    judged = alone(OWED, [980, 990, 1005, 1010, 1020], RATED)
    assert judged.verdict is Verdict.UNSTEADY
    assert "better than possible, 1,000 MiB/s, but not all samples are" in judged.reason


def test_many_questions_make_alarms_harder() -> None:
    few = judge([Measurement(OWED, [820, 821, 819, 822, 818, 823, 817], RATED)])
    assert few.comparisons < judge([Measurement(OWED, [900.0], RATED)] * 50).comparisons


@pytest.mark.parametrize(
    ("requirement", "limits", "possible", "impossible", "enough", "too_little"),
    [(OWED, RATED, 1000.0, 1000.1, 850.0, 849.9), (LATENCY, PROMPT, 1.0, 0.99, 5.0, 5.01)],
)
def test_limits_are_still_possible_and_enough(
    requirement: Requirement,
    limits: Expectation,
    possible: float,
    impossible: float,
    enough: float,
    too_little: float,
) -> None:
    words = _Words(Measurement(requirement, [], limits))
    assert words.beyond(possible) is None
    assert words.beyond(impossible) is not None
    assert words.short(enough) is None
    assert words.short(too_little) is not None


@pytest.mark.parametrize(("of_other", "decided"), [(0.0, False), (1.7, True)])
def test_copied_samples_decide_no_check(of_other: float, *, decided: bool) -> None:
    first = [904.1, 901.3, 903.2]
    rows = [
        Measurement(replace(OWED, subject=Subject(host)), [each + more for each in first], RATED)
        for host, more in (("s1", 0.0), ("s2", of_other))
    ]
    assert judge(rows, looks=2).decided == ({("SsdFio", "servers")} if decided else frozenset())
    assert judge(rows).decided == frozenset()
