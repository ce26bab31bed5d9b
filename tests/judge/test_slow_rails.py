"""A campaign on clients with several rails: the one that is slow is named, and no other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.cluster.description import Cluster
from assay.judge.judgement import Judgement, Measurement, judge
from assay.judge.verdict import Verdict
from assay.subject import Subject
from sites import site

SLOW = Subject("c3", rail="ib1")
OF_RAILS = ("FiPingpong", "SelfTestByRail")
LEVELS = {"bandwidth_1m": 18_000.0, "latency_64b": 21.0, "latency_empty": 7.4}
"""MiB/s and us of a sound rail of 200 Gbit/s; other figures are at the level of SelfTest."""


def campaign(slow: Subject | None, share: float, clients: int, seed: int) -> list[Judgement]:
    """How a campaign is judged in which a rail reaches a share of the speed of the others."""
    document: dict[str, Any] = site(servers=2, engines=2, clients=clients, rails=2)
    document["benchmarks"] = {"fi_pingpong": "/opt/bin/fi_pingpong"}
    cluster = Cluster.model_validate(document)
    rng = np.random.default_rng(seed)
    measurements = []
    for each in requirements(cluster, "acceptance"):
        if each.check not in OF_RAILS or each.partition != "clients":
            continue
        level = LEVELS.get(each.name, 18_000.0)
        if slow in each.subject.ends:
            level *= share if each.metric.better == "higher" else 1 / share
        samples = level * (1 + 0.005 * rng.standard_normal(5))
        expected = expectation(cluster, each, Measured({}, "acceptance"))
        measurements.append(Measurement(each, samples.tolist(), expected))
    return list(judge(measurements).judgements)


def slow_ones(judged: list[Judgement]) -> dict[str, str]:
    """What each figure that does not pass is attributed to."""
    slow = [each for each in judged if each.verdict in (Verdict.BELOW, Verdict.UNSTEADY)]
    return {each.requirement.key: each.culprit for each in slow}


@pytest.mark.parametrize("clients", [4, 8])
def test_a_rail_at_60_percent_is_named(clients: int) -> None:
    judged = campaign(SLOW, 0.6, clients, 11)
    named = slow_ones(judged)
    of_rail = {each.requirement.key for each in judged if SLOW in each.requirement.subject.ends}
    assert set(named) == of_rail
    assert set(named.values()) == {str(SLOW)}


@pytest.mark.parametrize("seed", range(5))
def test_sound_rails_are_not_accused(seed: int) -> None:
    assert slow_ones(campaign(None, 1.0, 6, seed)) == {}


def test_a_slow_engine_is_not_taken_for_a_rail() -> None:
    engine = Subject("s1", engine=1)
    named = slow_ones(campaign(engine, 0.6, 8, 11))
    assert named
    assert set(named.values()) == {str(engine)}
