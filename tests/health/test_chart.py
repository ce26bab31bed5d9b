"""The control chart: deviations of families, their limits, and what is worse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.health.chart import (
    FEWEST,
    LEAST,
    REFERENCE,
    WEIGHT,
    Signals,
    averages,
    deviations,
    reference,
    scatter,
    signals,
    steps,
)
from assay.health.families import Charted, families
from assay.judge.stats import Array, summarize_all

HOSTS, METRICS = 6, ("read", "write")
CHARTED = [
    Charted(metric, "Disk", f"s{host}", (f"s{host}",))
    for host in range(HOSTS)
    for metric in METRICS
]
OF = families(CHARTED)
FINE = np.zeros(len(CHARTED))
HOST_2 = [row for row, each in enumerate(CHARTED) if each.subject == "s2"]


def history(nights: int, spread: float = 0.01, seed: int = 1) -> Array:
    """Logarithms of the figures of some nights."""
    noise = np.random.default_rng(seed).normal(0, spread, (nights, len(CHARTED)))
    return np.asarray(np.log(2000.0) + noise)


def judged(figures: Array, tonight: Array, coarse: Array = FINE) -> Signals:
    levels = reference(figures)
    now = deviations(tonight[None], levels, OF)[0]
    return signals(deviations(figures, levels, OF), now, OF, coarse)


def worse(shown: Signals) -> set[tuple[str, object]]:
    return {
        (OF.members[number].level, OF.members[number].name)
        for number in np.flatnonzero(shown.worse).tolist()
    }


def lasting(loss: float, rows: list[int], nights: int, spread: float = 0.01) -> Signals:
    """What is shown after so many nights of a loss, the last of them tonight."""
    figures = history(20 + nights, spread)
    figures[20:, rows] += np.log1p(-loss)
    return judged(figures[:-1], figures[-1])


def test_sound_nights_show_nothing() -> None:
    figures = history(60)
    for night in range(FEWEST, 60):
        shown = judged(figures[:night], figures[night])
        assert not (shown.worse | shown.faster).any(), night


def test_a_lasting_loss_of_ten_percent_is_found_within_five_nights_and_named() -> None:
    assert ("host", "s2") in worse(lasting(0.10, HOST_2, 5))
    assert {name for level, name in worse(lasting(0.10, HOST_2, 5)) if level == "host"} == {"s2"}


def test_a_loss_of_one_metric_is_not_one_of_its_host() -> None:
    assert worse(lasting(0.2, HOST_2[:1], 5)) == {("metric", HOST_2[0])}


@pytest.mark.parametrize(("loss", "worse_expected"), [(0.04, False), (0.07, True)])
def test_a_loss_counts_from_five_percent_on(loss: float, worse_expected: bool) -> None:
    assert (("host", "s2") in worse(lasting(loss, HOST_2, 10, spread=0.002))) is worse_expected


def test_a_loss_that_all_share_is_that_of_their_kind() -> None:
    every = list(range(len(CHARTED)))
    assert worse(lasting(0.15, every, 5)) == {("kind", "read"), ("kind", "write")}


def test_a_slow_decay_has_nothing_to_hide_in() -> None:
    """A reference that followed it would be 4 % lower each fortnight, and never be left."""
    figures = history(80)
    figures[REFERENCE:, HOST_2] += np.log1p(-0.003) * np.arange(80 - REFERENCE)[:, None]
    assert ("host", "s2") in worse(judged(figures[:-1], figures[-1]))


def test_the_reference_is_the_median_of_the_first_nights_that_have_a_figure() -> None:
    figures = np.zeros((80, len(CHARTED)))
    figures[REFERENCE:] = -1.0
    figures[:5, 0] = np.nan
    assert (reference(figures)[1:] == 0).all()
    figures[:, 0] = np.where(np.arange(80) < 5, np.nan, np.arange(80))
    assert reference(figures)[0] == 5 + (REFERENCE - 1) / 2


def test_what_was_repaired_is_no_alarm_tonight() -> None:
    figures = history(30)
    figures[20:29, HOST_2] += np.log1p(-0.3)
    shown = judged(figures[:-1], figures[-1])
    assert float(np.nanmin(shown.average)) < -0.1, "the average still shows it"
    assert worse(shown) == set()


@pytest.mark.parametrize(("nights", "ready"), [(FEWEST - 1, False), (FEWEST, True)])
def test_a_short_history_judges_nothing(nights: int, ready: bool) -> None:
    shown = judged(history(nights), history(1, seed=2)[0] + np.log(0.5) * (FINE == 0))
    assert np.isfinite(shown.limit).all() == ready
    assert shown.worse.any() == ready


@pytest.mark.parametrize(("gain", "faster_expected"), [(1.2, False), (1.4, True)])
def test_a_figure_that_is_far_too_good_is_not_one_of_this_hardware(
    gain: float, faster_expected: bool
) -> None:
    tonight = history(1, seed=2)[0]
    tonight[HOST_2[0]] += np.log(gain)
    assert judged(history(20), tonight).faster.any() == faster_expected


def test_noisy_families_have_wide_limits() -> None:
    quiet, noisy = (judged(history(20, spread), history(1)[0]).limit for spread in (0.01, 0.1))
    assert (quiet[1:] < noisy[1:]).all()
    assert np.nanmin(quiet) == pytest.approx(LEAST)


def test_nights_that_are_alike_have_wide_limits() -> None:
    """The same variance in another order: as for a series of first order with 0.8."""
    steady = np.random.default_rng(5).normal(0, 0.05, (1500, len(CHARTED)))
    alike = steady.copy()
    for night in range(1, len(alike)):
        alike[night] = 0.8 * alike[night - 1] + 0.6 * steady[night]
    metric = [number for number, each in enumerate(OF.members) if each.level == "metric"]
    seen, theory = [], []
    for figures, expected in ((steady, 0.0), (alike, 0.8)):
        kept = float(np.median(scatter(deviations(figures, FINE, OF), OF)[2][metric]))
        assert kept == pytest.approx(expected, abs=0.06)
        average, of_reference = WEIGHT / (2 - WEIGHT), np.pi / 2 / REFERENCE
        faded = kept * (1 - WEIGHT)
        average *= (1 + faded) / (1 - faded)
        theory.append(average + of_reference * (1 + kept) / (1 - kept))
        seen.append(float(np.median(judged(figures, FINE).limit[metric])))
    assert seen[1] / seen[0] == pytest.approx((theory[1] / theory[0]) ** 0.5, rel=0.03)


def test_a_family_that_was_quiet_by_chance_is_held_to_the_scatter_of_the_others() -> None:
    figures = history(20, 0.05)
    figures[:, HOST_2] = np.log(2000.0)
    limits = judged(figures, history(1, 0.05)[0]).limit
    numbers = [n for n, each in enumerate(OF.members) if each.level == "host"]
    (own,) = [n for n in numbers if OF.members[n].name == "s2"]
    assert limits[own] > 0.8 * np.median(limits[numbers])


def test_a_fault_of_the_past_does_not_widen_the_limits_of_its_family() -> None:
    figures = history(40)
    figures[25:, HOST_2] += np.log1p(-0.3)
    assert ("host", "s2") in worse(judged(figures[:-1], figures[-1]))


def test_a_step_of_the_printed_figures_is_no_loss() -> None:
    tonight = history(1, seed=2)[0]
    tonight[HOST_2[0]] += np.log(0.8)
    lost = judged(history(20), tonight, FINE)
    coarse = judged(history(20), tonight, np.full(len(CHARTED), 0.3))
    assert lost.limit[-1] == pytest.approx(LEAST)
    assert coarse.limit[-1] == pytest.approx(0.45)


def test_the_step_is_that_of_a_kind() -> None:
    rows = [
        [7.0, 8.0, 7.0, 7.0, 8.0] if each.kind == "read" else [7.1, 7.3, 7.2] for each in CHARTED
    ]
    printed_steps = steps(summarize_all(rows), OF)
    assert printed_steps[0::2] == pytest.approx(1 / 7)
    assert (printed_steps[1::2] == 0).all()


def test_a_night_without_figures_changes_nothing() -> None:
    figures = history(30)
    with_gap = np.insert(figures, 20, np.nan, axis=0)
    shown, again = (judged(each[:-1], each[-1]) for each in (figures, with_gap))
    assert shown.average == pytest.approx(again.average)
    assert shown.limit == pytest.approx(again.limit, rel=0.1)


def test_a_family_needs_half_of_its_figures() -> None:
    tonight = history(1, seed=2)
    tonight[0, HOST_2] = np.nan
    tonights = deviations(tonight, reference(history(20)), OF)[0]
    absent = {OF.members[number].name for number in np.flatnonzero(np.isnan(tonights)).tolist()}
    assert absent == {"s2", *HOST_2}


def test_the_average_weighs_tonight() -> None:
    assert averages(np.array([[1.0], [0.0], [np.nan]]))[:, 0].tolist() == pytest.approx(
        [WEIGHT, WEIGHT * (1 - WEIGHT), WEIGHT * (1 - WEIGHT)]
    )


@given(
    factor=st.floats(1e-6, 1e6),
    order=st.permutations(range(HOSTS)),
    loss=st.floats(0.0, 0.5),
)
def test_neither_units_nor_the_order_of_hosts_matter(
    factor: float, order: list[int], loss: float
) -> None:
    figures = history(20)
    figures[14:, HOST_2] += np.log1p(-loss)
    rows = np.array([len(METRICS) * host + n for host in order for n in range(len(METRICS))])
    plain = judged(figures[:-1], figures[-1])
    moved = judged(figures[:-1, rows] + np.log(factor), figures[-1, rows] + np.log(factor))
    kinds = [number for number, each in enumerate(OF.members) if each.level == "kind"]
    assert moved.tonight[kinds] == pytest.approx(plain.tonight[kinds], abs=1e-9)
    assert sorted(moved.average) == pytest.approx(sorted(plain.average), abs=1e-9)
    assert moved.worse.sum() == plain.worse.sum()
