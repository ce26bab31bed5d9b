"""How floor and ceiling follow from a bound, from a reference, and from the layers below."""

from __future__ import annotations

from typing import Any

import pytest

from assay.checks import figures
from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import MEBIBYTE
from assay.checks.daos_path import DaosPath
from assay.checks.entry import Expectation, Measured, Metric, Requirement, credible
from assay.checks.figures import Unrated
from assay.checks.references import Law, Reference
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.units import Quantity
from clusters import system

CLUSTER = system(servers=2)
HOST = Subject("c1")


def requirement(
    unit: str = "MiB/s", better: Any = "higher", subject: Subject = HOST
) -> Requirement:
    metric = Metric("figure", unit, Unrated("a trial"), better=better)
    return Requirement("Trial", "endtoend", "clients", metric, subject)


RATE, TIME = requirement(), requirement("us", "lower")


def limit(value: float, unit: str = "MiB/s") -> Limit:
    return Limit("it", Quantity(value, unit), "what it is made of", "a sheet")


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a reference apply to every figure."""

    def ship(**parts: Any) -> None:
        entry = Reference(figures=("Trial.figure",), source="a source", **parts)
        monkeypatch.setattr(figures, "reference", lambda *_: entry)

    return ship


def expected(
    required: Requirement = RATE, bound: float | None = 1000.0, **more: Any
) -> Expectation:
    unit = required.unit
    most = None if bound is None else tightest([limit(bound, unit)], unit)
    return figures.within(more.pop("cluster", CLUSTER), required, most, "unknown", **more)


def test_without_a_reference_there_is_no_floor() -> None:
    rate = expected()
    assert (rate.ground, rate.bound, rate.floor, rate.ceiling) == ("hardware", 1000, None, 1000)
    time = expected(TIME)
    # A time is no shorter than its bound.
    assert (time.bound, time.floor, time.ceiling) == (1000, 1000, None)
    assert expected(bound=None).ground == "nothing"


def test_a_fraction_is_of_the_bound(shipped: Any) -> None:
    shipped(fraction=0.5, kept=0.8)
    assert expected().floor == 400
    assert expected(TIME).ceiling == pytest.approx(1000 / 0.4)
    assert "floor 40% (a source" in expected().derivation
    # Nothing to take a fraction of.
    assert expected(bound=None).ground == "nothing"


def test_a_ceiling_may_be_above_the_bound() -> None:
    assert expected(ceiling=limit(1100)).ceiling == 1100
    assert expected(ceiling=limit(1100)).bound == 1000
    assert expected(TIME, ceiling=limit(500, "us")).floor == 500


def test_what_has_a_rule_can_be_judged() -> None:
    assert not figures.is_judged(RATE.metric)
    assert figures.is_judged(Metric("figure", "MiB/s", DaosPath().bandwidth))
    assert figures.is_judged(Metric("figure", "MiB/s", lambda *_: expected()))


@pytest.mark.parametrize(("own", "asked"), [("tcp", "tcp"), (None, CLUSTER.provider)])
def test_a_reference_is_of_the_provider_that_was_measured(
    monkeypatch: pytest.MonkeyPatch, own: str | None, asked: str
) -> None:
    seen: list[tuple[Any, ...]] = []
    monkeypatch.setattr(figures, "reference", lambda *parts: seen.append(parts))
    metric = Metric("figure", "MiB/s", Unrated("a trial"), provider=own)
    subject = Subject("clients", backend="dfs")
    expected(Requirement("Trial", "endtoend", "clients", metric, subject))
    assert seen == [("Trial.figure", "dfs", asked, "dcpm")]


def test_each_process_counts_and_none_is_no_floor(shipped: Any) -> None:
    shipped(each_process="40 MiB/s", kept=0.5)
    assert expected().floor is None
    assert expected(processes=10).floor == 200
    assert expected(processes=0).floor is None
    unbound = expected(bound=None, processes=10)
    assert (unbound.ground, unbound.floor, unbound.ceiling) == ("reference", 200, None)
    assert "floor 200 MiB/s: 10 processes × 40.0 MiB/s" in expected(processes=10).derivation


def test_each_target_counts(shipped: Any) -> None:
    shipped(each_target="40 MiB/s")
    # Two servers with one engine of two targets each; or one engine.
    assert expected().floor == 160
    assert expected(requirement(subject=Subject("s1", engine=0))).floor == 80


def with_targets(host: str, targets: int) -> Cluster:
    described = CLUSTER.hosts[host]
    (engine,) = described.engines
    other = described.model_copy(
        update={"engines": (engine.model_copy(update={"targets": targets}),)}
    )
    return CLUSTER.model_copy(update={"hosts": {**CLUSTER.hosts, host: other}})


def test_a_pair_of_engines_has_the_targets_of_the_smaller() -> None:
    pair = Subject("s1", engine=0).to(Subject("s2", engine=0))
    assert figures.targets(with_targets("s2", 1), pair) == 1
    assert figures.targets(with_targets("s2", 8), pair) == 2
    assert figures.targets(with_targets("s2", 8), HOST) == 10


def test_a_reference_of_other_hardware_requires_half_of_the_bound_at_most(shipped: Any) -> None:
    shipped(least="499 MiB/s")
    assert expected().floor == 499
    shipped(least="501 MiB/s")
    assert expected().floor == 500
    assert expected(bound=None).floor == 501
    shipped(most="2001 us")
    assert expected(TIME).ceiling == 2001
    shipped(most="1999 us")
    assert expected(TIME).ceiling == 2000
    shipped(most="1000 us", kept=0.5)
    assert expected(TIME, bound=None).ceiling == 2000
    assert expected(TIME, bound=None).floor is None


def test_the_most_lenient_part_counts(shipped: Any) -> None:
    shipped(fraction=0.4, least="300 MiB/s")
    assert expected().floor == 300
    shipped(fraction=0.2, least="300 MiB/s")
    assert expected().floor == 200
    shipped(fraction=0.4, most="2600 us")
    assert expected(TIME).ceiling == 2600
    shipped(fraction=0.2, most="2600 us")
    assert expected(TIME).ceiling == 5000


def test_the_floor_stands_on_the_layers_below(shipped: Any) -> None:
    shipped(fraction=0.5)
    one = expected(below=[limit(600), limit(900)])
    assert (one.bound, one.floor, one.ceiling) == (1000, 300, 1000)
    assert "floor 50% of what it is made of (a source)" in one.derivation
    # Too little is known of them.
    assert expected(below=[]).floor is None
    assert " of what it is made of (a source)" not in expected().derivation


def test_a_site_has_its_own_floor(shipped: Any) -> None:
    own = CLUSTER.model_copy(update={"floors": {"Trial.figure": 0.25}})
    assert expected(cluster=own).floor == 250
    assert expected(TIME, cluster=own).ceiling == 4000
    assert "floor 25% (this site's own choice)" in expected(cluster=own).derivation
    shipped(fraction=0.5, kept=0.8)
    assert expected(cluster=own).floor == 250
    assert "the shipped floor is 40%)" in expected(cluster=own).derivation
    shipped(least="1 MiB/s")
    assert "the shipped floor is a source)" in expected(cluster=own).derivation
    # Of the layers below, if the bound is unknown; and of nothing, nothing.
    assert expected(cluster=own, bound=None, below=[limit(400)]).floor == 100
    assert expected(cluster=own, bound=None).floor == 1


def test_what_stands_on_measured_figures_may_be_twice_as_good() -> None:
    one = figures.standing_on(CLUSTER, RATE, [limit(900), limit(1000)], limit(500))
    assert (one.ground, one.bound, one.ceiling) == ("measured", 900, 1800)
    assert one.derivation.endswith("ceiling 2 times their best")


def test_a_count_is_exact() -> None:
    one = figures.exactly(requirement("process"), 4, "one a core")
    assert (one.ground, one.bound, one.floor, one.ceiling) == ("count", 4, 4, 4)


def test_a_transfer_takes_its_size_over_its_limit() -> None:
    bound = figures.shortest(MEBIBYTE, limit(1000))
    assert bound is not None
    assert bound.value.to("us").value == pytest.approx(1000)
    assert bound.limits[0].made_of == "1.00 MiB / what it is made of"
    assert figures.shortest(MEBIBYTE, None) is None


def test_only_what_was_measured_has_a_least_and_a_median() -> None:
    first, second = requirement(), requirement(subject=Subject("c2"))
    nothing = requirement(subject=Subject("c3"))
    measured = Measured({first: [9.0, 11.0, 10.0], second: [8.5, 9.5], nothing: []}, "quick")
    assert measured.least("Trial.figure") == (8.5, "Trial.figure on c2")
    assert measured.medians("Trial.figure") == {HOST: 10, Subject("c2"): 9}
    assert measured.least("Trial.other") is None
    assert measured.medians("Trial.other") == {}
    assert (len(measured), measured.scale) == (3, "quick")


def test_what_is_shared_is_worked_out_once() -> None:
    counted = iter(range(9))
    measured = Measured({})
    assert [measured.once("key", lambda: next(counted)) for _ in range(3)] == [0, 0, 0]
    assert measured.once("other", lambda: next(counted)) == 1


def test_samples_that_nobody_believes_are_no_measure() -> None:
    assert credible([50, 100, 200]) == [50, 100, 200]
    assert credible([49, 100, 201]) == [100]


@pytest.mark.parametrize(
    ("entry", "more", "words"),
    [
        ({"most": "300 us"}, {"bound": None}, "; ceiling 300 us (a source"),
        ({"most": "1000 us", "kept": 0.5}, {"bound": None}, "; ceiling 2,000 us: 1,000 us (a"),
        ({"fraction": 0.5}, {}, "; ceiling 2 times the bound (a source"),
        ({"fraction": 0.2}, {"below": [limit(600, "us")]}, "; ceiling 5 times what it is made of"),
    ],
)
def test_the_slow_side_of_a_time_is_called_its_ceiling(
    shipped: Any, entry: Any, more: Any, words: str
) -> None:
    shipped(**entry)
    derivation = expected(TIME, **more).derivation
    assert words in derivation
    assert "floor" not in derivation


def test_a_time_without_a_reference_or_with_one_of_the_site_has_a_ceiling_too(shipped: Any) -> None:
    assert expected(TIME).derivation.endswith("; no ceiling")
    shipped(fraction=0.5)
    own = CLUSTER.model_copy(update={"floors": {"Trial.figure": 0.25}})
    assert expected(TIME, cluster=own).derivation.endswith(
        "; ceiling 4 times (this site's own choice; the shipped ceiling is 2 times)"
    )


def law(**parts: Any) -> Law:
    return Law(interval=(0.9, 1.1), runs=20, systems=7, **parts)


def test_the_times_of_a_law_add_up(shipped: Any) -> None:
    # 4 targets × 100 are 400, 10 processes × 40 the same, and half of them is 200.
    shipped(derived=law(each_process="40 MiB/s", each_target="100 MiB/s"), kept=0.8)
    one = expected(bound=None, processes=10)
    assert (one.ground, one.floor) == ("reference", pytest.approx(160))
    assert "10 processes × 40.0 MiB/s, 4 targets × 100 MiB/s" in one.derivation
    assert "four fifths of 20 published runs on 7 systems" in one.derivation
    shipped(derived=law(each_process="40 MiB/s", fraction=0.4))
    assert expected(processes=10).floor == pytest.approx(200)


def test_a_further_copy_takes_a_target_its_own_time(shipped: Any) -> None:
    shipped(derived=law(each_target="100 MiB/s", each_copy="50 MiB/s"))
    assert expected(bound=None).floor == pytest.approx(400)
    # Two more copies: 1 / 400 s and 2 / 200 s.
    assert expected(bound=None, copies=3).floor == pytest.approx(80)


def test_without_one_of_its_parts_a_law_requires_nothing(shipped: Any) -> None:
    shipped(derived=law(each_process="40 MiB/s", each_target="100 MiB/s"))
    assert expected(processes=0).floor is None
    shipped(derived=law(each_target="100 MiB/s", fraction=0.5))
    assert expected(below=[]).floor is None
    assert expected(bound=None).floor is None
    assert expected(below=[limit(600)]).floor == pytest.approx(1 / (1 / 400 + 1 / 300))


def test_a_law_of_other_hardware_requires_half_of_the_bound_at_most(shipped: Any) -> None:
    shipped(derived=law(each_target="200 MiB/s"))
    assert expected().floor == 500
    assert expected(bound=None).floor == pytest.approx(800)
