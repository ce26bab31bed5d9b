"""Figures that become worse during a soak, and stay so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from assay.soak.decline import declined

NAMES = {f"SsdFio.read_1m on s{n}": ("SsdFio.read_1m", f"s{n}") for n in range(1, 101)}
KEYS = list(NAMES)


def of(factors: Sequence[float], seed: int = 1, scatter: float = 0.01, sign: int = 1) -> list[str]:
    """The figures of s1 change by a factor in each round; those of 99 others do not."""
    rng = np.random.default_rng(seed)
    rounds = []
    for factor in factors:
        figures = 1000 * np.exp(scatter * rng.standard_normal(len(KEYS)))
        figures[0] *= factor
        rounds.append(dict(zip(KEYS, map(float, figures**sign), strict=True)))
    return list(declined(rounds, NAMES, KEYS if sign < 0 else ()))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("begins", [4, 5, 6, 8, 12, 40])
def test_a_loss_that_stays_is_found_wherever_it_begins(begins: int, sign: int) -> None:
    (found,) = of([1.0] * begins + [0.92] * (96 - begins), sign=sign)
    assert found.startswith("SsdFio.read_1m of s1 is up to ")
    assert found.endswith("worse in the last third of the rounds than in the first five")


def test_a_slow_decay_is_found() -> None:
    assert len(of(list(np.linspace(1.0, 0.9, 96)))) == 1


def test_what_is_better_or_hardly_worse_is_not() -> None:
    assert of([1.0] * 10 + [1.5] * 86) == []
    assert of([1.0] * 10 + [0.97] * 86) == []


def test_too_few_rounds_say_nothing() -> None:
    assert of([1.0] * 5 + [0.5] * 4) == []


def test_sound_soaks_are_hardly_ever_accused() -> None:
    """In fewer than one of 200, also where figures scatter by 4 %."""
    assert sum(bool(of([1.0] * 20, seed, 0.04)) for seed in range(60)) <= 1
