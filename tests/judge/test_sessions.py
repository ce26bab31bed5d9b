"""How much sessions differ by themselves, and what several on either side can decide."""

import numpy as np
import pytest
from test_baseline import KINDS, LIMITS, SIZE

from assay.judge.baseline import Session, _Between, changes
from assay.judge.rating import rate
from assay.judge.stats import summarize_all


def test_the_variance_between_sessions_is_moderated_by_the_natural_one() -> None:
    one = _Between.of([np.zeros((1, 4)), np.zeros((1, 4))], 0.0, (1, 1))
    # Of one session on either side nothing is known but the prior, 3 %, twice.
    assert one.variance == pytest.approx(2 * 0.03**2)
    assert one.freedom == 16
    # One session is as good as none to know how sessions differ, whatever is on the other side.
    assert _Between.of([np.zeros((1, 4)), np.zeros((3, 4))], 0.0, (1, 3)).variance > 0.001
    deviations = [np.array([[-0.03, 0.03], [0.03, -0.03]]), np.array([[0.0], [0.0]])]
    two = _Between.of(deviations, 0.0, (2, 2))
    # (6 * 0.015^2 + 2 * 0.0018 / 2) / 8, for 1/2 + 1/2 sessions.
    assert two.variance == pytest.approx((13.5e-4 + 18e-4) / 8)
    assert two.freedom == 8
    # Without what the samples explain: 0.0018 / 2 - 0.0005 / (1/2 + 1/2).
    less = _Between.of(deviations, 0.0005, (2, 2))
    assert less.variance == pytest.approx((13.5e-4 + 2 * 4e-4) / 8)
    # Which is never less than nothing.
    none = _Between.of(deviations, 0.01, (2, 2))
    assert none.variance == pytest.approx(13.5e-4 / 8)


def test_the_error_of_samples_adds_to_that_between_sessions() -> None:
    variance, freedom = _Between(0.0002, 16.0).and_error(np.array([0.01]), np.array([42.0]))
    assert variance[0] == pytest.approx(0.0003)
    assert freedom[0] == pytest.approx(0.0003**2 / (0.0002**2 / 16 + 0.01**4 / 42))
    assert _Between(0.0, 16.0).and_error(np.array([0.01]), np.array([0.5]))[1][0] == 1


def test_sessions_are_averaged_and_one_may_lack_a_metric() -> None:
    def session(level: float, *, lacks: int | None = None) -> Session:
        rows = [[] if row == lacks else [level] * 7 for row in range(SIZE)]
        summaries = summarize_all(rows)
        return summaries, rate(summaries, LIMITS)

    before = [session(1000.0), session(1000.0, lacks=3)]
    changed = changes(before, [session(1100.0), session(1210.0)], LIMITS, KINDS)
    # The geometric mean of 1100 and 1210, over 1000.
    assert changed.gain == pytest.approx(np.full(SIZE, 1.1**1.5 - 1))
    assert changed.sessions == (2, 2)


def sessions(
    count: int, rng: np.random.Generator, factor: float, each: str, spread: float = 0.01
) -> list[Session]:
    """So many sessions that differ, all together or each kind or metric by itself."""
    made = []
    for _ in range(count):
        drift = {
            "whole": np.full(SIZE, rng.normal(0, spread)),
            "kind": np.repeat(rng.normal(0, spread, 2), SIZE // 2),
            "metric": rng.normal(0, spread, SIZE),
        }[each]
        summaries = summarize_all(
            1000 * factor * (1 + drift[:, None]) * rng.normal(1, 0.01, (SIZE, 7))
        )
        made.append((summaries, rate(summaries, LIMITS)))
    return made


def regressions(count: int, times: int, factor: float, each: str, spread: float = 0.01) -> int:
    """How many of so many comparisons, of so many sessions on either side, are regressions."""
    rng = np.random.default_rng(17)
    return sum(
        changes(
            sessions(count, rng, 1.0, each, spread),
            sessions(count, rng, factor, each, spread),
            LIMITS,
            KINDS,
        ).is_regression
        for _ in range(times)
    )


@pytest.mark.parametrize("each", ["whole", "kind", "metric"])
@pytest.mark.parametrize("count", [1, 3])
def test_sessions_that_differ_by_one_percent_are_not_a_regression(count: int, each: str) -> None:
    assert regressions(count, 60, 1.0, each) <= 1


@pytest.mark.parametrize("each", ["whole", "kind", "metric"])
def test_single_sessions_that_differ_by_three_percent_are_not_a_regression(each: str) -> None:
    assert regressions(1, 60, 1.0, each, 0.03) <= 1


@pytest.mark.parametrize("each", ["whole", "kind", "metric"])
def test_three_sessions_that_differ_by_two_percent_are_rarely_a_regression(each: str) -> None:
    assert regressions(3, 60, 1.0, each, 0.02) <= 2


def test_a_loss_of_five_percent_is_found_with_three_sessions_on_either_side() -> None:
    assert regressions(3, 40, 0.95, "whole") >= 30
    assert regressions(1, 40, 0.97, "whole") <= 2
    assert regressions(1, 40, 0.8, "whole") >= 35


def test_what_sessions_show_of_their_differences_counts() -> None:
    rng = np.random.default_rng(19)
    reach = {}
    for spread in (0.001, 0.05):
        side = []
        for drift in rng.normal(0, spread, 6):
            summaries = summarize_all(1000 * (1 + drift) * rng.normal(1, 0.002, (SIZE, 7)))
            side.append((summaries, rate(summaries, LIMITS)))
        whole = changes(side[:3], side[3:], LIMITS, KINDS).campaign
        assert whole is not None
        reach[spread] = whole.gain - whole.low
    assert reach[0.05] > 2 * reach[0.001]
