"""Each threshold of the rating from both sides: a little less is one verdict, more another."""

from collections.abc import Callable

import numpy as np
import pytest

from assay.judge.rating import Rating
from assay.judge.verdict import Verdict
from ratings import NOTHING, alone, among, last, rated

LITTLE = 0.002
"""How far beside a threshold, relative to it."""


def drifting(change: float, order: float = 1.0, **more: float) -> Verdict:
    """The verdict of one metric that changes, among seven that do not."""
    return last(rated([1000.0] * 8, change=[0.0] * 7 + [change], order=[0.0] * 7 + [order], **more))


def all_near_their_floor(figure: float, step: float = 0.0) -> Verdict:
    """The verdict of one of eight metrics whose samples lie on either side of the floor, 1000."""
    return last(rated([figure] * 8, worst=1000, low=figure - 1, high=1001, spread=0.001, step=step))


def warming_up(change: float, order: float) -> Verdict:
    """The verdict of one of eight metrics that all change, and are far from a line."""
    return last(rated([1000.0] * 8, change=change, order=order, wobble=1.0))


def ailing(figure: float, *, spread: float = 0.05, of_one: bool = True) -> Verdict:
    """The verdict of four metrics of one host of eight; `of_one`: all are known to be of it."""
    hosts, metrics = range(8), range(4)
    rating = rated(
        [figure if host == 7 else 1000.0 for _ in metrics for host in hosts],
        spread=spread,
        group=[metric for metric in metrics for _ in hosts],
        subject=[host if of_one else metric * 8 + host for metric in metrics for host in hosts],
    )
    (verdict,) = set(rating.verdict[7::8])
    return Verdict(str(verdict))


Below, Open, Unrated, Pass = Verdict.BELOW, Verdict.UNSTEADY, Verdict.UNRATED, Verdict.PASS
TooGood = Verdict.IMPLAUSIBLE


@pytest.mark.parametrize(
    ("judged", "threshold", "under", "over"),
    [
        # SLOWER, where what is natural is less: t(7 + 0.37 * 7) * 1 % * (7 / 9.59) ** 0.5.
        (among, 940, Below, Unrated),
        # BETTER: a question; BEYOND_PEERS: twice as good as the peers. FASTER: 25 % more than is
        # possible.
        (among, 1250, Unrated, Open),
        (among, 2000, Open, TooGood),
        (lambda x: alone(x, best=1000, low=900, high=2000), 1250, Open, TooGood),
        # Better than is possible with the confidence of the interval.
        (lambda x: alone(1100, best=1000, low=x, high=2000), 1000, Open, TooGood),
        # BEYOND_PEERS and FASTER: one or two samples that are not possible.
        (lambda x: alone(950, worst=900, best=1000, most=x), 2000, Pass, Open),
        (lambda x: alone(11, worst=12, best=10, more=False, least=x), 5, Open, Pass),
        (lambda x: among(1000, best=1100, most=x), 2200, Unrated, Open),
        (lambda x: alone(950, worst=900, low=950, best=1000, high=x), 1250, Pass, Open),
        # HIDING and HIDDEN: 0.10 - 0.04 = t(1 %, 0.37 * 8 * 6) * the error of a median of seven.
        (lambda x: among(960, spread=x), 0.027697, Unrated, Open),
        (lambda x: among(x, spread=0.03), 964.99, Open, Unrated),
        # FALSE_ALARMS, shared by QUESTIONS and by the 8 comparisons.
        (lambda x: among(x, spread=0.05), 789.52, Below, Open),
        (lambda x: alone(x, worst=1000, spread=0.02), 951.25, Below, Open),
        # A step of what is printed: 1000 / 800 - 1 is 200 / 800.
        (lambda x: alone(x, worst=1000, step=200), 800, Below, Open),
        # All of them together.
        (lambda x: last(rated([x] * 8, worst=1000, spread=0.02)), 974.257, Below, Open),
        # TOGETHER. A step of what is printed is no loss of all of them either:
        # 0.035757 = t(1 / 800, 0.37 * 8 * 6) * the error of their median + 20 / 965.48.
        (lambda loss: all_near_their_floor(1000 / (1 + loss)), 0.005, Open, Below),
        (lambda x: all_near_their_floor(x, step=20), 965.478, Below, Open),
        # Surely above the floor by what the peers know, though the interval reaches below it.
        (
            lambda x: last(rated([x] * 8, worst=1000, spread=0.02, low=900, high=1200)),
            1073.268,
            Open,
            Pass,
        ),
        # An ailing subject: four figures are surer than one, as far as hosts do not differ.
        (ailing, 867.287, Below, Open),
        (lambda x: ailing(x, of_one=False), 762.64, Below, Open),
        (lambda x: ailing(x, spread=0.0), 940, Below, Unrated),
        # DRIFT, twice as much without peers.
        (lambda x: alone(1000, change=x, order=1, count=6), 0.10, Unrated, Open),
        (lambda x: alone(1000, change=-x, order=-1, count=6), 0.10, Unrated, Open),
        (drifting, 0.05, Unrated, Open),
        (lambda x: drifting(-x, -1.0), 0.05, Unrated, Open),
        (lambda x: drifting(x, wobble=0.02), 0.27269, Unrated, Open),
        (lambda x: last(rated([1000.0] * 8, change=x)), 0.05, Unrated, Open),
        (lambda x: last(rated([1000.0] * 8, change=x, wobble=0.06)), 0.362494, Unrated, Open),
        # A warm-up is on no line: twice DRIFT, and all peers in order.
        (lambda x: warming_up(x, 1.0), 0.10, Unrated, Open),
        (lambda x: warming_up(-x, -1.0), 0.10, Unrated, Open),
        (lambda x: warming_up(0.2, x), 0.8, Unrated, Open),
        # ORDERED: Kendall's tau.
        (lambda x: drifting(0.2, x), 0.8, Unrated, Open),
    ],
)
def test_a_threshold_separates_two_verdicts(
    judged: Callable[[float], Verdict], threshold: float, under: Verdict, over: Verdict
) -> None:
    assert judged(threshold * (1 - LITTLE)) is under
    assert judged(threshold * (1 + LITTLE)) is over


@pytest.mark.parametrize(
    ("verdict", "on_the_threshold"),
    [
        (among(1250), Unrated),
        (among(2000), Open),
        (alone(1250, best=1000, low=900), Open),
        (alone(1100, best=1000, low=1000), Open),
        (alone(1000, best=1000), Unrated),
        # An interval that ends on the floor is not below it.
        (alone(900, worst=1000, low=850, high=1000), Open),
        (alone(1100, worst=1000, low=1000, high=1200), Pass),
        (alone(800, worst=1000, step=200), Open),
        (last(rated([1000.0] * 8, worst=1000, low=[1000.0] * 7 + [900.0])), Open),
        (last(rated([980.0] * 7 + [1000.0], worst=1000, high=1001)), Pass),
        (alone(1000, change=0.1, order=1, count=6), Unrated),
        (drifting(0.05), Unrated),
        (drifting(0.2, 0.8), Open),
        (last(rated([1000.0] * 8, change=0.05)), Unrated),
        (warming_up(0.1, 1.0), Unrated),
        (warming_up(0.2, 0.8), Open),
    ],
)
def test_a_figure_on_a_threshold(verdict: Verdict, on_the_threshold: Verdict) -> None:
    assert verdict is on_the_threshold


def test_of_a_time_less_is_better() -> None:
    slow = [1000.0] * 7 + [1000 / 0.9]
    assert last(rated(slow, more=False)) is Below
    assert last(rated(slow)) is Unrated
    assert alone(900, best=1000, more=False, low=850, high=990) is TooGood
    assert alone(900, best=1000, more=False, low=850, high=1010) is Open


@pytest.mark.parametrize(("peers", "verdict"), [(3, Open), (4, Below)])
def test_of_four_peers_one_is_odd(peers: int, verdict: Verdict) -> None:
    rating = rated([1000.0] * (peers - 1) + [500.0])
    assert last(rating) is verdict
    assert set(rating.figures.count) == {peers if verdict is Below else 0}


@pytest.mark.parametrize(("count", "verdict"), [(5, Unrated), (6, Open)])
def test_alone_six_samples_in_one_order_drift(count: int, verdict: Verdict) -> None:
    assert alone(1000, change=0.2, order=1, count=count) is verdict
    assert alone(1000, change=0.2, order=0.99, count=count) is Unrated


@pytest.mark.parametrize(("count", "verdict"), [(4, Unrated), (5, Open)])
def test_among_peers_five_samples_drift(count: int, verdict: Verdict) -> None:
    assert last(rated([1000.0] * 8, change=0.2, count=count)) is verdict


def test_one_sample_lies_on_no_side_of_its_floor() -> None:
    for figure in (400, 1400):
        rating = rated([figure], group=-1, worst=1000, count=1)
        assert last(rating) is Open
        # Six samples have an interval of the confidence that is wanted.
        assert rating.more_samples[0] == 5


def test_samples_are_asked_for_until_they_are_too_many() -> None:
    asked = [
        rated([1010], group=-1, worst=1000, low=900, high=1100, spread=spread, count=5)
        for spread in (0.0047, 0.01, 0.02, 0.02984, 0.02991)
    ]
    more = [rating.more_samples[0] for rating in asked]
    assert more[:4] == [1, 18, 87, 200]
    # 201 would be too many.
    assert np.isnan(more[4])


def test_no_samples_are_asked_for_where_those_that_there_are_nearly_suffice() -> None:
    rating = rated([1010], group=-1, worst=1000, low=900, high=1100, spread=0.0043, count=5)
    assert last(rating) is Open
    assert np.isnan(rating.more_samples[0])
    # Yet only more samples can decide it.
    assert rating.scattering[0]


@pytest.mark.parametrize(
    ("loss", "spread", "more"),
    [
        # Until a loss of 10 % would be seen: (2.326 * error / (0.10 - loss))^2 times as many.
        (0.04, 0.05, 12),
        (0.055, 0.05, 27),
        # Or, if that takes fewer, until its own loss is one: (3.604 * error / loss)^2.
        (0.08, 0.05, 19),
        (0.12, 0.08, 23),
    ],
)
def test_samples_are_asked_for_until_no_loss_can_hide(
    loss: float, spread: float, more: int
) -> None:
    rating = rated([1000.0] * 7 + [1000 * (1 - loss)], spread=spread)
    assert last(rating) is Open
    assert rating.more_samples[-1] == more


def test_scatter_of_its_own_samples_alone_proves_nothing() -> None:
    scattered = {"worst": 1000.0, "low": 900.0, "high": 1600.0, "spread": 0.001}
    assert alone(1500, **scattered) is Open
    assert last(rated([1500.0] * 8, **scattered)) is Pass


def test_peers_are_judged_together_only_if_each_has_a_floor() -> None:
    floors = [1000.0] * 7
    together = {"spread": 0.01, "low": 960.0, "high": 1001.0}
    assert set(rated([980.0] * 8, worst=[*floors, 1000.0], **together).verdict) == {Below}
    assert set(rated([980.0] * 8, worst=[*floors, NOTHING], **together).verdict) == {Open, Unrated}


def test_every_question_that_could_raise_a_false_alarm_is_counted() -> None:
    # Of eight peers: each against the others, each for its drift, and all together for theirs.
    assert rated([1000.0] * 8).comparisons == 8 + 8 + 1
    assert rated([1000.0] * 8, worst=900).comparisons == 8 + 8 + 1 + 8
    # Of three, each for its drift alone.
    assert rated([1000.0] * 3).comparisons == 3
    # A subject of two metrics is asked for once more, and so is its host.
    twice = rated([1000.0] * 8, group=[0] * 4 + [1] * 4, subject=[0, 1, 2, 3] * 2)
    assert twice.comparisons == 8 + 4 + 4 + 8 + 2


def of_hosts(*losses: float, spread: float = 0.01) -> Rating:
    """One metric of as many hosts, each so much slower than 1000."""
    return rated([1000.0 * (1 - loss) for loss in losses], spread=spread)


def test_two_populations_are_reported_and_nobody_is_blamed() -> None:
    rating = of_hosts(*[0.0] * 4, *[0.2] * 4)
    assert list(rating.verdict) == [Unrated] * 4 + [Open] * 4
    assert rating.figures.apart[4:] == pytest.approx([0.2] * 4)


@pytest.mark.parametrize("slow", [4, 5, 6])
def test_the_healthy_minority_is_not_accused_of_being_better(slow: int) -> None:
    rating = of_hosts(*[0.0] * (8 - slow), *[0.2] * slow)
    assert list(rating.verdict) == [Unrated] * (8 - slow) + [Open] * slow


def test_one_sound_host_among_slow_ones_is_not_implausible() -> None:
    assert Verdict.IMPLAUSIBLE not in of_hosts(0.0, *[0.3] * 7).verdict


def test_up_to_one_host_in_eight_may_be_odd_by_itself() -> None:
    assert list(of_hosts(*[0.0] * 15, 0.1).verdict) == [Unrated] * 15 + [Below]
    assert list(of_hosts(*[0.0] * 14, 0.1, 0.1).verdict) == [Unrated] * 14 + [Open] * 2


def test_two_of_four_cannot_be_outvoted() -> None:
    assert list(of_hosts(0.0, 0.0, 0.1, 0.1).verdict) == [Unrated] * 2 + [Open] * 2


def test_figures_of_a_host_that_move_together_make_nothing_surer() -> None:
    offsets = np.random.default_rng(5).normal(0, 0.02, 16)
    for metrics in (1, 20):
        rating = rated(
            [1000.0 * (1 + offset) for _ in range(metrics) for offset in offsets],
            spread=0.005,
            group=[metric for metric in range(metrics) for _ in offsets],
            subject=list(range(16)) * metrics,
        )
        assert Below not in rating.verdict


def test_a_step_of_what_a_tool_prints_is_not_a_loss() -> None:
    slow = {"more": False, "step": 1.0}
    assert last(rated([7.0] * 15 + [8.0], **slow)) is Unrated  # type: ignore[arg-type]
    assert last(rated([7.0] * 15 + [9.0], **slow)) is Below  # type: ignore[arg-type]


def test_what_all_peers_share_hides_nothing_of_one() -> None:
    """Samples scatter by 10 %, alike in all: 32 medians that deviate by 1 % show it, 8 do not."""
    offsets = np.random.default_rng(5).normal(0, 0.01, 31).tolist()
    for peers, verdict in ((8, Open), (32, Unrated)):
        medians = [1000 * (1 + offset) for offset in [*offsets[: peers - 1], -0.04]]
        assert last(rated(medians, spread=0.05, low=900, high=1100)) is verdict


def test_what_is_like_the_sample_before_it_does_not_drift() -> None:
    """Changes of all peers differ by far more than their scatter about a line lets expect."""
    changes = np.random.default_rng(5).normal(0, 0.04, 63).tolist()
    order = np.sign(changes).tolist()
    rating = rated(
        [1000.0] * 64, change=[*changes, 0.12], order=[*order, 1.0], wobble=0.002, check=[0] * 64
    )
    assert set(rating.verdict) == {Unrated}
    rating = rated(
        [1000.0] * 64, change=[*changes, 0.30], order=[*order, 1.0], wobble=0.002, check=[0] * 64
    )
    assert last(rating) is Open
    assert set(rating.verdict[:-1]) == {Unrated}


@pytest.mark.parametrize("drifting", [7, 8, 9])
def test_half_of_the_peers_that_drift_do_not_make_a_drift_usual(drifting: int) -> None:
    rng = np.random.default_rng(5)
    changes = rng.normal(0, 0.012, 32) - np.where(np.arange(32) % 16 < drifting, 0.15, 0.0)
    rating = rated(
        [1000.0] * 32,
        change=changes.tolist(),
        order=np.where(changes < -0.1, -1.0, 0.1).tolist(),
        wobble=0.005,
        group=[0] * 16 + [1] * 16,
        subject=[*range(16)] * 2,
        host=[*range(16)] * 2,
        check=[0] * 32,
    )
    assert set(rating.verdict[changes < -0.1]) == {Open}
    assert rating.drifting[changes < -0.1].all()


def test_samples_in_two_modes_accuse_nobody() -> None:
    rating = rated([1000.0] * 15 + [850.0], low=[850.0] * 16, high=[1000.0] * 16)
    assert Below not in rating.verdict


def test_all_of_a_kind_are_below_a_floor_though_each_by_itself_may_be_above() -> None:
    assert alone(980, worst=1000, spread=0.01, low=960, high=1001) is Open
    assert set(rated([980.0] * 16, worst=1000, spread=0.01).verdict) == {Below}


def test_an_ssd_is_held_against_those_of_its_own_host() -> None:
    """Hosts that differ by 2 % hide a device that is 10 % slower than the seven beside it."""
    rng = np.random.default_rng(11)
    hosts, ssds, metrics = range(4), range(8), range(3)
    own = np.repeat([0.97, 1.03, 0.98, 1.025], len(ssds))
    figures = np.concatenate(
        [1000 * own * (1 + rng.normal(0, 0.005, own.size)) for _ in metrics]
    ).reshape(len(metrics), -1)
    figures[:, 13] *= 0.9
    rating = rated(
        list(figures.ravel()),
        spread=0.01,
        group=[metric for metric in metrics for _ in own],
        subject=list(range(own.size)) * len(metrics),
        host=[host for _ in metrics for host in hosts for _ in ssds],
    )
    assert np.flatnonzero(rating.verdict == Below).tolist() == [13, 45, 77]


def test_devices_of_another_model_in_one_slot_of_each_host_are_a_population() -> None:
    """Four of 32 devices, one in each host: no accident, and no accusation."""
    rating = rated(
        [1000.0 * (0.85 if ssd == 7 else 1.0) for _ in range(4) for ssd in range(8)],
        spread=0.01,
        subject=list(range(32)),
        host=[host for host in range(4) for _ in range(8)],
    )
    assert Below not in rating.verdict
    assert np.flatnonzero(rating.verdict == Open).tolist() == [7, 15, 23, 31]


def test_two_slow_devices_of_32_are_not_a_population() -> None:
    rating = rated(
        [1000.0 * (0.85 if ssd in (3, 20) else 1.0) for ssd in range(32)],
        spread=0.01,
        subject=list(range(32)),
        host=[ssd // 8 for ssd in range(32)],
    )
    assert np.flatnonzero(rating.verdict == Below).tolist() == [3, 20]
