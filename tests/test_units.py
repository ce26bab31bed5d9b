"""Units: what is not the same stays apart, and what is converts exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import units

BANDWIDTHS = ("B/s", "kB/s", "MB/s", "GB/s", "KiB/s", "MiB/s", "GiB/s", "bit/s", "Gbit/s")


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1 GiB/s", "GB/s", 1.073741824),
        ("1 GB/s", "MiB/s", 1e9 / 2**20),
        ("25 Gbit/s", "MB/s", 3125),
        ("1 MiB/s", "KiB/s", 1024),
        ("1.5 ms", "us", 1500),
        ("780000 IO/s", "IO/s", 780000),
    ],
)
def test_a_quantity_in_another_unit(text: str, unit: str, value: float) -> None:
    assert units.parse(text).to(unit).value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("unit", "to"), [("IO/s", "op/s"), ("MiB/s", "IO/s"), ("us", "B")])
def test_different_things_do_not_convert(unit: str, to: str) -> None:
    with pytest.raises(units.UnitError, match="different things"):
        units.factor(unit, to)


@pytest.mark.parametrize("text", ["fast", "28 parsecs/s", "GB/s", "28GB/s", ""])
def test_what_is_not_a_quantity_is_refused(text: str) -> None:
    with pytest.raises(units.UnitError):
        units.parse(text)


@pytest.mark.parametrize("unit", ["", "MB/(s", "GB/0", "MB/s/", "9**9**9**9", "{}", "%%", "MB/s "])
def test_what_is_not_a_unit_is_refused_and_not_worked_out(unit: str) -> None:
    with pytest.raises(units.UnitError, match="is not a unit, such as MiB/s, IO/s or us"):
        units.factor(unit, "MB/s")


@given(
    value=st.floats(1e-6, 1e15),
    unit=st.sampled_from(BANDWIDTHS),
    to=st.sampled_from(BANDWIDTHS),
)
def test_there_and_back_is_the_same(value: float, unit: str, to: str) -> None:
    there = units.Quantity(value, unit).to(to)
    assert there.to(unit).value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (7.449, "7.45"),
        (28, "28.0"),
        (432.6, "433"),
        (61072, "61,072"),
    ],
)
def test_a_figure_is_shown_with_three_digits(value: float, text: str) -> None:
    assert units.show(value) == text
