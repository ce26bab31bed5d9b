"""Samples that nobody measured."""

from __future__ import annotations

import pytest

from assay.judge.fakes import fakes

REAL = [6213.4, 6198.2, 6221.7, 6190.3, 6205.5]


def reasons(*rows: list[float], groups: list[int] | None = None) -> dict[int, str]:
    return fakes(rows, groups or [0] * len(rows), ["s1", "s2", "s3"][: len(rows)])


def test_identical_samples_are_not_a_measurement() -> None:
    assert reasons(REAL, [6213.4] * 5) == {1: "all 5 samples are 6213.4: nothing was measured"}


@pytest.mark.parametrize("figure", [7.0, 16.0, 7.2, 5000.0, 120.0])
def test_what_is_printed_in_coarse_steps_may_be_alike(figure: float) -> None:
    assert reasons([figure] * 7) == {}


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
