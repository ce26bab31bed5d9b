"""When the first three samples of a check are enough, and when they only seem to be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from assay.judge.limits import FALSE_ALARMS, QUESTIONS, Limits, Numbers, no_ends
from assay.judge.rating import rate
from assay.judge.stats import Array, summarize_all
from assay.judge.stopping import (
    BETWEEN,
    HINTS,
    LOOKS,
    _errors,
    _hints_of_drift,
    decided,
)
from assay.judge.verdict import Verdict

FLOOR, BOUND = 100.0, 200.0
QUIET = np.array([0.0, 0.01, -0.01])
"""Noise of three samples, in no order."""


def looked_at(
    rows: Sequence[Sequence[float]] | Array,
    *,
    peers: bool = False,
    looks: int = LOOKS,
    worst: float = FLOOR,
) -> tuple[list[str], list[bool]]:
    """The verdicts on metrics of one check, and which of them are decided."""
    limits = limited(np.zeros(len(rows), dtype=int) if peers else None, len(rows), looks, worst)
    summaries = summarize_all(rows)
    rating = rate(summaries, limits)
    sure = decided(summaries, limits, rating, np.zeros(len(rows), dtype=int))
    return rating.verdict.tolist(), sure.tolist()


def limited(group: Numbers | None, size: int, looks: int = LOOKS, worst: float = FLOOR) -> Limits:
    """The limits of metrics, each of which is a group of its own if no groups are given."""
    return Limits(
        best=np.full(size, BOUND),
        worst=np.full(size, worst),
        more=np.ones(size, dtype=bool),
        group=np.arange(size) if group is None else group,
        subject=np.arange(size),
        host=np.arange(size),
        ends=no_ends(size),
        looks=looks,
    )


def alike(level: float, count: int) -> Array:
    """Peers whose samples scatter by one percent, each in its own way."""
    return np.stack([level * (1 + np.roll(QUIET, n) * (1 + n / 50)) for n in range(count)])


@pytest.mark.parametrize(
    ("level", "verdict", "enough"),
    [
        (150.0, Verdict.PASS, True),
        (102.0, Verdict.PASS, False),
        (95.0, Verdict.UNSTEADY, False),
        (82.0, Verdict.BELOW, False),
        (78.0, Verdict.BELOW, True),
        (202.5, Verdict.IMPLAUSIBLE, False),
        (248.0, Verdict.IMPLAUSIBLE, False),
        (252.0, Verdict.IMPLAUSIBLE, True),
    ],
)
def test_four_metrics_without_peers(level: float, verdict: Verdict, *, enough: bool) -> None:
    verdicts, sure = looked_at(alike(level, 4))
    assert verdicts[0] == verdict
    assert sure[0] == enough


@pytest.mark.parametrize(("level", "enough"), [(150.0, True), (100.2, False)])
def test_peers_show_the_scatter(level: float, *, enough: bool) -> None:
    assert looked_at(alike(level, 16), peers=True)[1] == [enough] * 16


def test_one_slow_among_its_peers_needs_all_of_its_samples() -> None:
    """Samples in two modes can all be of the worse one, if there are only three."""
    rows = alike(150.0, 16)
    rows[3] *= 0.75
    verdicts, sure = looked_at(rows, peers=True)
    assert verdicts[3] == Verdict.BELOW
    assert sure == [row != 3 for row in range(16)]


def test_scatter_that_could_hide_a_loss_leaves_it_open() -> None:
    rows = 150.0 * (1 + 0.1 * np.random.default_rng(1).normal(size=(16, 3)))
    verdicts, sure = looked_at(rows, peers=True)
    assert Verdict.UNSTEADY in verdicts
    assert not any(s for v, s in zip(verdicts, sure, strict=True) if v == Verdict.UNSTEADY)


def test_a_metric_without_a_limit_and_without_peers_has_no_verdict_to_wait_for() -> None:
    rows = [[150.0, 153.0, 149.0]]
    verdicts, sure = looked_at(rows, worst=np.nan)
    assert (verdicts, sure) == ([Verdict.UNRATED], [True])


@pytest.mark.parametrize(
    ("samples", "enough"),
    [([150.0, 146.0, 141.0], False), ([150.0, 146.0, 145.0], True), ([150.0, 139.0, 141.0], True)],
)
def test_a_hint_of_a_drift_of_one_metric(samples: list[float], *, enough: bool) -> None:
    """In order, and by more than 5 %."""
    assert looked_at([samples], worst=np.nan)[1] == [enough]


@pytest.mark.parametrize(("step", "enough"), [(0.02, False), (0.012, True)])
def test_a_hint_of_a_drift_of_all_peers(step: float, *, enough: bool) -> None:
    """All in order, and by more than 2.5 % together: each alone could be noise."""
    slope = 1 - step * np.arange(3)
    rows = np.stack([150 * slope * (1 + n / 1000) for n in range(8)])
    assert looked_at(rows, peers=True)[1] == [enough] * 8


def test_a_hint_of_a_drift_of_one_among_quiet_peers() -> None:
    rows = alike(150.0, 16)
    rows[5] = [150.0, 144.0, 138.0]
    assert looked_at(rows, peers=True)[1].index(False) == 5


def test_two_equal_samples_are_a_step_and_no_certainty() -> None:
    assert looked_at([[101.0, 101.0, 103.0]])[1] == [False]


@pytest.mark.parametrize(("level", "enough"), [(102.35, False), (102.43, True)])
def test_the_scatter_of_all_metrics_of_a_check_decides(level: float, *, enough: bool) -> None:
    # Of three samples, the interval of 75 % is 2 * 1.15035 errors wide: 0.0086930. Four metrics
    # have 8 degrees of freedom, and t(0.025 / 2, 8) is 2.7515, so the margin is 2.392 %.
    assert looked_at([level * (1 + QUIET)] * 4)[1] == [enough] * 4


@pytest.mark.parametrize(("level", "enough"), [(120.0, False), (121.0, False), (122.0, True)])
def test_equal_samples_leave_a_step_and_one_degree_of_freedom(
    level: float, *, enough: bool
) -> None:
    # t(0.025 / 2, 1) is 25.452: that many steps of 1.
    assert looked_at([[level] * 3])[1] == [enough]


def errors(rows: Sequence[Sequence[float]], group: Sequence[int]) -> tuple[Array, Array, Array]:
    """The errors of metrics of one check, their degrees of freedom, and their errors by rating."""
    summaries = summarize_all(rows)
    rating = rate(summaries, limited(np.array(group), len(rows)))
    return (*_errors(summaries, rating, np.zeros(len(rows), dtype=int)), rating.figures.error)


def test_errors_are_pooled_over_the_metrics_without_peers() -> None:
    two, one = [99.0, 101.0], [100.0]
    error, freedom, _ = errors([two, two, two], [0, 1, 2])
    # An interval of 50 %: 2 * 0.67449 errors. Each pair of samples has one degree of freedom.
    assert error == pytest.approx([0.01 / 0.67449] * 3, rel=1e-4)
    assert freedom == pytest.approx([3.0] * 3)
    # A single sample has no scatter to pool, and peers have their own.
    error, freedom, rated = errors([two, one], [0, 1])
    assert error[0] == pytest.approx(0.01 / 0.67449, rel=1e-4)
    assert freedom[0] == pytest.approx(1.0)
    assert np.array_equal(error[1:], rated[1:], equal_nan=True)
    peers = [[90.0, 100.0, 110.0]] * 4
    error, freedom, rated = errors([two, *peers], [0, 1, 1, 1, 1])
    assert error[0] == pytest.approx(0.01 / 0.67449, rel=1e-4)
    assert error[1:] == pytest.approx(rated[1:])


@pytest.mark.parametrize(("factor", "hint"), [(0.995, False), (1.005, True)])
def test_one_of_several_peers_hints_at_a_drift(factor: float, *, hint: bool) -> None:
    """By more than the noise of peers explains in one of twenty checks."""

    def rows(change: float) -> Array:
        peers = alike(150.0, 8)
        peers[5] = 150.0 * (1 + change * np.array([-0.5, 0.0, 0.5]))
        return peers

    from scipy.stats import t  # half a second, which no other test needs

    summaries = summarize_all(rows(0.2))
    rating = rate(summaries, limited(np.zeros(8, dtype=int), 8))
    quantile = float(t.isf(HINTS / 2 / 8, rating.figures.freedom[5]))
    far = quantile * 2**0.5 * float(rating.figures.error[5]) * (2 * 3 / np.pi) ** 0.5
    assert HINTS == 0.05
    summaries = summarize_all(rows(far * factor))
    limits = limited(np.zeros(8, dtype=int), 8)
    hints = _hints_of_drift(summaries, limits, rate(summaries, limits), np.zeros(8, dtype=int))
    assert hints[5] == hint


def test_each_group_of_peers_drifts_by_itself() -> None:
    """In one check a group that rises is not hidden by two that do not."""
    rising = 150 * (1 + 0.02 * np.arange(3))
    rows = np.stack([*[rising * (1 + n / 1000) for n in range(4)], *alike(150.0, 8)])
    limits = limited(np.repeat([0, 1, 2], 4), 12)
    summaries = summarize_all(rows)
    hints = _hints_of_drift(summaries, limits, rate(summaries, limits), np.zeros(12, dtype=int))
    assert hints.tolist() == [True] * 4 + [False] * 8


def test_every_look_has_its_part_of_a_chance() -> None:
    def limits(looks: int) -> Limits:
        one = np.ones(1)
        none = np.zeros(1, dtype=int)
        return Limits(one, one, one > 0, none, none, none, no_ends(1), looks)

    assert limits(1).share(10) == FALSE_ALARMS / QUESTIONS / 10
    assert limits(LOOKS).share(10) * LOOKS == limits(1).share(10)
    assert limits(LOOKS).of_look(0.01) * LOOKS == 0.01


def test_a_campaign_is_stricter_than_its_sign_off() -> None:
    """What stops it must still be decided when later phases have added comparisons."""
    rows = alike(102.5, 4)
    sure = {looks: looked_at(rows, looks=looks)[1] for looks in (1, LOOKS, LOOKS * BETWEEN)}
    assert sum(sure[1]) >= sum(sure[LOOKS]) >= sum(sure[LOOKS * BETWEEN])
    assert sum(sure[1]) > sum(sure[LOOKS * BETWEEN])
