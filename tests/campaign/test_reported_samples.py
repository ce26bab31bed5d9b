"""Samples of a metric: all of them, in its unit, or the reason why not."""

from __future__ import annotations

import pytest

from assay.campaign.samples import values_of
from assay.checks.plan import CHECKS
from assay.tools.output import Sample

READ = CHECKS["SsdFio"].metric("read_1m")


def samples(unit: str, *values: float) -> list[Sample]:
    return [Sample("read_bandwidth", value, unit) for value in values]


def test_a_unit_of_the_same_kind_is_converted() -> None:
    values, problems = values_of(READ, samples("GiB/s", 1.0, 2.0), 2)
    assert values == [1024.0, 2048.0]
    assert problems == []


@pytest.mark.parametrize(
    ("unit", "problem"),
    [
        ("IO/s", "read_1m: IO/s cannot be converted to MiB/s: they measure different things"),
        ("furlong", "read_1m: 'furlong' is not a unit, such as MiB/s, IO/s or us"),
    ],
)
def test_a_unit_that_does_not_fit_is_named(unit: str, problem: str) -> None:
    values, problems = values_of(READ, samples(unit, 1.0, 2.0), 2)
    assert values == []
    assert problems == [problem]


@pytest.mark.parametrize("count", [1, 3])
def test_neither_more_nor_fewer_samples_than_repetitions(count: int) -> None:
    _, problems = values_of(READ, samples("MiB/s", *[1.0] * count), 2)
    assert problems == [f"read_1m has {count} of 2 samples"]


def test_what_is_not_a_figure_is_a_problem() -> None:
    _, problems = values_of(READ, samples("MiB/s", 1.0, 0.0), 2)
    assert problems == [
        "read_bandwidth is 0 MiB/s; a measurement is above zero, from 1e-09 to 1e+15"
    ]
