"""Whom latencies with a known fault name, on 4 to 512 ranks of eight targets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from assay.judge.outliers import Outlier, outliers
from assay.tools.daos.telemetry import Place

Step = Mapping[Place, tuple[float, float]]

SIGNS = ((1, None), (1, 3))
"""A slow rank, and a slow target of it."""


def steps(
    random: np.random.Generator,
    ranks: int,
    slow: tuple[int, int | None] | None = None,
    ratio: float = 1.0,
) -> list[Step]:
    """Four steps on ranks of 8 targets, which differ by 5 % by nature and by 10 % in each step."""
    level = random.normal(0, 0.03, (ranks, 1)) + random.normal(0, 0.05, (ranks, 8))
    if slow is not None:
        rank, target = slow
        level[rank, slice(None) if target is None else target] += np.log(ratio)
    made: list[Step] = []
    for _ in range(4):
        noise = random.normal(0, 0.06, (ranks, 1)) + random.normal(0, 0.10, (ranks, 8))
        squares = 1000 * 1e6 * np.exp(2 * (level + noise + random.normal(0, 0.2)))
        made.append({place: (1000.0, float(s)) for place, s in np.ndenumerate(squares)})  # type: ignore[misc]
    return made


def named(reported: list[Outlier]) -> set[tuple[int, int | None]]:
    return {(each.rank, each.target) for each in reported}


@pytest.mark.parametrize(("ranks", "systems"), [(4, 200), (32, 60), (512, 4)])
def test_of_a_sound_system_nobody_is_named(ranks: int, systems: int) -> None:
    random = np.random.default_rng(7919)
    assert not any(list(outliers("update", steps(random, ranks))) for _ in range(systems))


@pytest.mark.parametrize("slow", SIGNS)
@pytest.mark.parametrize("ranks", [4, 32, 512])
def test_what_is_ten_times_as_slow_is_named_and_nothing_else(
    ranks: int, slow: tuple[int, int | None]
) -> None:
    random = np.random.default_rng(7919)
    for _ in range(3):
        (slowest,) = outliers("update", steps(random, ranks, slow, 10))
        assert (slowest.rank, slowest.target) == slow
        assert 7 < slowest.ratio < 14
        assert slowest.peers == (ranks if slow[1] is None else ranks * 8) - 1


@pytest.mark.parametrize("ranks", [32, 512])
def test_a_rank_that_is_twice_as_slow_is_named(ranks: int) -> None:
    random = np.random.default_rng(7919)
    assert named(list(outliers("fetch", steps(random, ranks, (1, None), 2)))) == {(1, None)}


@pytest.mark.parametrize("slow", SIGNS)
@pytest.mark.parametrize("ranks", [4, 32])
def test_by_what_is_a_fifth_slower_no_other_rank_is_named(
    ranks: int, slow: tuple[int, int | None]
) -> None:
    random = np.random.default_rng(7919)
    for _ in range(20):
        assert {o.rank for o in outliers("update", steps(random, ranks, slow, 1.2))} <= {1}


def test_one_rank_has_no_peers() -> None:
    assert not list(outliers("update", [{(0, 0): (1000.0, 1e9)}]))


def test_steps_in_which_a_target_was_idle_are_left_out() -> None:
    random = np.random.default_rng(1)
    whole = steps(random, 4, (1, None), 10)
    idle = [{place: figures for place, figures in whole[0].items() if place[0]}]
    assert named(list(outliers("update", [*whole, *idle]))) == {(1, None)}
