"""The sizes of each check at each scale, and what its metrics move."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.checks.benchmarks import ior_by_rank
from assay.checks.entry import Check
from assay.checks.plan import CHECKS
from assay.units import Quantity

each_check = pytest.mark.parametrize("check", CHECKS.values(), ids=list(CHECKS))

PAGES = Path(__file__).parents[2] / "docs/checks"


@each_check
def test_an_acceptance_measures_no_less_than_a_trial(check: Check) -> None:
    acceptance = check.scales["acceptance"]
    for size, quick in check.scales.get("quick", acceptance).items():
        assert acceptance[size] >= quick, size
    assert acceptance["repetitions"] >= 3


def test_pools_on_each_rank_are_made_for_an_acceptance_alone() -> None:
    assert {check for check in CHECKS.values() if not check.has("quick")} == {
        ior_by_rank.IOR_BY_RANK
    }


NAMED = re.compile(r"_(\d+)([bkm])(?:_|$)")
UNITS = {"b": "B", "k": "KiB", "m": "MiB"}


@each_check
def test_a_metric_that_names_a_size_moves_as_much(check: Check) -> None:
    for metric in check.metrics:
        for count, unit in NAMED.findall(metric.name):
            assert metric.transfer == Quantity(float(count), UNITS[unit]), metric.name


@each_check
def test_a_time_is_that_of_one_operation_and_better_if_it_is_less(check: Check) -> None:
    for metric in check.metrics:
        assert (metric.better == "lower") == (metric.unit in ("us", "s")), metric.name
        if metric.better == "lower":
            assert metric.in_flight in (None, 1), metric.name
