"""Which ranks and targets stand out, at each threshold from both sides."""

from collections.abc import Sequence
from math import exp, log

import pytest

from assay.judge.outliers import (
    NATURAL_FREEDOM,
    Outlier,
    _Effects,
    _effects,
    _of_ranks,
    in_words,
    outliers,
)
from assay.tools.daos.telemetry import Place


def of_ranks(*latencies: Sequence[float]) -> list[dict[Place, float]]:
    """The mean squares of each step, from the latencies of its ranks."""
    return [{(rank, -1): each**2 for rank, each in enumerate(step)} for step in latencies]


def test_peers_are_compared_with_the_median_of_all() -> None:
    effects = _effects(of_ranks([1, 1, 2, 1, 1], [1, 1, 2, 1, 1]))
    assert effects.gain == pytest.approx({(rank, -1): log(2) * (rank == 2) for rank in range(5)})


@pytest.mark.parametrize(
    ("latencies", "gain"),
    [
        # The median of four holds the slow one as well; of three, the others decide.
        ([3, 2, 1, 1], log(3) - log(2) / 2),
        ([3, 2, 1], log(3) - log(2) / 2),
        ([3, 2], log(3) - log(2)),
    ],
)
def test_few_peers_are_compared_with_the_others_alone(
    latencies: Sequence[float], gain: float
) -> None:
    assert _effects(of_ranks(latencies, latencies)).gain[0, -1] == pytest.approx(gain)


def test_the_error_of_one_step_is_assumed() -> None:
    effects = _effects(of_ranks([1, 1, 1, 1, 1]))
    # UNSURE; and NATURAL, of which five alike peers show that it is less.
    own = NATURAL_FREEDOM * 0.10**2 / (NATURAL_FREEDOM + 0.37 * 4)
    assert effects.error == pytest.approx(((0.20**2 + own) * (1 + 1.2533**2 / 4)) ** 0.5)
    assert effects.freedom == pytest.approx(
        (0.20**2 + own) ** 2 / (0.20**4 / 8 + own**2 / (NATURAL_FREEDOM + 0.37 * 4))
    )


@pytest.mark.parametrize("peers", [2, 3])
def test_one_step_of_few_peers_shows_nothing(peers: int) -> None:
    effects = _effects(of_ranks([1] * (peers - 1) + [100]))
    assert not effects.gain
    assert effects.least == float("inf")
    assert _effects(of_ranks([1, 1, 1, 100])).slow() == [(3, -1)]
    assert _effects(of_ranks(*2 * [[1] * (peers - 1) + [100]])).slow() == [(peers - 1, -1)]


def test_few_peers_do_not_show_what_is_natural() -> None:
    # Peers that differ alike in both steps have no error of steps, only what they may by nature.
    three = _effects(of_ranks([1, 1.3, 1], [1, 1.3, 1]))
    # The median of two others has the error of a mean; 1.2533^2 / 2 is less than one.
    assert three.error == pytest.approx(0.10 * (1 + 1.2533**2 / 2) ** 0.5, rel=1e-3)
    two = _effects(of_ranks([1, 1.3], [1, 1.3]))
    assert two.error == pytest.approx(0.10 * 2**0.5, rel=1e-3)


def test_the_error_of_several_steps_is_what_they_differ_by() -> None:
    up, down = exp(0.1), exp(-0.1)
    # The first two peers change places; that all are slower in a step is not theirs.
    effects = _effects(of_ranks([up, down, 1, 1, 1], [3 * down, 3 * up, 3, 3, 3]))
    unsure = (4 * 0.1**2 / 4) ** 0.5 * 1.2533 / 2**0.5
    own = NATURAL_FREEDOM * 0.10**2 / (NATURAL_FREEDOM + 0.37 * 4)
    assert effects.error == pytest.approx(((unsure**2 + own) * (1 + 1.2533**2 / 4)) ** 0.5)
    assert effects.freedom == pytest.approx(
        (unsure**2 + own) ** 2 / (unsure**4 / 4 + own**2 / (NATURAL_FREEDOM + 0.37 * 4))
    )


def test_what_peers_differ_by_in_each_step_is_theirs() -> None:
    """Without any difference between steps, all of it is between the peers."""
    step = [exp(each) for each in (-0.4, -0.2, 0.0, 0.2, 0.4)]
    effects = _effects(of_ranks(step, step))
    own = NATURAL_FREEDOM * 0.10**2 + 0.37 * 4 * (1.4826 * 0.2) ** 2
    own /= NATURAL_FREEDOM + 0.37 * 4
    assert effects.error == pytest.approx((own * (1 + 1.2533**2 / 4)) ** 0.5, rel=1e-6)


def test_one_peer_and_no_common_step_show_nothing() -> None:
    assert not _effects(of_ranks([1])).gain
    first, second = of_ranks([1, 1], [1, 1])
    assert not _effects([{(0, -1): 1.0}, {(1, -1): 1.0}]).gain
    assert len(_effects([first, second, {(0, -1): 1.0}]).gain) == 2


def test_an_outlier_is_slower_than_chance_and_than_what_matters() -> None:
    def slow(gain: float, error: float) -> bool:
        own = {(0, -1): gain, (1, -1): 0.0, (2, -1): 0.0, (3, -1): 0.0}
        return (0, -1) in _Effects(own, error, 1e9).slow()

    # SLOWER: 15 %
    assert slow(log(1.151), 0.001)
    assert not slow(log(1.149), 0.001)
    # The normal quantile of 0.005 / (2 * 3 operations * 4 peers), 3.5286.
    assert slow(0.3530, 0.1)
    assert not slow(0.3527, 0.1)


def test_without_peers_or_an_error_nothing_is_an_outlier() -> None:
    assert not _Effects({(0, -1): 9.0}, 0.1, 9.0).slow()
    assert not _Effects({(0, -1): 9.0, (1, -1): 0.0}, 0.0, 9.0).slow()
    assert _Effects({(0, -1): 9.0, (1, -1): 0.0}, 0.1, 9.0).slow() == [(0, -1)]


Step = dict[Place, tuple[float, float]]


def targets(ranks: int, own: dict[Place, float], *, operations: float = 1000.0) -> Step:
    """A step on ranks of four targets; their latencies are 1 where not given."""
    return {
        place: (operations, operations * own.get(place, 1.0) ** 2)
        for place in ((rank, target) for rank in range(ranks) for target in range(4))
    }


def reported(own: dict[Place, float]) -> list[tuple[int, int | None]]:
    steps = [targets(8, own) for _ in range(4)]
    return [(each.rank, each.target) for each in outliers("update", steps)]


def test_one_slow_target_is_reported_and_not_its_rank() -> None:
    assert reported({(2, 1): 20.0}) == [(2, 1)]


def test_a_rank_whose_other_targets_are_slow_as_well_is_reported() -> None:
    slow = {(2, target): 20.0 for target in range(4)}
    assert reported(slow) == [(2, None)]
    # SLOWER, as a logarithm: three that are so much slower are slow as well.
    assert reported({**slow, **{(2, target): exp(0.151) for target in range(3)}}) == [(2, None)]
    assert reported({**slow, **{(2, target): exp(0.149) for target in range(3)}}) == [(2, 3)]


def test_a_slow_rank_and_a_slow_target_of_another_are_both_reported() -> None:
    own = {(2, target): 20.0 for target in range(4)} | {(5, 3): 30.0}
    assert reported(own) == [(2, None), (5, 3)]


def test_the_mean_square_of_a_rank_is_that_of_its_operations() -> None:
    step = {(0, 0): (3.0, 4.0), (0, 1): (1.0, 8.0), (1, 0): (2.0, 2.0)}
    assert _of_ranks(step) == {(0, -1): 3.0, (1, -1): 1.0}


def test_the_only_target_of_a_rank_is_the_rank() -> None:
    step = {(rank, 0): (1000.0, 400_000.0 if rank == 2 else 1000.0) for rank in range(8)}
    assert [(each.rank, each.target) for each in outliers("fetch", [step] * 4)] == [(2, None)]


def test_a_rank_is_reported_though_its_targets_were_never_all_busy() -> None:
    """In each step another target is idle, so that targets cannot be compared; ranks can."""
    slow = targets(8, {(2, target): 20.0 for target in range(4)})
    steps = [{place: slow[place] for place in slow if place != (0, idle)} for idle in range(4)]
    assert [(each.rank, each.target) for each in outliers("fetch", steps)] == [(2, None)]


def test_a_rank_has_the_latency_of_all_its_operations() -> None:
    """A target with a hundredth of the operations has a hundredth of the weight."""
    steps = []
    for _ in range(4):
        step = targets(8, {})
        step[2, 0] = (10.0, 10.0 * 4.0**2)
        steps.append(step)
    (outlier,) = outliers("update", steps)
    assert (outlier.rank, outlier.target) == (2, 0)
    assert outlier.ratio == pytest.approx(4)
    assert outlier.peers == 31


@pytest.mark.parametrize(
    ("target", "named"),
    [
        (0, ", target 0, SSD 0000:81:00.0"),
        # An SSD of several targets is named once.
        (None, ", one of 2 SSDs (0000:81:00.0, 0000:82:00.0)"),
        (7, ", target 7"),
    ],
)
def test_the_ssds_of_an_outlier_are_those_of_its_targets(target: int | None, named: str) -> None:
    first, second = ("0000:81:00.0",), ("0000:82:00.0",)
    ssds = {(2, 0): ("0000:01:00.0",), (3, 0): first, (3, 1): second, (3, 2): first}
    (sentence,) = in_words([Outlier("update", 3, target, 2.0, 31)], {3: "s1"}, ssds)
    assert sentence.startswith(f"rank 3 on s1{named}: ")


def test_of_many_ssds_five_are_named() -> None:
    (sentence,) = in_words([Outlier("update", 3, 0, 2.0, 1)], {3: "s1"}, {(3, 0): tuple("abcdef")})
    assert ", one of 6 SSDs (a, b, c, d, e): " in sentence


def test_outliers_in_words() -> None:
    cycles, fetch = Outlier("scheduler", 3, None, 4.25, 1), Outlier("fetch", 3, None, 2.6, 1)
    update, target = Outlier("update", 3, None, 2.4, 1), Outlier("update", 0, 5, 11.2, 31)
    hosts = {0: "s1", 3: "s2"}
    assert in_words([update, cycles, target, fetch], hosts, {}) == [
        "rank 0 on s1, target 5: update latency 11 times that of its 31 peers",
        "rank 3 on s2: duration of scheduler cycles (paused, or short of CPU) 4.2 times, fetch"
        " latency 2.6 times and update latency 2.4 times that of its peer",
    ]
    assert in_words([update, fetch], hosts, {})[0].endswith(
        "on s2: fetch latency 2.6 times and update latency 2.4 times that of its peer"
    )
    assert in_words([], hosts, {}) == []
