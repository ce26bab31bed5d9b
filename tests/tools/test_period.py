"""When loads ran: what two of them have in common."""

from __future__ import annotations

import pytest

from assay.tools.period import Period, period

FORM = "%H:%M:%S"


def of(start: str, seconds: float) -> Period:
    found = period(start, FORM, seconds)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("first", "second", "part"),
    [
        (("10:00:00", 10), ("10:00:00", 10), 1.0),
        (("10:00:00", 10), ("10:00:02", 10), 0.8),
        (("10:00:00", 10), ("10:00:03", 5), 0.5),
        (("10:00:00", 10), ("10:00:08", 5), 0.2),
        (("10:00:00", 10), ("10:00:10", 10), 0.0),
        (("10:00:00", 10), ("11:00:00", 10), 0.0),
    ],
)
def test_what_two_loads_share_is_a_part_of_the_longer_one(
    first: tuple[str, float], second: tuple[str, float], part: float
) -> None:
    assert of(*first).shared(of(*second)) == pytest.approx(part)
    assert of(*second).shared(of(*first)) == pytest.approx(part)


@pytest.mark.parametrize(("start", "seconds"), [("noon", 10.0), ("10:00:00", 0.0)])
def test_without_a_start_or_a_length_there_is_no_period(start: str, seconds: float) -> None:
    assert period(start, FORM, seconds) is None
