"""How much figures vary from round to round, and when that is sure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.soak.variation import FEWEST, Variation, variation

NAMES = {f"SsdFio.read_1m on s{n}": ("SsdFio.read_1m", f"s{n}") for n in range(1, 9)}


def of(scatter: float, rounds: int, seed: int = 1, worse: float = 0.0) -> Variation:
    """Eight figures with some scatter; the first one may have more."""
    rng = np.random.default_rng(seed)
    spread = np.full(len(NAMES), scatter)
    spread[0] = worse or scatter
    figures = 1000 * (1 + spread * rng.standard_normal((rounds, len(NAMES))))
    return variation([dict(zip(NAMES, row, strict=True)) for row in figures], NAMES)


def test_figures_that_scatter_less_than_the_limit_vary_within_it() -> None:
    found = of(0.03, 96)
    assert found.varying == ()
    assert found.judged == 8
    assert found.largest == pytest.approx(0.03, abs=0.01)


def test_one_subject_that_varies_is_named() -> None:
    (found,) = of(0.01, 96, worse=0.12).varying
    assert found.subjects == ("s1",)
    assert str(found).startswith("SsdFio.read_1m of s1 varies by up to 1")
    assert str(found).endswith("from round to round (limit 5%)")


def test_all_of_them_are_folded() -> None:
    (found,) = of(0.2, 96).varying
    assert "SsdFio.read_1m of s[1-8] varies by up to " in str(found)


def test_a_few_rounds_are_no_proof() -> None:
    assert of(0.2, FEWEST - 1) == Variation(0, None, ())
    rounds = [{"SsdFio.read_1m on s1": value} for value in (1000, 1090, 950, 1010, 940)]
    found = variation(rounds, NAMES)
    assert found.largest is not None
    assert found.largest > 0.05
    assert found.varying == ()
    (unsure,) = found.unsure
    assert unsure.startswith("SsdFio.read_1m of s1 varies by up to 6.")
    assert unsure.endswith(": above the limit of 5%, but not significantly")


@pytest.mark.parametrize(("lower", "value"), [((), 700.0), (NAMES, 1400.0)])
def test_a_single_bad_round_is_noted(lower: Sequence[str], value: float) -> None:
    rounds = [dict.fromkeys(NAMES, 1000.0) for _ in range(96)]
    rounds[50]["SsdFio.read_1m on s3"] = value
    found = variation(rounds, NAMES, lower=lower)
    assert found.varying == ()
    (single,) = found.single
    assert single.startswith("SsdFio.read_1m of s3 was up to ")


@given(st.floats(0.0, 0.05), st.integers(0, 10_000))
def test_what_is_within_the_limit_is_hardly_ever_accused(scatter: float, seed: int) -> None:
    """At the limit itself, in one of 200 soaks."""
    accused = sum(bool(of(scatter, 20, 100 * seed + n).varying) for n in range(10))
    assert accused <= 2


def test_a_figure_of_whole_microseconds_may_jump_between_two_of_them() -> None:
    """5 and 6 us in turn are 9 %, and say nothing of the part."""
    latencies = [{"SsdFio.read_1m on s1": 5.0 + number % 2} for number in range(96)]
    assert variation(latencies, NAMES).varying == ()
    assert variation(latencies, NAMES).unsure == ()
    worse = [{"SsdFio.read_1m on s1": 5.0 + 3 * (number % 2)} for number in range(95)]
    assert variation([*worse, {"SsdFio.read_1m on s1": 6.0}], NAMES).varying
