"""Samples that nobody measured."""

from __future__ import annotations

import pytest

from assay.judge.fakes import fakes

REAL = [6213.4, 6198.2, 6221.7, 6190.3, 6205.5]


def reasons(
    *rows: list[float], groups: list[int] | None = None, subjects: list[int] | None = None
) -> dict[int, str]:
    names = [f"s{number}" for number in range(1, len(rows) + 1)]
    return fakes(rows, groups or [0] * len(rows), names, subjects or list(range(len(rows))))


def test_identical_samples_are_not_a_measurement() -> None:
    assert reasons(REAL, [6213.4] * 5) == {1: "all 5 samples are 6213.4: nothing was measured"}


@pytest.mark.parametrize("figure", [7.0, 16.0, 7.2, 5000.0, 120.0])
def test_what_is_printed_in_coarse_steps_may_be_alike(figure: float) -> None:
    assert reasons([figure] * 7) == {}


def test_figures_with_an_exponent_have_steps_that_are_not_known() -> None:
    assert 0 in reasons([2e-05] * 5)


def test_fewer_than_five_may_be_alike() -> None:
    assert reasons([6213.4] * 4) == {}


def test_a_host_that_copies_another_is_named_and_so_is_that() -> None:
    assert reasons(REAL, REAL) == {
        0: "its samples are identical to those of s2",
        1: "its samples are identical to those of s1",
    }


def test_other_figures_are_not_a_copy() -> None:
    assert reasons(REAL, REAL, groups=[0, 1]) == {}
    assert reasons([16.0, 17.0, 16.0, 17.0, 16.0], [16.0, 17.0, 16.0, 17.0, 16.0]) == {}


def real(level: float, count: int) -> list[float]:
    """Samples of one more subject, with digits of their own."""
    noise = [0.0, 0.0113, -0.0081, 0.0042, -0.0129, 0.0071, -0.0034]
    return [round(level * (1 + n), 2) for n in noise[:count]]


def test_a_copy_in_another_order_is_a_copy() -> None:
    assert reasons(REAL, REAL[::-1]) == reasons(REAL, REAL)


def test_most_of_the_samples_of_another_are_a_copy() -> None:
    one, two = real(6213.4, 7), real(6190.7, 7)
    assert reasons(one, [*one[:5], *two[5:]]) == {
        0: "5 of its 7 samples are identical to those of s2",
        1: "5 of its 7 samples are identical to those of s1",
    }
    assert reasons(one, [*one[:4], *two[4:]]) == {}
    # Of nine, five are most; of ten, they are half.
    one, two = ([round(level + 7.13 * n, 2) for n in range(10)] for level in (6213.4, 6190.7))
    assert set(reasons(one[:9], [*one[:5], *two[5:9]])) == {0, 1}
    assert reasons(one, [*one[:5], *two[5:]]) == {}


@pytest.mark.parametrize(("last", "count"), [(5020.0, 2), (5019.0, 0)])
@pytest.mark.parametrize("step", [1, 10, 100, 0.1])
def test_samples_within_less_than_twenty_steps_may_agree(
    last: float, count: int, step: float
) -> None:
    row = [round(figure * step, 1) for figure in (5003.0, 5000.0, 5007.0, 5001.0, last)]
    assert len(reasons(row, row)) == count


@pytest.mark.parametrize(("first", "count"), [(1000.0, 2), (999.0, 0)])
def test_samples_in_steps_of_more_than_a_thousandth_may_agree(first: float, count: int) -> None:
    row = [first, 1031.0, 1027.0, 1013.0, 1044.0]
    assert len(reasons(row, row)) == count


def test_a_whole_copy_may_have_equal_samples() -> None:
    row = [6213.4, 6198.2, 6213.4, 6190.3, 6198.2]
    assert len(reasons(row, row)) == 2


def test_five_repeated_samples_of_most_peers_are_no_coincidence() -> None:
    three, two = (
        [*samples, *samples[:more]]
        for samples, more in ((real(2000.0, 3), 3), (real(2031.0, 3), 2))
    )
    assert set(reasons(three, two)) == {0, 1}


def test_figures_of_few_values_agree_by_chance() -> None:
    """Such as a size over whole milliseconds, whose quotient has many digits."""
    one, two, tied = (
        [4000 / milliseconds for milliseconds in times]
        for times in (
            (698, 701, 702, 703, 704, 705, 706),
            (706, 705, 701, 704, 702, 699, 700),
            (702, 707, 702, 697, 708, 696, 709),
        )
    )
    assert reasons(one, two, tied) == {}
    # Where hardly any metric has two equal samples, there are values enough.
    for others in (8, 7):
        assert set(reasons(one, two, tied, *(real(5.0 + n, 7) for n in range(others)))) == {0, 1}
    assert reasons(one, two, tied, *(real(5.0 + n, 7) for n in range(6))) == {}


def test_a_second_round_that_repeats_the_first() -> None:
    """Samples of which two agree are a coincidence, but not those of a whole round."""
    copied = [[*samples, *samples[:2]] for samples in (real(2000.0 + 31 * n, 3) for n in range(4))]
    sound = [[x + n * n * m for m, x in enumerate(real(3000.0 + 17 * n, 5))] for n in range(1, 5)]
    same_subject = [7, 7, 7, 7, 1, 2, 3, 4]
    named = reasons(*copied, *sound, groups=list(range(8)), subjects=same_subject)
    assert set(named) == {0, 1, 2, 3}
    assert named[0] == "its last 2 samples repeat the first 3: they were not measured again"
    # Of most peers, each by itself; of few, it may be chance.
    assert set(reasons(*copied, *sound)) == {0, 1, 2, 3}
    assert reasons(*copied[:2], *sound) == {}
    assert reasons(copied[0], *sound, subjects=[7, 7, 7, 7, 7]) == {}
    # Two peers of which one repeats two samples.
    assert reasons(copied[0], sound[0]) == {}


def test_a_longer_second_round_that_repeats_the_first() -> None:
    first = real(2000.0, 3)
    assert 0 in reasons([*first, *first, *first[:2]])
    assert reasons([*first, *first, first[0], 2007.7]) == {}


def test_a_round_of_coarse_samples_may_repeat_itself() -> None:
    assert reasons([20.12, 20.13, 20.14, 20.12, 20.14, 20.12, 20.13, 20.12]) == {}


def test_figures_within_a_few_steps_of_their_tool_may_be_alike() -> None:
    """16 GiB in whole milliseconds: 6501.6 MiB/s in 2,520 of them, and 2.6 MiB/s a step."""
    quiet = [[6501.587302] * 5, [6501.587302] * 4 + [6499.008330]]
    assert fakes(quiet, [0, 0], ["s1", "s2"], [0, 1]) != {}
    assert fakes(quiet, [0, 0], ["s1", "s2"], [0, 1], steps=[2.58, 2.58]) == {}


def test_an_unchanging_figure_among_others_that_scatter_by_many_steps_is_a_fake() -> None:
    noisy = [[6501.6 + 13 * number * (1 + row) for number in range(-3, 4)] for row in range(3)]
    found = fakes([*noisy, [6501.587302] * 7], [0] * 4, ["s"] * 4, [0, 1, 2, 3], steps=[2.58] * 4)
    assert set(found) == {3}
