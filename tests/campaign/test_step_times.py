"""The times of a subject's steps, which a clock that is set makes those of no measurement."""

from __future__ import annotations

import pytest

from assay.campaign.steps import CLOCK_SET_S, CLOCKS_APART_S, misplaced
from assay.checks.raw import Done

BEGAN, ENDED = 1_000_000_000.0, 1_000_000_060.0


def steps(*times: tuple[float, float]) -> list[Done]:
    return [
        Done(f"step.{number}", 0, BEGAN + start, BEGAN + end)
        for number, (start, end) in enumerate(times, 1)
    ]


@pytest.mark.parametrize(
    "times",
    [
        [(0.0, 1.0), (1.0, 2.0), (2.5, 60.0)],
        [(0.0, 1.0), (1.0 - CLOCK_SET_S, 2.0)],
        [(-CLOCKS_APART_S, 60.0 + CLOCKS_APART_S)],
        [(1.0, 1.0)],
        [],
    ],
)
def test_steps_follow_each_other_within_their_session(times: list[tuple[float, float]]) -> None:
    assert list(misplaced(steps(*times), BEGAN, ENDED)) == []


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ([(2.0, 1.0)], "its step step.1 ended before it started: was the clock set there?"),
        ([(0.0, 5.0), (3.9, 6.0)], "its step step.2 started before step.1 ended, which runs"),
        ([(-CLOCKS_APART_S - 1, 1.0)], "its step step.1 did not run within the session"),
        ([(1.0, 61.0 + CLOCKS_APART_S)], "its step step.1 did not run within the session"),
    ],
)
def test_other_times_are_those_of_no_measurement(
    times: list[tuple[float, float]], why: str
) -> None:
    (problem,) = misplaced(steps(*times), BEGAN, ENDED)
    assert problem.startswith(why)
