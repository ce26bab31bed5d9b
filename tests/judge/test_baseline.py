"""What has changed since an accepted campaign, and how sure that is."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from assay.judge.baseline import SLIPS, Change, Changes, changes
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
    return changes((old, rate(old, LIMITS)), (new, rate(new, LIMITS)), LIMITS, kinds)


def one_kind(factor: float) -> Array:
    return np.repeat([factor, 1.0], SIZE // 2)


def test_the_same_again_is_no_change() -> None:
    found = compared(1.0)
    assert found.campaign is not None
    assert not found.campaign.is_loss
    assert not found.campaign.is_undecided
    assert not found.is_regression


def test_a_loss_everywhere_is_seen_though_no_metric_shows_it() -> None:
    found = compared(0.95, spread=0.03)
    assert found.campaign is not None
    assert found.campaign.is_loss
    assert found.campaign.gain == pytest.approx(-0.05, abs=0.01)
    assert found.losses.sum() < SIZE / 8


def test_a_loss_of_one_kind_is_told_of_that_kind() -> None:
    found = compared(one_kind(0.9))
    assert found.kinds["Fio MiB/s"].is_loss
    assert not found.kinds["Mdtest op/s"].is_loss


def test_one_metric_that_is_much_slower_is_a_regression() -> None:
    factor = np.ones(SIZE)
    factor[3] = 0.7
    found = compared(factor)
    assert found.losses.tolist() == [row == 3 for row in range(SIZE)]
    assert found.is_regression
    change = found.metric(3)
    assert change is not None
    assert change.low < -0.3 < change.high < 0


@pytest.mark.parametrize("single", [0, 1], ids=["before", "after"])
def test_a_metric_of_one_sample_is_compared_by_the_scatter_of_its_peers(single: int) -> None:
    rng = np.random.default_rng(7)
    campaigns = [[list(row) for row in rng.normal(1000, 20, (SIZE, 7))] for _ in range(2)]
    campaigns[single][3] = [800.0 if single else 1250.0]
    old, new = (summarize_all(rows) for rows in campaigns)
    found = changes((old, rate(old, LIMITS)), (new, rate(new, LIMITS)), LIMITS, KINDS)
    assert found.losses.tolist() == [row == 3 for row in range(SIZE)]
    assert found.kinds[KINDS[3]].metrics == SIZE // 2


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
    found = changes((old, rate(old, limits)), (new, rate(new, limits)), limits, ["us"])
    assert found.gain[0] == pytest.approx(1.0)


@pytest.mark.parametrize("factor", [*SLIPS, *(1 / slip for slip in SLIPS)])
def test_a_factor_between_units_is_named(factor: float) -> None:
    kind = compared(one_kind(factor), spread=0.005).kinds["Fio MiB/s"]
    assert kind.slip == SLIPS[factor if factor > 1 else 1 / factor]


def test_a_factor_that_is_not_sure_is_no_slip() -> None:
    sure = Change(0.0486, low=0.01, high=0.09, metrics=16, tolerated=0.02, apart=0.0486)
    assert sure.slip == "MB/MiB"
    assert replace(sure, low=-0.01).slip is None


@pytest.mark.parametrize("factor", [1.2, 2.0, 0.5, 0.8])
def test_another_factor_is_no_slip(factor: float) -> None:
    assert compared(one_kind(factor)).kinds["Fio MiB/s"].slip is None


def test_in_much_noise_a_small_loss_stays_open() -> None:
    found = compared(0.97, spread=0.3)
    assert found.campaign is not None
    assert not found.campaign.is_loss
    assert found.campaign.is_undecided


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
    found = changes((old, rate(old, limits)), (new, rate(new, limits)), limits, ["a", "a"])
    assert found.campaign is None
    assert found.metric(0) is None
    assert found.comparisons == 0


def test_equals_that_differ_by_themselves_tell_the_scatter_of_each_as_well() -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(1000, 20, (SIZE, 7))
    apart = np.tile([0.97, 1.03, 0.97, 1.03, 1.0, 1.0, 0.96, 1.04], SIZE // 8)
    limits = replace(LIMITS, group=np.repeat(np.arange(SIZE // 4), 4))
    reaches = []
    for factors in (np.ones(SIZE), apart):
        found = summarize_all(rows * factors[:, None])
        rated = (found, rate(found, limits))
        reaches.append(changes(rated, rated, limits, KINDS).reach)
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
    row = [985.0, 990, 995, 1000, 1005, 1010, 1015]
    found = summarize_all([row] * SIZE)
    rated = (found, rate(found, LIMITS))
    same = changes(rated, rated, LIMITS, KINDS)
    # The median absolute deviation of seven, of both campaigns.
    error = 2**0.5 * 1.4826 * 0.010 * 7 / 5.8 * (np.pi / 2 / 7) ** 0.5
    freedom = 0.37 * 16 * 6
    share = 1 / 200 / 4 / 3
    assert same.reach[0] == pytest.approx(t.isf(share / SIZE, freedom) * error)
    assert same.campaign is not None
    of_all = t.isf(share, freedom * SIZE) * error * 1.2533 / SIZE**0.5
    assert (same.campaign.low, same.campaign.high) == pytest.approx((-of_all, of_all))
    of_kind = t.isf(share / 2, freedom * 16) * error * 1.2533 / 16**0.5
    assert same.kinds["Fio MiB/s"].high == pytest.approx(of_kind)


@pytest.mark.parametrize(("factor", "slip"), [(1.019, "bytes/bits"), (1.021, None)])
def test_a_slip_is_suspected_within_two_percent(factor: float, slip: str | None) -> None:
    for times in (8 * factor, 8 / factor):
        found = summarize_all([[1000.0] * 7] * SIZE)
        later = summarize_all(np.outer(one_kind(times), [1000.0] * 7))
        old, new = (found, rate(found, LIMITS)), (later, rate(later, LIMITS))
        assert changes(old, new, LIMITS, KINDS).kinds["Fio MiB/s"].slip == slip
