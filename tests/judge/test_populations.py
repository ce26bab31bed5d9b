"""When peers are two populations, and how far sound peers are apart."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from assay.judge.populations import Split, deviation, scale, split, split_pairs
from assay.judge.stats import Array

SURE = 0.001
"""A small error of each peer."""


def losses(sound: int, *slow: float) -> Array:
    return np.array([0.0] * sound + [-loss for loss in slow])


def of_hosts(gain: Array, error: float = SURE) -> Split | None:
    """The populations of single hosts."""
    return split(gain, np.arange(len(gain)), error)


def test_a_deviation_is_that_of_normal_figures() -> None:
    assert deviation(np.array([0.0, 0.1, 0.2, 0.4, 0.9])) == pytest.approx(1.4826 * 0.2)


def test_what_few_peers_show_is_moderated_by_what_is_natural() -> None:
    deviation, freedom = scale(0.05, 0.02, 10, 7)
    # Between peers: (7 * 0.01^2 + 0.37 * 7 * (0.05^2 - 0.02^2)) / (7 + 0.37 * 7)
    own = (7e-4 + 2.59 * 0.0021) / 9.59
    assert deviation == pytest.approx((0.02**2 + own) ** 0.5)
    assert freedom == pytest.approx((0.02**2 + own) ** 2 / (0.02**4 / 10 + own**2 / 9.59))


def test_peers_nearer_than_their_errors_differ_by_what_is_natural() -> None:
    deviation, _ = scale(0.01, 0.02, 10, 7)
    assert deviation == pytest.approx((0.02**2 + 7e-4 / 9.59) ** 0.5)
    assert scale(0.01, 0.02, 10, 7, natural=0.1)[0] > 3.5 * deviation


@pytest.mark.parametrize(
    ("loss", "error", "two"),
    [
        # LEAST_SPLIT
        (0.0499, SURE, False),
        (0.05, SURE, True),
        # CLEAR, where the error of each is more than their scatter.
        (0.1299, 0.02, False),
        (0.13, 0.02, True),
    ],
)
def test_populations_are_clearly_apart(loss: float, error: float, *, two: bool) -> None:
    populations = of_hosts(losses(4, *[loss] * 4), error)
    assert (populations is not None) == two


def test_populations_are_further_apart_than_they_are_wide() -> None:
    def wide(width: float) -> Array:
        return np.array([0.0, width, 2 * width, -0.10, -0.10 - width, -0.10 - 2 * width])

    # The medians are 0.10 + 2 * width apart, and half of all are as far as `width` from theirs.
    assert of_hosts(wide(0.013)) is not None
    assert of_hosts(wide(0.0132)) is None


def test_the_distance_is_relative_to_the_better_population() -> None:
    populations = of_hosts(np.array([0.05] * 4 + [-0.05] * 4))
    assert populations is not None
    assert populations.apart == pytest.approx(0.1 / 1.05)
    assert populations.worse.tolist() == [False] * 4 + [True] * 4


def test_the_border_is_where_the_variance_between_both_sides_is_greatest() -> None:
    """One host that is slower still does not draw the border to itself; one far better does."""
    populations = of_hosts(losses(4, 0.1, 0.1, 0.1, 0.25))
    assert populations is not None
    assert np.flatnonzero(populations.worse).tolist() == [4, 5, 6, 7]
    assert of_hosts(np.array([0.3, 0.05, 0.05, 0.05, *[-0.05] * 4])) is None


@pytest.mark.parametrize(
    ("hosts", "slow", "two"),
    [(4, 1, False), (4, 2, True), (16, 1, False), (16, 2, True), (17, 2, False), (17, 3, True)],
)
def test_up_to_one_host_in_eight_is_an_outlier(hosts: int, slow: int, *, two: bool) -> None:
    slower = losses(hosts - slow, *[0.2] * slow)
    assert (of_hosts(slower) is not None) == two
    # Or the only sound one.
    assert (of_hosts(-slower) is not None) == two


def of_devices(hosts: int, devices: int, slow: Sequence[int]) -> Split | None:
    """The populations of the devices of some hosts, of which some are slow."""
    size = hosts * devices
    gain = np.where(np.isin(np.arange(size), slow), -0.2, 0.0)
    return split(gain, np.arange(size) // devices, SURE)


@pytest.mark.parametrize(
    ("slow", "two"),
    [
        ([0, 8, 16], False),
        ([0, 8, 16, 24], True),
        # In one host alone: what is slow is the host, and an outlier, also beside another one.
        ([0, 1, 2, 3], False),
        ([0, 1, 2, 8], True),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8], False),
    ],
)
def test_devices_are_a_population_from_one_in_eight_and_two_hosts(
    slow: list[int], *, two: bool
) -> None:
    assert (of_devices(4, 8, slow) is not None) == two


@pytest.mark.parametrize(
    ("odd", "worse"),
    [
        # A device in eight, and at least one, may differ from its host.
        ([0, 4], [*range(8, 16)]),
        ([0, 1], [*range(8, 16)]),
        ([0, 1, 4], [0, 1, 4, *range(8, 16)]),
    ],
)
def test_slow_hosts_are_a_population_without_the_odd_device(
    odd: list[int], worse: list[int]
) -> None:
    populations = of_devices(4, 4, [*odd, *range(8, 16)])
    assert populations is not None
    assert np.flatnonzero(populations.worse).tolist() == worse


def test_one_host_in_eight_is_an_outlier_however_many_devices_it_has() -> None:
    def two_large_hosts(small: int) -> Split | None:
        """Two slow hosts of eight devices each, beside small ones."""
        host = np.array([*range(2, small + 2), *[0] * 8, *[1] * 8])
        return split(np.where(host < 2, -0.2, 0.0), host, SURE)

    assert two_large_hosts(14) is not None
    assert two_large_hosts(15) is None


def test_one_odd_device_of_few_is_no_reason_to_split_a_host() -> None:
    populations = of_devices(3, 2, [0, 2, 3, 4, 5])
    assert populations is None
    populations = of_devices(4, 1, [0, 1])
    assert populations is not None
    assert np.flatnonzero(populations.worse).tolist() == [0, 1]


def test_half_of_a_host_is_not_a_slow_host() -> None:
    populations = of_devices(4, 2, [0, 2, 4, 5])
    assert populations is not None
    assert np.flatnonzero(populations.worse).tolist() == [0, 2, 4, 5]


Pairs = list[tuple[int, int]]


def of_pairs(pairs: Pairs, slow: Pairs) -> Split | None:
    gain = np.array([-0.2 if pair in slow else 0.0 for pair in pairs])
    return split_pairs(gain, np.array(pairs), SURE)


LEFT, RIGHT = list(combinations(range(4), 2)), list(combinations(range(4, 8), 2))


def test_pairs_that_cross_between_two_sets_are_the_worse_population() -> None:
    across = [(0, 4), (1, 5)]
    populations = of_pairs([*LEFT, *RIGHT, *across], across)
    assert populations is not None
    assert np.flatnonzero(populations.worse).tolist() == [12, 13]
    assert set(populations.sides) == {frozenset(range(4)), frozenset(range(4, 8))}


def test_two_sets_of_two_ends_are_enough() -> None:
    across = [(0, 2), (0, 3), (1, 2), (1, 3)]
    populations = of_pairs([(0, 1), (2, 3), *across], across)
    assert populations is not None
    assert set(populations.sides) == {frozenset({0, 1}), frozenset({2, 3})}


def test_pairs_that_are_alike_are_one_population() -> None:
    assert of_pairs(LEFT, []) is None


def test_the_only_pair_between_two_sets_is_slow_by_itself() -> None:
    assert of_pairs([*LEFT, *RIGHT, (0, 4)], [(0, 4)]) is None


@pytest.mark.parametrize(
    ("ends", "slow", "two"),
    [(8, 1, False), (8, 2, True), (16, 1, False), (16, 2, True), (17, 2, False), (17, 3, True)],
)
def test_slow_ends_are_a_population_from_one_in_eight(ends: int, slow: int, *, two: bool) -> None:
    pairs = list(combinations(range(ends), 2))
    ailing = [pair for pair in pairs if min(pair) < slow]
    populations = of_pairs(pairs, ailing)
    assert (populations is not None) == two
    if populations is not None:
        assert [
            pair for pair, worse in zip(pairs, populations.worse, strict=True) if worse
        ] == ailing
        assert populations.sides == ()


def test_an_end_beside_two_sets_crosses_to_neither() -> None:
    across, lost = [(0, 4), (1, 5)], [(0, 8), (4, 8)]
    populations = of_pairs([*LEFT, *RIGHT, *across, *lost], [*across, *lost])
    assert populations is not None
    assert np.flatnonzero(populations.worse).tolist() == [12, 13]
