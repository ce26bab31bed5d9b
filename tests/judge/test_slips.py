"""A change of a kind of figures that a wrong unit explains."""

from dataclasses import replace

import numpy as np
import pytest
from test_baseline import KINDS, LIMITS, SIZE, compared, one_kind

from assay.judge.baseline import SLIPS, Change, changes
from assay.judge.rating import rate
from assay.judge.stats import summarize_all


@pytest.mark.parametrize("factor", [*SLIPS, *(1 / slip for slip in SLIPS)])
def test_a_factor_between_units_is_named(factor: float) -> None:
    kind = compared(one_kind(factor), spread=0.005).kinds["Fio MiB/s"]
    assert kind.slip == SLIPS[factor if factor > 1 else 1 / factor]


def test_a_factor_is_named_only_where_it_fits_and_all_figures_agree() -> None:
    fits = Change(0.07, 0.01, 0.13, metrics=16, tolerated=0.01, apart=0.0735, near=0.002)
    assert fits.slip == "GB/GiB"
    assert replace(fits, low=-0.01).slip is None
    assert replace(fits, agree=False).slip is None
    assert replace(fits, apart=0.09).slip is None


def test_a_kind_is_compared_with_the_others() -> None:
    """Each but one by its own factor: what a wrong unit changes stands apart from all of them."""
    kinds = [kind for kind in ("a", "b", "c", "d") for _ in range(SIZE // 4)]
    factor = np.repeat([0.5, 0.8, 1.0, 1.25], SIZE // 4)
    old = summarize_all([[1000.0] * 7] * SIZE)
    new = summarize_all(np.outer(factor, [1000.0] * 7))
    changed = changes([(old, rate(old, LIMITS))], [(new, rate(new, LIMITS))], LIMITS, kinds)
    apart = {kind: change.apart for kind, change in changed.kinds.items()}
    # Against the median of the other three: 1, 1, 0.8 and 0.8.
    assert apart == pytest.approx({"a": -0.5, "b": -0.2, "c": 0.25, "d": 0.5625})


def test_a_kind_without_others_stands_apart_by_its_own_change() -> None:
    change = compared(8.0, spread=0.001, kinds=["Fio MiB/s"] * SIZE).kinds["Fio MiB/s"]
    assert change.apart == pytest.approx(change.gain)
    assert change.slip == "bytes/bits"


@pytest.mark.parametrize(
    ("apart", "near", "slip"),
    [
        # Small factors: only within the scatter of the samples.
        (1.048576 * 1.01 - 1, 0.011, "MB/MiB"),
        (1.048576 * 1.01 - 1, 0.009, None),
        (1 / 1.048576 / 1.01 - 1, 0.011, "MB/MiB"),
        (1 / 1.048576 / 1.01 - 1, 0.009, None),
        # Without any scatter, exactly by the factor.
        (1.048576 - 1, 0.0, "MB/MiB"),
        # Large ones: within 5 %, whatever the scatter.
        (8 * 1.04 - 1, 0.0, "bytes/bits"),
        (8 * 1.06 - 1, 0.5, None),
        (1000 * 0.96 - 1, 0.0, "unit prefixes"),
    ],
)
def test_how_near_a_factor_is_a_slip(apart: float, near: float, slip: str | None) -> None:
    gained = apart > 0
    change = Change(
        gain=0.07 if gained else -0.07,
        low=0.05 if gained else -0.09,
        high=0.09 if gained else -0.05,
        metrics=16,
        tolerated=0.01,
        apart=apart,
        near=near,
    )
    assert change.slip == slip


@pytest.mark.parametrize("loss", [0.03, 0.04, 0.055, 0.06, 0.08, 0.09])
def test_a_loss_of_some_percent_is_not_a_slip(loss: float) -> None:
    assert compared(one_kind(1 - loss), spread=0.005).kinds["Fio MiB/s"].slip is None


def test_figures_that_do_not_agree_have_no_wrong_unit() -> None:
    """Hosts are slower by 2 to 12 %, which is 6.9 % in the middle."""
    factor = np.append(np.linspace(0.98, 0.882, SIZE // 2), np.ones(SIZE // 2))
    assert compared(factor, spread=0.005).kinds["Fio MiB/s"].slip is None


@pytest.mark.parametrize("factor", [1.2, 2.0, 0.5, 0.8])
def test_another_factor_is_not_a_slip(factor: float) -> None:
    assert compared(one_kind(factor)).kinds["Fio MiB/s"].slip is None


def test_the_factors_between_units_are_these() -> None:
    assert SLIPS == {
        2**20 / 10**6: "MB/MiB",
        2**30 / 10**9: "GB/GiB",
        8: "bytes/bits",
        1000: "unit prefixes",
        1024: "unit prefixes",
    }


@pytest.mark.parametrize(("factor", "slip"), [(1.049, "bytes/bits"), (1.054, None)])
def test_a_large_slip_is_suspected_within_five_percent(factor: float, slip: str | None) -> None:
    for times in (8 * factor, 8 / factor):
        summaries = summarize_all([[1000.0] * 7] * SIZE)
        later = summarize_all(np.outer(one_kind(times), [1000.0] * 7))
        old, new = [(summaries, rate(summaries, LIMITS))], [(later, rate(later, LIMITS))]
        assert changes(old, new, LIMITS, KINDS).kinds["Fio MiB/s"].slip == slip
