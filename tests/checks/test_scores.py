"""What a score of IO500 should be: the geometric mean of what its phases should."""

from __future__ import annotations

from typing import Any

import pytest

from assay.checks.benchmarks.io500 import _Mean
from assay.checks.entry import Expectation, Measured, Metric, Requirement
from assay.subject import Subject
from clusters import system

CLUSTER = system()


def part(name: str, ground: Any = "hardware", **limits: float | None) -> Metric:
    """A phase of which these limits are expected."""
    figures = {"bound": None, "floor": None, "ceiling": None, **limits}

    def rule(_: Any, requirement: Requirement, __: Measured) -> Expectation:
        return Expectation(requirement.unit, ground, derivation="a trial", **figures)

    return Metric(name, "GiB/s", rule)


def score(*parts: Metric, cluster: Any = CLUSTER) -> Expectation:
    rule = _Mean(parts).score
    metric = Metric("score", "GiB/s", rule)
    requirement = Requirement("Trial", "endtoend", "clients", metric, Subject("clients"))
    return rule(cluster, requirement, Measured({}))


def test_a_score_is_the_geometric_mean_of_its_parts() -> None:
    one = score(
        part("a", bound=4.0, floor=1.0, ceiling=8.0), part("b", bound=9.0, floor=4.0, ceiling=18.0)
    )
    assert (one.bound, one.floor, one.ceiling) == pytest.approx((6, 2, 12))
    assert one.ground == "hardware"
    assert "floor 2.00 GiB/s, the mean of their floors" in one.derivation
    assert "ceiling the mean" not in one.derivation


def test_a_score_stands_on_what_its_parts_stand_on() -> None:
    one = score(part("a", bound=4.0, ceiling=4.0), part("b", "measured", bound=9.0, ceiling=18.0))
    assert one.ground == "measured"
    assert one.floor is None
    assert one.derivation.endswith("; ceiling the mean of their ceilings")


def test_without_a_bound_of_one_part_there_is_none_of_the_score() -> None:
    one = score(part("a", bound=4.0, floor=1.0, ceiling=8.0), part("b", floor=4.0))
    assert (one.ground, one.bound, one.floor, one.ceiling) == (
        "reference",
        None,
        pytest.approx(2),
        None,
    )
    assert one.derivation.startswith("no bound: b has no bound")
    none = score(part("a", bound=4.0, floor=1.0, ceiling=8.0), part("b"))
    assert (none.ground, none.floor) == ("nothing", None)


def test_a_site_has_its_own_floor_for_a_score() -> None:
    own = CLUSTER.model_copy(update={"floors": {"Trial.score": 0.5}})
    one = score(part("a", bound=4.0, floor=1.0, ceiling=4.0), cluster=own)
    assert one.floor == 2
    assert "the mean of their floors" not in one.derivation
