"""Metrics that had another name in an earlier release."""

from __future__ import annotations

import pytest

from assay.checks import renamed
from assay.checks.plan import CHECKS
from assay.checks.renamed import RENAMED, Renamed, figure_now, key_now

NOW = {f"{check.name}.{metric.name}" for check in CHECKS.values() for metric in check.metrics}


@pytest.mark.parametrize("old", RENAMED)
def test_an_earlier_name_is_not_used_again_and_leads_to_a_present_one(old: str) -> None:
    assert old not in NOW
    assert figure_now(old) in NOW


def test_a_name_that_was_never_changed_is_the_present_one() -> None:
    assert figure_now("SsdFio.read_1m") == "SsdFio.read_1m"
    assert key_now("SsdFio.read_1m on n1") == "SsdFio.read_1m on n1"


def test_names_that_were_changed_twice_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = {"A.x": Renamed("B.x", "0.2.0"), "B.x": Renamed("C.x", "0.3.0")}
    monkeypatch.setattr(renamed, "RENAMED", twice)
    assert figure_now("A.x") == "C.x"
    assert key_now("A.x on n1>n2") == "C.x on n1>n2"


def test_figures_of_another_measurement_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"A.x": Renamed("B.x", "0.2.0"), "B.x": Renamed("C.x", "0.3.0", is_same=False)}
    monkeypatch.setattr(renamed, "RENAMED", other)
    assert key_now("A.x on n1") is None
    assert figure_now("A.x") == "C.x"
