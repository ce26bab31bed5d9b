"""Numbers in words."""

from __future__ import annotations

import pytest

from assay.campaign.ordinals import ordinal

SPELLED = {
    1: "first",
    9: "ninth",
    10: "10th",
    11: "11th",
    13: "13th",
    21: "21st",
    32: "32nd",
    103: "103rd",
    112: "112th",
}


@pytest.mark.parametrize("number", SPELLED)
def test_a_number_as_an_ordinal(number: int) -> None:
    assert ordinal(number) == SPELLED[number]
