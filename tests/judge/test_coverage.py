"""Nothing is accepted that nobody judged, and slow storage is stopped with its layer named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.campaign.results import Results
from assay.checks.accepted import Accepted
from assay.checks.expect import Measured, expectation
from assay.checks.plan import Requirement, requirements
from assay.cluster.description import Cluster
from assay.judge.coverage import causes, coverage, has_been_judged
from assay.judge.signoff import Gate, SignOff, sign_off
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver
from assay.report import html, junit, summary, words
from assay.subject import Subject
from clusters import SSD, described
from sites import site


def storage_site(ssd: str | None = SSD, clients: int = 4) -> dict[str, Any]:
    document = site(servers=2, engines=2, clients=clients)
    document["benchmarks"] = {
        **{name: f"/opt/{name}" for name in ("fio_dfs", "ior", "mdtest", "io500", "fi_pingpong")},
        "ior_apis": ["DFS"],
    }
    document["daos"] |= {"pool": "tank", "container": "posix", "mount": "/mnt/dfuse"}
    for host in document["hosts"].values():
        host["datasheets"] = {"ssd": ssd, "memory": "DDR4-3200"} if ssd else {}
    return document


def storage_cluster(ssd: str | None = SSD) -> Cluster:
    return described(storage_site(ssd))


Change = Callable[[Requirement], float]


def sound(_: Requirement) -> float:
    return 1.0


LATENCIES = {
    "latency_64b": 2.0,
    "latency_empty": 8.0,
    "latency_get_1m": 70.0,
    "latency_put_1m": 70.0,
    "latency_iov_2k": 9.0,
    "latency_p50": 40.0,
    "latency_p95": 60.0,
    "latency_p99": 90.0,
    "update_latency_4k": 12.0,
    "fetch_latency_4k": 2.4,
    "NvmeIops.latency_4k": 85.0,
    "FioDfs.latency_4k": 130.0,
}
"""In microseconds."""


def level(cluster: Cluster, required: Requirement, measured: Measured) -> float:
    """A plausible figure of a sound cluster: 0.8 of its bound, or what others measured."""
    if (listed := LATENCIES.get(required.figure, LATENCIES.get(required.name))) is not None:
        return listed
    expected = expectation(cluster, required, measured)
    if expected.ground == "count":
        return expected.bound or 1.0
    if required.metric.unit in ("op/s", "kop/s", "score") and expected.floor:
        return min(2.5 * expected.floor, expected.ceiling or 1e30)
    if required.check.startswith("VosPerf"):
        return (expected.floor or 1.0) * 2.1
    if required.check == "NvmeBandwidth":
        return (expected.bound or 1.0) * 0.98
    return (expected.bound or 1000.0) * 0.8


def _levels(cluster: Cluster) -> dict[Requirement, float]:
    plan = requirements(cluster)
    samples: dict[Requirement, Sequence[float]] = {
        required: [LATENCIES[required.name]] for required in plan if required.name in LATENCIES
    }
    for required in plan:  # from the lowest layer up
        samples[required] = [level(cluster, required, Measured(samples, "acceptance"))]
    return {required: figures[0] for required, figures in samples.items()}


_CLUSTERS = {SSD: storage_cluster(), None: storage_cluster(None)}


def signed(
    change: Change = sound, waivers: Sequence[Waiver] = (), ssd: str | None = SSD
) -> SignOff:
    """A campaign of a sound cluster, with some figures so many times as good."""
    return signed_of(_CLUSTERS[ssd], LEVELS[ssd], change, waivers)


def signed_of(
    cluster: Cluster,
    levels: dict[Requirement, float],
    change: Change = sound,
    waivers: Sequence[Waiver] = (),
    baseline: Accepted | None = None,
) -> SignOff:
    """A campaign of a cluster with these figures, some of them so many times as good."""
    rng = Random(7)
    samples: dict[Requirement, list[float]] = {}
    for required in requirements(cluster):
        figure = levels[required]
        if required.metric.unit != "process":
            figure *= change(required) if required.metric.better == "higher" else 1.0
            figure /= change(required) if required.metric.better == "lower" else 1.0
            samples[required] = [figure * (1 + rng.gauss(0, 0.003)) for _ in range(7)]
        else:
            samples[required] = [figure] * 7
    results = SimpleNamespace(
        cases={},
        host_changes=(),
        fingerprints=(),
        looks=1,
        stopped=frozenset(),
        samples=lambda metric: samples[metric],
        problems=lambda _: [],
        raw=lambda _: [],
        as_run=lambda metric: metric,
        sizes=lambda metric: {},
        scale="acceptance",
        reports=[],
        started=datetime(2026, 3, 2, tzinfo=UTC),
        ended=datetime(2026, 3, 2, tzinfo=UTC),
        reframe="4.10.4",
        deviations=(),
        engine_errors=[],
        begun=(),
    )
    made_at = datetime(2026, 3, 2, tzinfo=UTC)
    judged = cast("Results", results)
    return sign_off(cluster, judged, Gate.ACCEPTANCE, waivers, made_at=made_at, baseline=baseline)


LEVELS: dict[Any, dict[Requirement, float]] = {
    ssd: _levels(cluster) for ssd, cluster in _CLUSTERS.items()
}


def of_layers(*layers: str, factor: float) -> Change:
    return lambda required: factor if required.layer in layers else 1.0


def test_a_sound_campaign_is_accepted_and_says_how_much_was_judged() -> None:
    sign_off = signed()
    assert sign_off.stopped_by == ()
    assert sign_off.passed
    passing, total = sign_off.counts[Verdict.PASS], len(sign_off.judgements)
    assert f": {passing:,} of {total:,} metrics pass, " in sign_off.headline


@pytest.mark.parametrize("factor", [0.01, 0.1, 0.3, 0.5])
def test_slow_figures_of_users_stop_the_campaign_and_the_first_line_says_where(
    factor: float,
) -> None:
    sign_off = signed(of_layers("endtoend", "metadata", factor=factor))
    assert not sign_off.passed
    assert "first: endtoend: " in sign_off.headline
    lines = summary.render(sign_off).splitlines()
    assert "endtoend" in " ".join(lines[:3])


@pytest.mark.parametrize("factor", [0.01, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("layer", ["network", "ssd"])
def test_where_all_is_slow_that_stands_on_a_layer_that_layer_is_named(
    layer: str, factor: float
) -> None:
    above = ("endtoend", "metadata") if layer == "network" else ("endtoend",)
    sign_off = signed(of_layers(layer, *above, factor=factor))
    assert f"first: {layer}: " in sign_off.headline


def test_scm_at_a_hundredth_is_stopped() -> None:
    sign_off = signed(of_layers("scm", factor=0.01))
    assert "first: scm: " in sign_off.headline


def test_a_layer_of_which_nothing_is_judged_blocks_acceptance() -> None:
    sign_off = signed(ssd=None)
    unjudged = {(each.layer, each.direction) for each in sign_off.unjudged}
    assert ("ssd", "read") in unjudged
    assert ("endtoend", "write") in unjudged
    assert not sign_off.passed
    assert "nothing was judged in ssd read" in sign_off.headline
    text = " ".join(summary.render(sign_off).split())
    assert "not judged: ssd read (engines' SSDs), 80 metrics" in text
    assert words.UNJUDGED in text
    assert words.UNJUDGED in html.render(sign_off)
    assert 'type="coverage" message="not judged: ssd read' in junit.render(sign_off)


def test_a_named_waiver_lets_a_class_through_and_the_headline_says_of_what() -> None:
    waiver = Waiver(
        metric="NvmeIops.*", reason="no sheet", owner="Ada Byron", expires=date(2026, 6, 1)
    )
    other = waiver.model_copy(update={"metric": "NvmeBandwidth.*"})
    sign_off = signed(waivers=[waiver, other], ssd=None)
    assert "ssd" not in {each.layer for each in sign_off.unjudged}
    judgements = tuple(j for j in sign_off.judgements if j.requirement.layer in ("ssd", "scm"))
    alone = replace(sign_off, judgements=judgements)
    assert "waived (100% of ssd)" in alone.headline


@pytest.mark.parametrize(
    ("verdict", "judged"),
    [
        (Verdict.PASS, True),
        (Verdict.BELOW, True),
        (Verdict.IMPLAUSIBLE, True),
        (Verdict.MISSING, False),
        (Verdict.WAIVED, False),
        (Verdict.UNRATED, False),
    ],
)
def test_a_metric_has_been_judged_if_it_was_held_against_a_limit(
    verdict: Verdict, *, judged: bool
) -> None:
    judgements = signed().judgements
    for better in ("higher", "lower"):
        example = next(each for each in judgements if each.requirement.metric.better == better)
        limits = replace(example.expectation, floor=1.0, ceiling=1.0)
        both = replace(example, verdict=verdict, expectation=limits)
        assert has_been_judged(both) == judged
        other = replace(limits, floor=None) if better == "higher" else replace(limits, ceiling=None)
        assert not has_been_judged(replace(both, expectation=other))


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("no NIC of s1", "no NIC of …"),
        ("s1: no NIC, s1", "…: no NIC, …"),
        ("no NIC of s11, xs1, s1.example or rack-s1", "no NIC of s11, xs1, s1.example or rack-s1"),
        # The engine before its host.
        ("no NIC of s1/engine0", "no NIC of …"),
        ("no NIC of (s1)", "no NIC of (…)"),
    ],
)
def test_a_cause_has_no_hosts(reason: str, cause: str) -> None:
    unrated = (each for each in signed(ssd=None).judgements if each.verdict is Verdict.UNRATED)
    example = next(unrated)
    required = replace(example.requirement, subject=Subject("s1", engine=0))
    derivation = f"nothing to judge by: {reason}"
    limits = replace(example.expectation, ground="nothing", derivation=derivation)
    assert causes([replace(example, requirement=required, expectation=limits)]) == {cause: 1}


def test_a_cause_names_the_clients_where_they_are_the_subject() -> None:
    example = next(each for each in signed(ssd=None).judgements if each.verdict is Verdict.UNRATED)
    limits = replace(example.expectation, ground="nothing", derivation="engines run on the clients")
    whole = replace(example.requirement, subject=Subject("clients", backend="dfs"))
    assert causes([replace(example, requirement=whole, expectation=limits)]) == {
        "engines run on the clients": 1
    }


def test_a_metric_with_a_bound_alone_is_unrated_for_want_of_a_floor() -> None:
    example = signed().judgements[0]
    limits = replace(example.expectation, ground="hardware")
    bounded = replace(example, verdict=Verdict.UNRATED, expectation=limits)
    assert causes([bounded]) == {f"{example.requirement.figure} has a bound, but no floor": 1}


def test_unrated_metrics_are_listed_by_cause() -> None:
    sign_off = signed(ssd=None)
    listed = causes(sign_off.judgements)
    assert listed["no SSD is named for the engines"] == 16 * 5
    assert sum(listed.values()) == sign_off.counts[Verdict.UNRATED]
    assert "80: no SSD is named for the engines" in summary.render(sign_off)


def test_what_only_informs_is_not_a_class_of_its_own() -> None:
    classes = coverage(signed().judgements)
    assert all(each.judged for each in classes)
