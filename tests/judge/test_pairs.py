"""Pairs by a two-way model: which end, which cable, which switch."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from assay.checks.expect import Expectation
from assay.checks.figures import Unrated
from assay.checks.plan import Metric, Requirement
from assay.judge.judgement import Judgement, Measurement, judge
from assay.judge.pairs import _voted, islands, polish
from assay.judge.peers import _between_pairs
from assay.judge.populations import deviation, scale
from assay.judge.verdict import Verdict
from assay.subject import Subject
from synthetic import campaign, cluster, quiet

BANDWIDTH = Requirement(
    "SelfTestCrossServer",
    "network",
    "servers",
    Metric("get_1m", "MiB/s", Unrated("a trial")),
    Subject("s1"),
)
NOTHING = Expectation("MiB/s", "nothing", None, None, None, "nothing to judge by: a trial")

Design = Sequence[tuple[int, int]]
RING = [(host, (host + 1) % 16) for host in range(16)]
ALL = list(combinations(range(16), 2))


def measured(design: Design, factor: Callable[[int, int], float], spread: float = 0.01):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(3)
    return judge(
        [
            Measurement(
                replace(BANDWIDTH, subject=Subject(f"s{a + 1}").to(Subject(f"s{b + 1}"))),
                list(20_000 * factor(a, b) * (1 + spread * rng.standard_normal(7))),
                NOTHING,
            )
            for a, b in design
        ]
    ).judgements


def slow(judged: Sequence[Judgement]) -> dict[str, str]:
    return {
        str(j.requirement.subject): j.culprit
        for j in judged
        if j.verdict in (Verdict.BELOW, Verdict.UNSTEADY)
    }


@pytest.mark.parametrize("design", [RING, ALL], ids=["ring", "all"])
def test_a_slow_host_is_named_and_not_the_other_ends_of_its_pairs(design: Design) -> None:
    judged = measured(design, lambda a, b: 0.9 if 7 in (a, b) else 1.0)
    culprits = slow(judged)
    assert len(culprits) == sum(7 in pair for pair in design)
    assert set(culprits.values()) == {"s8"}
    assert {j.verdict for j in judged if j.culprit} == {Verdict.BELOW}
    assert all("; s8 is 10." in j.reason or "; s8 is 9." in j.reason for j in judged if j.culprit)


@pytest.mark.parametrize("design", [RING, ALL], ids=["ring", "all"])
def test_a_cable_is_named_by_what_it_connects(design: Design) -> None:
    judged = measured(design, lambda a, b: 0.85 if (a, b) == (3, 4) else 1.0)
    assert slow(judged) == {"s4>s5": "between s4 and s5"}
    assert "s4 and s5 is 1" in next(j.reason for j in judged if j.culprit)


@pytest.mark.parametrize("design", [RING, ALL], ids=["ring", "all"])
@pytest.mark.parametrize("border", [8, 4])
def test_a_switch_is_named_by_both_of_its_sides(design: Design, border: int) -> None:
    judged = measured(design, lambda a, b: 0.9 if (a < border) != (b < border) else 1.0)
    sides = {8: {"s[1-8]", "s[9-16]"}, 4: {"s[1-4]", "s[5-16]"}}[border]
    culprits = slow(judged)
    assert len(culprits) == sum((a < border) != (b < border) for a, b in design)
    (culprit,) = set(culprits.values())
    assert set(culprit.removeprefix("between ").split(" and ")) == sides


def test_a_slow_host_on_one_side_of_a_slow_switch_is_still_seen() -> None:
    def factor(a: int, b: int) -> float:
        return (0.85 if (a < 8) != (b < 8) else 1.0) * (0.8 if 12 in (a, b) else 1.0)

    culprits = slow(measured(ALL, factor))
    assert {who for pair, who in culprits.items() if "s13" in pair.split(">")} == {"s13"}
    assert "between s[1-8] and s[9-12,14-16]" in set(culprits.values())


@pytest.mark.parametrize("design", [RING, ALL], ids=["ring", "all"])
def test_sound_pairs_of_hosts_that_differ_accuse_nobody(design: Design) -> None:
    own = np.random.default_rng(1).normal(1, 0.02, 16)
    assert slow(measured(design, lambda a, b: min(own[a], own[b]))) == {}


def test_two_slow_pairs_outvote_an_end_and_one_does_not() -> None:
    ends = np.array(RING)
    one = polish(np.where(np.arange(16) == 3, -0.1, 0.0), ends)
    assert np.count_nonzero(one.effect) == 0
    both = polish(np.where(np.isin(np.arange(16), [3, 4]), -0.1, 0.0), ends)
    assert both.effect.nonzero()[0].tolist() == [4]
    assert both.effect[4] == pytest.approx(-0.1)
    assert np.allclose(both.residual, 0)


def test_the_median_of_pairs_has_a_vote_for_no_effect() -> None:
    votes = {(-0.1,): 0.0, (-0.1, -0.1): -0.1, (-0.3, -0.2, -0.1): -0.1, (-0.1, 0.1, 0.1): 0.0}
    for figures, effect in votes.items():
        assert _voted(np.array(figures)) == effect


def test_the_worst_end_is_polished_first() -> None:
    """Its partners are slow in most of their pairs, too, but only in those with it."""
    with_it = [(3, end) for end in (0, 1, 2)] * 4
    among_others = [(0, 1), (1, 2), (2, 0)]
    gain = np.array([-0.1] * len(with_it) + [0.0] * len(among_others))
    polished = polish(gain, np.array(with_it + among_others))
    assert polished.effect == pytest.approx([0, 0, 0, -0.1])


def test_each_effect_of_an_end_takes_a_degree_of_freedom() -> None:
    model = polish(0.01 * np.sin(np.arange(16)), np.array(RING))
    between = deviation(model.residual)
    # Of 16 pairs one more is lost to the median of all.
    for effects, freedom in ((0, 15), (1, 14), (14, 1), (15, 0), (16, 0)):
        shown = replace(model, effect=np.where(np.arange(16) < effects, -0.1, 0.0))
        assert _between_pairs(shown, 0.002, 20.0) == scale(between, 0.002, 20.0, freedom)


def test_islands_are_what_sound_pairs_connect() -> None:
    sound = np.array([(a < 8) == (b < 8) for a, b in RING])
    assert islands(np.array(RING), sound) == [frozenset(range(8)), frozenset(range(8, 16))]


def test_the_headline_names_the_host_and_not_the_other_end_of_its_first_pair() -> None:
    def samples(metric: Requirement) -> list[float]:
        figures = quiet(metric)
        slow = metric.check == "FiPingpong" and "c4" in metric.subject.hosts
        if not slow:
            return figures
        factor = 0.8 if metric.metric.better == "higher" else 1.25
        return [figure * factor for figure in figures]

    signed = campaign(cluster(servers=2, clients=12), samples=samples)
    assert "; 1 cause: network: c4 (FiPingpong.bandwidth_1m on c3>c4 and 1 more" in signed.headline
