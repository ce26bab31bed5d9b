"""Verdicts: fail closed, call what is too good wrong, and never decide what is not decided."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.expect import Expectation
from assay.plan import Metric, Owed
from assay.verdict import Verdict, judge

OWED = Owed("SsdFio", "ssd", "servers", Metric("read_1m", "MiB/s"), "s1")
RATED = Expectation("MiB/s", "hardware", 1000.0, 850.0, 1000.0, "1000 MiB/s: one disk")
UNRATED = Expectation("MiB/s", "nothing", None, None, None, "nothing to judge by: no datasheet")

LATENCY = replace(OWED, metric=Metric("latency", "us", better="lower"))
PROMPT = Expectation("us", "hardware", 1.0, 1.0, 5.0, "1 us: the wire")


@pytest.mark.parametrize(
    ("samples", "verdict", "said"),
    [
        ([900, 910, 920, 905, 915], Verdict.PASS, "910 MiB/s is above the floor of 850 MiB/s"),
        ([700, 710, 720, 705, 715], Verdict.BELOW, "710 MiB/s is below the floor of 850 MiB/s"),
        ([800, 900, 910, 920, 930], Verdict.UNSTEADY, "anywhere between 800 and 930"),
        ([700, 750, 760, 770, 860], Verdict.UNSTEADY, "on both sides of the floor of 850 MiB/s"),
        ([5000, 5001, 5002, 5003, 5004], Verdict.IMPLAUSIBLE, "better than is possible, 1,000"),
        ([], Verdict.MISSING, "it was not measured"),
        ([900, math.nan], Verdict.MISSING, "a sample is nan"),
        ([900, math.inf], Verdict.MISSING, "a sample is inf"),
        ([900, 0.0], Verdict.MISSING, "a sample is 0"),
        ([900, -1.0], Verdict.MISSING, "a sample is -1"),
    ],
)
def test_more_is_better(samples: list[float], verdict: Verdict, said: str) -> None:
    judged = judge(OWED, samples, RATED)
    assert judged.verdict is verdict
    assert said in judged.reason


@pytest.mark.parametrize(
    ("samples", "verdict", "said"),
    [
        ([2.0, 2.1, 2.2], Verdict.PASS, "within the limit of 5.00 us"),
        ([7.0, 7.1, 7.2], Verdict.BELOW, "above the limit of 5.00 us"),
        ([4.0, 4.1, 7.2], Verdict.UNSTEADY, "on both sides of the limit of 5.00 us"),
        ([0.1, 0.1, 0.1], Verdict.IMPLAUSIBLE, "better than is possible, 1.00 us"),
    ],
)
def test_less_is_better(samples: list[float], verdict: Verdict, said: str) -> None:
    judged = judge(LATENCY, samples, PROMPT)
    assert judged.verdict is verdict
    assert said in judged.reason


def test_nothing_to_judge_by_is_no_pass() -> None:
    judged = judge(OWED, [900.0, 910.0], UNRATED)
    assert judged.verdict is Verdict.UNRATED
    assert judged.reason == "nothing to judge by: no datasheet"


def test_a_run_with_a_problem_is_no_slow_run() -> None:
    judged = judge(OWED, [900.0, 910.0], RATED, problems=["fio crashed", "and more"])
    assert judged.verdict is Verdict.MISSING
    assert judged.reason == "fio crashed; and more"
    assert judged.summary is None


@given(st.lists(st.floats(-1e9, 1e9) | st.just(math.nan) | st.just(math.inf), max_size=12))
def test_what_passes_lies_between_floor_and_ceiling(samples: list[float]) -> None:
    judged = judge(OWED, samples, RATED)
    if judged.verdict is Verdict.PASS:
        assert judged.summary is not None
        assert 850 <= judged.summary.low <= judged.summary.median <= 1000
