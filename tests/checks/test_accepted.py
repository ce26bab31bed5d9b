"""An accepted campaign is a floor for the next one."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assay.checks.accepted import KEPT, Accepted
from assay.checks.expect import expectation
from assay.checks.plan import Requirement, requirements
from assay.cluster.description import Commitment
from assay.judge.judgement import Measurement, judge
from assay.judge.verdict import Verdict
from clusters import described, description
from sites import site

CLUSTER = described(site(clients=4))
HOSTS = described(description(clients=6, servers=6))
PLAN = {required.key: required for required in requirements(CLUSTER)}


def accepted(**medians: float) -> Accepted:
    return Accepted(
        campaign="trial, 2026-03-02",
        measured_to=datetime(2026, 3, 2, tzinfo=UTC),
        sha256="0" * 64,
        medians=medians,
    )


def of(metric: str) -> Requirement:
    return next(required for required in PLAN.values() if required.figure == metric)


def test_what_was_accepted_is_required_again() -> None:
    rate = of("SelfTestClientServer.empty")
    before = expectation(CLUSTER, rate, {})
    after = expectation(CLUSTER, rate, {}, accepted(**{rate.key: 1e6}))
    assert before.floor is None or before.floor < 1e6 * KEPT
    assert after.floor == pytest.approx(1e6 * KEPT)
    assert "90% of the 1,000,000 RPC/s that were accepted (trial, 2026-03-02)" in after.derivation


def test_of_a_time_the_most_is_required_again() -> None:
    time = of("SelfTestClientServer.latency_empty")
    after = expectation(CLUSTER, time, {}, accepted(**{time.key: 9.0}))
    assert after.ceiling == pytest.approx(9.0 / KEPT)


def test_a_baseline_loosens_nothing() -> None:
    bandwidth = of("SelfTestClientServer.get_1m")
    before = expectation(CLUSTER, bandwidth, {})
    assert before.floor is not None
    after = expectation(CLUSTER, bandwidth, {}, accepted(**{bandwidth.key: before.floor}))
    assert (after.floor, after.derivation) == (before.floor, before.derivation)


def test_a_commitment_counts_before_a_baseline() -> None:
    rate = of("SelfTestClientServer.empty")
    clause = Commitment(metric=rate.figure, figure="500000 RPC/s", clause="contract, 4.2")
    cluster = CLUSTER.model_copy(update={"commitments": (clause,)})
    after = expectation(cluster, rate, {}, accepted(**{rate.key: 1e6}))
    assert after.floor == 500_000


def test_a_pair_is_required_again_whichever_end_comes_first() -> None:
    pair = next(r for r in requirements(HOSTS) if r.subject.peer is not None)
    assert pair.subject.peer
    turned = f"{pair.figure} on {pair.subject.peer.to(pair.subject.end)}"
    assert accepted(**{turned: 7.0}).median(pair) == 7.0


def test_subjects_with_a_baseline_of_their_own_are_peers_all_the_same() -> None:
    subjects = [r for r in requirements(HOSTS) if r.figure == "FiPingpong.bandwidth_1m"][:4]
    floors = accepted(**{r.key: 900.0 + n for n, r in enumerate(subjects)})
    noise = random.Random(7)
    judged = judge(
        [
            Measurement(
                r,
                [(1000 + n) * noise.gauss(1, 0.002) for _ in range(7)],
                replace(expectation(HOSTS, r, {}, floors), ceiling=None),
            )
            for n, r in enumerate(subjects)
        ]
    ).judgements
    assert [j.peers.count if j.peers else 0 for j in judged] == [4] * 4
    assert {j.verdict for j in judged} <= {Verdict.PASS, Verdict.BELOW}
