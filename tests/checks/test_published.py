"""Published DAOS systems, judged as this product does, and the floors derived from them."""

from __future__ import annotations

import math

import pytest
from derive import derived
from published import (
    ASKED_HALVES,
    ASKED_MEDIAN,
    ASKED_MOST,
    PAGE,
    Row,
    judged,
    page,
    refused,
    sharpness,
)
from published import rows as every_figure
from systems import published

from assay.checks.references import laws
from assay.judge.verdict import Verdict


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Every figure of every described run, by floors from all other owners."""
    return every_figure()


def test_the_floors_in_use_are_those_that_the_published_figures_give() -> None:
    again = derived()
    shipped = {name: law.model_dump(exclude_none=True) for name, law in laws().items()}
    assert again.keys() == shipped.keys()
    for name, parts in again.items():
        assert parts.keys() == shipped[name].keys(), name
        for part, value in parts.items():
            there = shipped[name][part]
            number = float(value.split()[0]) if isinstance(value, str) else value
            there = there["value"] if isinstance(there, dict) else there
            assert number == pytest.approx(there, rel=0.01), (name, part)


def test_no_law_has_more_parts_than_systems() -> None:
    for name, law in laws().items():
        parts = (law.each_process, law.each_target, law.each_copy, law.fraction)
        assert sum(part is not None for part in parts) < law.systems, name


def test_no_published_figure_is_better_than_possible(rows: list[Row]) -> None:
    assert [row for row in rows if row.verdict is Verdict.IMPLAUSIBLE] == []


def test_a_published_figure_times_a_thousand_is_refused_of_every_phase(rows: list[Row]) -> None:
    missed = [row for row in rows if 1000 * row.figure <= (row.expected.ceiling or math.inf)]
    assert [(row.run.run, row.phase) for row in missed] == []


def test_a_published_figure_below_its_floor_says_what_is_not_known_of_it(rows: list[Row]) -> None:
    below = [row for row in rows if row.verdict is Verdict.BELOW]
    assert [row for row in below if row.phase not in row.run.exceptions] == []


def test_an_exception_is_of_a_figure_that_is_at_its_floor_or_below(rows: list[Row]) -> None:
    over = {(row.run.run, row.phase): row.over_floor for row in rows}
    for run in published().runs:
        for phase in run.exceptions:
            assert over[run.run, phase] < 1.02, (run.run, phase)


def test_the_floors_are_as_sharp_as_asked(rows: list[Row]) -> None:
    sharp = sharpness(rows)
    assert sharp.median <= ASKED_MEDIAN
    assert sharp.most <= ASKED_MOST
    assert sharp.halves >= ASKED_HALVES


def test_the_page_has_what_the_bench_prints(rows: list[Row]) -> None:
    assert page(rows, refused()) == PAGE.read_text("utf-8"), "run make floors"


def test_each_figure_is_published_once() -> None:
    names = [run.run for run in published().runs]
    assert len(names) == len(set(names))
    assert {run.system for run in (*published().runs, *published().claims)} == set(
        published().systems
    )


def test_a_claim_above_what_its_ports_allow_is_refused() -> None:
    """Eight ports of 100 Gbit/s are 93 GiB/s, and 200 were claimed."""
    claim = next(run for run in published().claims if run.system == "Enakta 2U")
    row = judged(claim, "ior_easy_read")
    assert row.expected.bound == pytest.approx(8 * 100e9 / 8 / 2**30)
    assert row.verdict is Verdict.IMPLAUSIBLE
