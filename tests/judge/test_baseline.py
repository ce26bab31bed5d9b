"""What has changed since an accepted campaign, and how sure that is."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pytest

from assay.judge.baseline import (
    Change,
    Changes,
    Session,
    _Between,
    _together,
    changes,
)
from assay.judge.limits import Limits, no_ends
from assay.judge.rating import rate
from assay.judge.stats import Array, summarize_all

SIZE = 32
KINDS = ["Fio MiB/s"] * (SIZE // 2) + ["Mdtest op/s"] * (SIZE // 2)
NOWHERE = np.full(SIZE, np.nan)
LIMITS = Limits(
    best=NOWHERE,
    worst=NOWHERE,
    more=np.ones(SIZE, dtype=bool),
    group=np.repeat([0, 1], SIZE // 2),
    subject=np.arange(SIZE),
    host=np.arange(SIZE),
    ends=no_ends(SIZE),
)


def compared(factor: float | Array, spread: float = 0.02, kinds: list[str] = KINDS) -> Changes:
    """Three sessions on either side, the later ones so many times as good."""
    rng = np.random.default_rng(7)
    sides: list[list[Session]] = [[], []]
    for times, sessions in zip((1.0, np.reshape(factor, (-1, 1))), sides, strict=True):
        for _ in range(3):
            summaries = summarize_all(rng.normal(1000, 1000 * spread, (SIZE, 7)) * times)
            sessions.append((summaries, rate(summaries, LIMITS)))
    return changes(*sides, LIMITS, kinds)


def one_kind(factor: float) -> Array:
    return np.repeat([factor, 1.0], SIZE // 2)


def test_the_same_again_is_not_a_change() -> None:
    changed = compared(1.0)
    assert changed.campaign is not None
    assert not changed.campaign.is_loss
    assert not changed.campaign.is_undecided
    assert not changed.is_regression


def test_a_loss_everywhere_is_seen_though_no_metric_shows_it() -> None:
    changed = compared(0.95, spread=0.03)
    assert changed.campaign is not None
    assert changed.campaign.is_loss
    assert changed.campaign.gain == pytest.approx(-0.05, abs=0.01)
    assert changed.losses.sum() < SIZE / 8


def test_a_loss_of_one_kind_is_reported_for_that_kind() -> None:
    changed = compared(one_kind(0.9))
    assert changed.kinds["Fio MiB/s"].is_loss
    assert not changed.kinds["Mdtest op/s"].is_loss


def test_one_metric_that_is_much_slower_is_a_regression() -> None:
    factor = np.ones(SIZE)
    factor[3] = 0.7
    changed = compared(factor)
    assert changed.losses.tolist() == [row == 3 for row in range(SIZE)]
    assert changed.is_regression
    change = changed.metric(3)
    assert change is not None
    assert change.low < -0.3 < change.high < 0
    assert change.metrics == 1


@pytest.mark.parametrize("single", [0, 1], ids=["before", "after"])
def test_a_metric_of_one_sample_is_compared_by_the_scatter_of_its_peers(single: int) -> None:
    rng = np.random.default_rng(7)
    campaigns = [[list(row) for row in rng.normal(1000, 20, (SIZE, 7))] for _ in range(2)]
    campaigns[single][3] = [600.0 if single else 1700.0]
    old, new = (summarize_all(rows) for rows in campaigns)
    changed = changes([(old, rate(old, LIMITS))], [(new, rate(new, LIMITS))], LIMITS, KINDS)
    assert changed.losses.tolist() == [row == 3 for row in range(SIZE)]
    assert changed.kinds[KINDS[3]].metrics == SIZE // 2


def test_less_time_is_a_gain() -> None:
    old, new = (summarize_all(np.full((1, 7), value)) for value in (10.0, 5.0))
    limits = Limits(
        NOWHERE[:1],
        NOWHERE[:1],
        np.array([False]),
        np.zeros(1, int),
        np.zeros(1, int),
        np.zeros(1, int),
        no_ends(1),
    )
    changed = changes([(old, rate(old, limits))], [(new, rate(new, limits))], limits, ["us"])
    assert changed.gain[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("gain", "low", "high", "outcome"),
    [
        (-0.011, -0.02, -0.001, "loss"),
        (-0.010, -0.02, -0.001, "same"),
        (-0.011, -0.02, 0.0, "same"),
        (0.011, 0.001, 0.02, "gain"),
        (0.010, 0.001, 0.02, "same"),
        (0.011, 0.0, 0.02, "same"),
        # HIDDEN_TOGETHER
        (0.0, -0.05, 0.05, "same"),
        (0.0, -0.051, 0.05, "undecided"),
        (-0.02, -0.051, -0.001, "loss"),
    ],
)
def test_a_change_of_many_figures_is_one_of_these(
    gain: float, low: float, high: float, outcome: str
) -> None:
    change = Change(gain, low, high, metrics=16, tolerated=0.01)
    assert change.is_loss == (outcome == "loss")
    assert change.is_gain == (outcome == "gain")
    assert change.is_undecided == (outcome == "undecided")


def test_twice_what_is_tolerated_may_hide_in_one_metric() -> None:
    change = Change(0.0, -0.101, 0.1, metrics=1, tolerated=0.05)
    assert change.is_undecided
    assert not replace(change, low=-0.1).is_undecided


def test_a_single_metric_is_worse_beyond_tolerance_and_error() -> None:
    gain = np.array([-0.05, -0.051, -0.06, -0.07, np.nan])
    reach = np.array([0.01, 0.01, 0.06, 0.06, np.nan])
    changed = Changes(None, {}, gain, reach)
    assert changed.losses.tolist() == [False, True, False, True, False]
    assert changed.comparisons == 4
    assert changed.is_regression
    assert not Changes(None, {}, gain[:1], reach[:1]).is_regression
    one = changed.metric(3)
    assert one is not None
    assert (one.gain, one.low, one.high) == pytest.approx((-0.07, -0.13, -0.01))
    assert (one.metrics, one.tolerated) == (1, 0.05)


def test_all_comparisons_are_counted() -> None:
    assert compared(1.0).comparisons == SIZE + 2 + 1


@pytest.mark.parametrize("loss", ["campaign", "kind"])
def test_a_loss_at_any_level_is_a_regression(loss: str) -> None:
    same, worse = (Change(gain, -0.03, -0.001, SIZE, 0.01) for gain in (0.0, -0.02))
    level = np.zeros(SIZE)
    kinds: dict[Hashable, Change] = {"Fio MiB/s": worse if loss == "kind" else same}
    whole = worse if loss == "campaign" else same
    assert Changes(whole, kinds, level, level).is_regression
    assert not Changes(same, {"Fio MiB/s": same}, level, level).is_regression


@pytest.mark.parametrize("level", ["campaign", "kind", "metric"])
def test_a_loss_that_may_hide_at_any_level_leaves_it_undecided(level: str) -> None:
    same, wide = (Change(0.0, low, -low, SIZE, 0.01) for low in (-0.03, -0.06))
    kinds: dict[Hashable, Change] = {"Fio MiB/s": wide if level == "kind" else same}
    gain, reach = np.array([-0.06 if level == "metric" else 0.0]), np.array([0.2])
    whole = wide if level == "campaign" else same
    assert Changes(whole, kinds, gain, reach).is_undecided
    assert not Changes(same, {"Fio MiB/s": same}, np.array([-0.04]), reach).is_undecided


@pytest.mark.parametrize(("reach", "known"), [(0.49, True), (0.5, False), (95.0, False)])
def test_an_interval_says_something_up_to_half(reach: float, *, known: bool) -> None:
    assert Change(-0.94, -0.94 - reach, -0.94 + reach, 1, 0.05).is_known == known


def test_in_much_noise_a_small_loss_stays_open() -> None:
    changed = compared(0.97, spread=0.3)
    assert changed.campaign is not None
    assert not changed.campaign.is_loss
    assert changed.campaign.is_undecided


def test_what_one_campaign_lacks_is_not_compared() -> None:
    old, new = summarize_all([[1.0] * 7, []]), summarize_all([[], [1.0] * 7])
    limits = Limits(
        NOWHERE[:2],
        NOWHERE[:2],
        np.ones(2, bool),
        np.zeros(2, int),
        np.arange(2),
        np.arange(2),
        no_ends(2),
    )
    changed = changes([(old, rate(old, limits))], [(new, rate(new, limits))], limits, ["a", "a"])
    assert changed.campaign is None
    assert changed.metric(0) is None
    assert changed.comparisons == 0


def test_peers_that_differ_by_themselves_tell_the_scatter_of_each_as_well() -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(1000, 20, (SIZE, 7))
    apart = np.tile([0.97, 1.03, 0.97, 1.03, 1.0, 1.0, 0.96, 1.04], SIZE // 8)
    limits = replace(LIMITS, group=np.repeat(np.arange(SIZE // 4), 4))
    reaches = []
    for factors in (np.ones(SIZE), apart):
        summaries = summarize_all(rows * factors[:, None])
        rated = (summaries, rate(summaries, limits))
        reaches.append(changes([rated], [rated], limits, KINDS).reach)
    assert reaches[1] == pytest.approx(reaches[0], rel=0.3)


def test_an_interval_has_its_share_of_the_false_alarms() -> None:
    from scipy.stats import t  # half a second, which no other test needs

    row = [985.0, 990, 995, 1000, 1005, 1010, 1015]
    summaries = summarize_all([row] * SIZE)
    rated = (summaries, rate(summaries, LIMITS))
    same = changes([rated], [rated], LIMITS, KINDS)
    # The median absolute deviation of seven, of both campaigns; and two sessions.
    error = 2**0.5 * 1.4826 * 0.010 * 7 / 5.8 * (np.pi / 2 / 7) ** 0.5
    freedom, between = 0.37 * 16 * 6, 2**0.5 * 0.03

    def far(chance: float, error: float, freedom: float) -> float:
        variance = error**2 + between**2
        known = variance**2 / (error**4 / freedom + between**4 / 16)
        return float(t.isf(chance, known) * variance**0.5)

    assert same.reach[0] == pytest.approx(far(1 / 400 / SIZE, error, freedom))
    assert same.campaign is not None
    of_all = far(1 / 100, error * 1.2533 / SIZE**0.5, freedom * SIZE)
    assert (same.campaign.low, same.campaign.high) == pytest.approx((-of_all, of_all))
    of_kind = far(1 / 200 / 2, error * 1.2533 / 16**0.5, freedom * 16)
    assert same.kinds["Fio MiB/s"].high == pytest.approx(of_kind)


@pytest.mark.parametrize(("apart", "agree"), [(0.0106, True), (0.0108, False)])
def test_changes_agree_as_far_as_their_errors_explain(apart: float, *, agree: bool) -> None:
    # 0.01 * (1 + 2 / sqrt(2 * 0.37 * 16)) / 1.4826 = 0.010665, for 16 figures about their median.
    gain = np.tile([apart, -apart], 8)
    error, freedom, rows = np.full(16, 0.01), np.full(16, 9.0), np.arange(16)
    for centre in (0.0, 0.2, -0.2):
        moved = centre + gain * (1 + centre)
        change = _together(moved, error, freedom, rows, _Between(0.0, 16.0), 0.01)
        assert change.agree == agree


@pytest.mark.parametrize(("count", "of_middle"), [(1, 1.0), (2, 1.0), (3, 1.2533), (4, 1.2533)])
def test_of_up_to_two_figures_the_median_is_the_mean(count: int, of_middle: float) -> None:
    from scipy.stats import t  # half a second, which no other test needs

    for of_each, known in ((9.0, 9.0 * count), (0.1, 1.0)):
        gain, error, freedom = np.zeros(count), np.full(count, 0.01), np.full(count, of_each)
        change = _together(gain, error, freedom, np.arange(count), _Between(0.0, 16.0), 0.01)
        near = float(t.isf(0.01, known)) * 0.01 * of_middle / count**0.5
        assert change.near == pytest.approx(near, rel=1e-4)
