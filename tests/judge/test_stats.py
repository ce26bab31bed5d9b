"""Medians and their intervals."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge import stats
from assay.judge.stats import (
    Array,
    _rises,
    change_error,
    interval_error,
    median_error,
    pool,
    summarize,
    summarize_all,
    threshold,
)


def test_five_samples() -> None:
    summary = summarize([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (summary.median, summary.low, summary.high) == (3.0, 1.0, 5.0)
    assert summary.confidence == 1 - 2 / 2**5
    assert summary.spread == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    # Conover, Practical Nonparametric Statistics, 3rd edition, table A3: ranks of the interval.
    ("count", "rank", "confidence"),
    [
        (1, 1, 0),
        (2, 1, 0.5),
        (6, 1, 0.96875),
        (8, 1, 0.9921875),
        (9, 2, 0.9609375),
        (11, 2, 0.98828125),
        (15, 4, 0.96484375),
    ],
)
def test_the_interval_lies_between_these_order_statistics(
    count: int, rank: int, confidence: float
) -> None:
    summary = summarize([float(n) for n in range(1, count + 1)])
    assert (summary.low, summary.high) == (rank, count + 1 - rank)
    assert summary.confidence == pytest.approx(confidence)


def test_a_long_run_is_summarized_too() -> None:
    summary = summarize([float(n) for n in range(1, 2001)])
    assert 0.95 <= summary.confidence < 0.96
    assert (summary.low, summary.high) == (956, 1045)


def test_nothing_cannot_be_summarized() -> None:
    with pytest.raises(ValueError, match="no samples"):
        summarize([])


@given(st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=60))
def test_the_interval_holds_the_median(samples: list[float]) -> None:
    summary = summarize(samples)
    assert min(samples) <= summary.low <= summary.median <= summary.high <= max(samples)
    assert summary.spread >= 0


@given(st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=60), st.floats(0.1, 10))
def test_the_unit_does_not_matter(samples: list[float], scale: float) -> None:
    one, other = summarize(samples), summarize([value * scale for value in samples])
    assert other.median == pytest.approx(one.median * scale)
    assert other.spread == pytest.approx(one.spread, rel=1e-6, abs=1e-9)


def test_one_wild_sample_makes_no_trend() -> None:
    assert summarize([10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 20.0]).change == 0


def test_a_steady_rise_is_reported_as_a_part_of_the_median() -> None:
    assert summarize([8.0, 9.0, 10.0, 11.0, 12.0]).change == pytest.approx(0.4)


@pytest.mark.parametrize("count", [5, 7, 11, 21])
def test_errors_are_those_of_normal_samples(count: int) -> None:
    samples = np.random.default_rng(count).normal(1000, 10, (20_000, count))
    summaries = summarize_all(samples)
    estimated = float(np.median(median_error(summaries.spread, summaries.count)))
    assert estimated == pytest.approx(np.std(summaries.median) / 1000, rel=0.06)
    estimated = float(change_error(np.median(summaries.wobble), count))
    assert estimated == pytest.approx(np.std(summaries.change), rel=0.2)


def test_the_error_of_a_median_is_that_of_its_formula() -> None:
    # 1.4826 * 0.02 * 7 / (7 - 1.2) * sqrt(pi / 2 / 7)
    assert float(median_error(0.02, 7)) == pytest.approx(0.0169525, rel=1e-5)
    # One sample has no scatter, and its error is finite: 1.4826 * 0.02 * 1 / 0.5 * sqrt(pi / 2).
    assert float(median_error(0.02, 1)) == pytest.approx(0.0743265, rel=1e-5)


def test_the_error_of_a_change_is_that_of_its_formula() -> None:
    # 1.07 * 1.4826 * 0.02 * 7 / (7 - 2.3) * sqrt(12 * 6 / 7 / 8)
    assert float(change_error(0.02, 7)) == pytest.approx(0.0535808, rel=1e-5)


def test_an_interval_of_95_percent_is_3_92_errors_wide() -> None:
    assert float(interval_error(90, 110, 0.95)) == pytest.approx(5.10214, rel=1e-5)


def test_scatter_order_and_second_samples_of_a_row() -> None:
    summaries = summarize_all([[10.0, 14.0, 12.0, 13.0, 18.0]])
    assert summaries.order[0] == pytest.approx(0.6)
    # Theil and Sen: the median of the ten slopes is 7 / 6. Above that line are 10, 12.83, 9.67,
    # 9.5 and 13.33, whose median absolute deviation is 0.5.
    assert summaries.change[0] == pytest.approx(4 * 7 / 6 / 13)
    assert summaries.wobble[0] == pytest.approx(0.5 / 13)
    assert (summaries.second_low[0], summaries.second_high[0]) == (12, 14)


@pytest.mark.parametrize(
    ("samples", "second_low", "second_high"),
    [
        ([5.0], 5, 5),
        ([5.0, 6.0], 5, 6),
        ([5.0, 6.0, 7.0], 6, 6),
        ([5.0, 6.0, 7.0, 8.0], 6, 7),
    ],
)
def test_the_second_smallest_and_largest_of_few_samples(
    samples: list[float], second_low: float, second_high: float
) -> None:
    summaries = summarize_all([samples])
    assert (summaries.second_low[0], summaries.second_high[0]) == (second_low, second_high)


@pytest.mark.parametrize(
    ("samples", "step"),
    [
        ([7.0], 0),
        # Two samples do not show whether they scatter or are printed so coarsely.
        ([7.0, 7.5], 0.5),
        ([7.0, 7.0, 7.5], 0.5),
        ([7.0, 7.5, 8.0], 0),
        ([7.0, 7.0, 7.5, 9.0], 0.5),
        ([7.0, 7.5, 8.0, 9.0], 0),
        # A whole number again and again may be a tool's that prints no decimals.
        ([7.0, 7.0, 7.0], 1),
        ([7.5, 7.5, 7.5], 0),
    ],
)
def test_the_step_in_which_samples_were_printed(samples: list[float], step: float) -> None:
    assert summarize_all([samples]).step.tolist() == [step]


@pytest.mark.parametrize(("at_once", "parts"), [(2**22, [6]), (6, [2, 2, 2])])
def test_so_many_rows_are_compared_at_a_time_as_fit(
    monkeypatch: pytest.MonkeyPatch, at_once: int, parts: list[int]
) -> None:
    """Of three samples there are three pairs."""
    compared = []

    def rises(samples: Array, *places: Any) -> tuple[Array, Array]:
        compared.append(len(samples))
        return _rises(samples, *places)

    monkeypatch.setattr(stats, "_AT_ONCE", at_once)
    monkeypatch.setattr(stats, "_rises", rises)
    summaries = summarize_all([[1.0, 2.0, 3.0]] * 5 + [[3.0, 2.0, 1.0]])
    assert compared == parts
    assert summaries.order.tolist() == [1] * 5 + [-1]
    assert summaries.change.tolist() == [1] * 5 + [-1]


def test_rows_of_any_length_are_summarized_at_once() -> None:
    rows = [[1.0, 2.0, 3.0], [], [5.0], [2.0, 4.0]]
    summaries = summarize_all(rows)
    assert np.array_equal(summaries.median, [2.0, np.nan, 5.0, 3.0], equal_nan=True)
    assert summaries.one(0) == summarize(rows[0])
    assert list(summaries.each()) == [summarize(row) if row else None for row in rows]


@pytest.mark.parametrize(
    # Fisher and Yates, Statistical Tables, 6th edition, table III (one side).
    ("chance", "freedom", "errors"),
    [(0.05, 5, 2.015), (0.005, 10, 3.169), (0.0005, 30, 3.646)],
)
def test_thresholds_are_those_of_student(chance: float, freedom: float, errors: float) -> None:
    assert float(threshold(chance, freedom)) == pytest.approx(errors, abs=5e-4)


def test_the_samples_of_all_peers_show_the_error_of_one_median() -> None:
    level, spread = np.array([990.0, 1000, 1020, 1100]), np.array([0.01, 0.02, 0.02, 0.05])
    pooled = pool(level, spread, np.full(4, 7.0))
    assert pooled.median == 1010
    assert pooled.error == float(median_error(0.02, 7))
    assert pooled.known == 0.37 * 4 * 6
    # One sample of each has no scatter.
    assert pool(level, np.zeros(4), np.ones(4)).known == 1
