"""Medians and their intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import summarize


def test_five_samples() -> None:
    summary = summarize([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (summary.median, summary.low, summary.high) == (3.0, 1.0, 5.0)
    assert summary.confidence == 1 - 2 / 2**5
    assert summary.spread == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    # Conover, Practical Nonparametric Statistics, 3rd edition, table A3: ranks of the interval.
    ("count", "rank", "confidence"),
    [
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
