"""SSDs that have used up their endurance."""

from __future__ import annotations

import pytest

from sites import only, problems, put, site

READING = "wear of the SSD at 0000:65:00.0"


@pytest.mark.parametrize("worn", ["100 %", "104 %", "255 %"])
def test_an_ssd_beyond_its_endurance_is_a_warning(worn: str) -> None:
    problem = only(put(site(), {"s1: fingerprint/readings": {READING: worn}}))
    assert (problem.host, problem.key) == ("s1", f"fingerprint.{READING}")
    assert (problem.value, problem.severity) == (worn, "warning")


@pytest.mark.parametrize("readings", [{READING: "99 %"}, {READING: "?"}, {"temperature": "101 %"}])
def test_no_other_reading_is(readings: dict[str, str]) -> None:
    assert problems(put(site(), {"s1: fingerprint/readings": readings})) == []
