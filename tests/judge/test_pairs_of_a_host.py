"""Pairs of engines of one host, between which there is no wire, beside pairs of two hosts."""

import random

from support.clusters import described
from support.sites import site

from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.judge.judgement import Measurement, judge
from assay.judge.verdict import Verdict

CLUSTER = described(site("ephemeral", servers=4, engines=2, clients=1))
PAIRS = [m for m in requirements(CLUSTER) if m.figure == "SelfTestCrossServer.latency_empty"]
QUICKER = 0.65


def test_quick_pairs_within_hosts_are_not_peers_of_pairs_across_the_wire() -> None:
    rng = random.Random(20_250)
    measurements = []
    for metric in PAIRS:
        level = 8.0 * (QUICKER if len(metric.subject.hosts) == 1 else 1.0)
        samples = [level * rng.gauss(1, 0.01) for _ in range(7)]
        expected = expectation(CLUSTER, metric, Measured({}, "acceptance"))
        measurements.append(Measurement(metric, samples, expected))
    judgements = judge(measurements).judgements
    within = [j for j in judgements if len(j.requirement.subject.hosts) == 1]
    across = [j for j in judgements if len(j.requirement.subject.hosts) == 2]
    assert len(within) == 4
    assert {j.peers.count for j in within if j.peers} == {4}
    assert {j.peers.count for j in across if j.peers} == {24}
    for judgement in (*within, *across):
        assert judgement.verdict in (Verdict.PASS, Verdict.UNRATED), judgement.reason
