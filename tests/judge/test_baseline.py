"""What has changed since an accepted campaign, and how sure that is."""

from dataclasses import replace

import numpy as np
import pytest

from assay.judge.baseline import SLIPS, Change, Changes, Session, changes
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
