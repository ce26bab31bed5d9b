"""What has changed since an accepted campaign, and how sure that is."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pytest

from assay.judge.baseline import (
    SLIPS,
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
    rng = np.random.default_rng(7)
    before, after = (rng.normal(1000, 1000 * spread, (SIZE, 7)) for _ in range(2))
    after = after * np.reshape(factor, (-1, 1))
    old, new = summarize_all(before), summarize_all(after)
    return changes([(old, rate(old, LIMITS))], [(new, rate(new, LIMITS))], LIMITS, kinds)


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
    campaigns[single][3] = [800.0 if single else 1250.0]
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


def test_the_variance_between_sessions_is_moderated_by_the_natural_one() -> None:
    one = _Between.of([np.zeros((1, 4)), np.zeros((1, 4))], 0.0, (1, 1))
    # Of one session on either side nothing is known but the prior, 1 %, twice.
    assert one.variance == pytest.approx(2 * 0.01**2)
    assert one.freedom == 16
    deviations = [np.array([[-0.03, 0.03], [0.03, -0.03]]), np.array([[0.0], [0.0]])]
    two = _Between.of(deviations, 0.0, (2, 2))
    # (16 * 0.01^2 + 2 * 0.0018 / 2) / 18, for 1/2 + 1/2 sessions.
    assert two.variance == pytest.approx((16e-4 + 18e-4) / 18)
    assert two.freedom == 18
    # Without what the samples explain: 0.0018 / 2 - 0.0005 / (1/2 + 1/2).
    less = _Between.of(deviations, 0.0005, (2, 2))
    assert less.variance == pytest.approx((16e-4 + 2 * 4e-4) / 18)
    # Which is never less than nothing.
    none = _Between.of(deviations, 0.01, (2, 2))
    assert none.variance == pytest.approx(16e-4 / 18)


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


def test_the_factors_between_units_are_these() -> None:
    assert SLIPS == {
        2**20 / 10**6: "MB/MiB",
        2**30 / 10**9: "GB/GiB",
        8: "bytes/bits",
        1000: "unit prefixes",
        1024: "unit prefixes",
    }


def test_an_interval_has_its_share_of_the_false_alarms() -> None:
    from scipy.stats import t  # half a second, which no other test needs

    row = [985.0, 990, 995, 1000, 1005, 1010, 1015]
    summaries = summarize_all([row] * SIZE)
    rated = (summaries, rate(summaries, LIMITS))
    same = changes([rated], [rated], LIMITS, KINDS)
    # The median absolute deviation of seven, of both campaigns; and two sessions.
    error = 2**0.5 * 1.4826 * 0.010 * 7 / 5.8 * (np.pi / 2 / 7) ** 0.5
    freedom, between = 0.37 * 16 * 6, 2**0.5 * 0.01

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


@pytest.mark.parametrize(("factor", "slip"), [(1.049, "bytes/bits"), (1.054, None)])
def test_a_large_slip_is_suspected_within_five_percent(factor: float, slip: str | None) -> None:
    for times in (8 * factor, 8 / factor):
        summaries = summarize_all([[1000.0] * 7] * SIZE)
        later = summarize_all(np.outer(one_kind(times), [1000.0] * 7))
        old, new = [(summaries, rate(summaries, LIMITS))], [(later, rate(later, LIMITS))]
        assert changes(old, new, LIMITS, KINDS).kinds["Fio MiB/s"].slip == slip


def sessions(count: int, rng: np.random.Generator, factor: float, each: str) -> list[Session]:
    """So many sessions that differ by 1 %, all together or each kind or metric by itself."""
    made = []
    for _ in range(count):
        drift = {
            "whole": np.full(SIZE, rng.normal(0, 0.01)),
            "kind": np.repeat(rng.normal(0, 0.01, 2), SIZE // 2),
            "metric": rng.normal(0, 0.01, SIZE),
        }[each]
        summaries = summarize_all(
            1000 * factor * (1 + drift[:, None]) * rng.normal(1, 0.01, (SIZE, 7))
        )
        made.append((summaries, rate(summaries, LIMITS)))
    return made


def regressions(count: int, times: int, factor: float, each: str) -> int:
    """How many of so many comparisons, of so many sessions on either side, are regressions."""
    rng = np.random.default_rng(17)
    return sum(
        changes(
            sessions(count, rng, 1.0, each), sessions(count, rng, factor, each), LIMITS, KINDS
        ).is_regression
        for _ in range(times)
    )


@pytest.mark.parametrize("each", ["whole", "kind", "metric"])
@pytest.mark.parametrize("count", [1, 3])
def test_sessions_that_differ_by_one_percent_are_not_a_regression(count: int, each: str) -> None:
    assert regressions(count, 60, 1.0, each) <= 1


def test_a_loss_of_three_percent_is_found_with_three_sessions_on_either_side() -> None:
    assert regressions(3, 40, 0.97, "whole") >= 30
    assert regressions(1, 40, 0.97, "whole") <= 20


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
