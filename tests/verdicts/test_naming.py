"""How often the engines' metrics name the right one, in a part of what the bench repeats."""

import pytest
from naming import SLOW, Counts, counted


@pytest.mark.parametrize(("ranks", "checks"), [(4, 60), (32, 30), (512, 3)])
def test_of_a_sound_system_no_check_names_anybody(ranks: int, checks: int) -> None:
    assert counted(ranks, checks, 7919, 0.10).another == 0


@pytest.mark.parametrize("kind", SLOW)
@pytest.mark.parametrize("ranks", [4, 32, 512])
def test_of_what_is_ten_times_as_slow_nobody_else_is_named(ranks: int, kind: str) -> None:
    assert counted(ranks, 3, 7919, 0.05, kind, 10.0) == Counts(exactly=3)
