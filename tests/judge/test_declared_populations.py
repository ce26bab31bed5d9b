"""Populations that the site declares are judged by themselves (made-up figures)."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest

from assay.judge.judgement import Measurement, judge
from assay.judge.verdict import Verdict
from assay.preflight.examine import examine
from assay.subject import Subject
from clusters import described, description
from judged import OWED, UNRATED


@pytest.mark.parametrize(
    ("declared", "verdict"), [("", Verdict.UNSTEADY), ("older", Verdict.UNRATED)]
)
def test_an_older_generation_is_a_question_until_it_is_declared(
    declared: str, verdict: Verdict
) -> None:
    noise = (0.0, 1.03, -0.71, 0.52, -1.24, 0.83, -1.01)
    cases = [
        Measurement(
            replace(OWED, subject=Subject(f"n{host}")),
            [
                level * (1 + each / 100 * (1 + zlib.crc32(f"{host} {each}".encode()) % 97 * 2e-3))
                for each in noise
            ],
            UNRATED,
            population=frozenset({declared} if declared and level < 1000 else ()),
        )
        for host, level in enumerate([1000.0] * 6 + [880.0] * 6)
    ]
    judged = judge(cases).judgements
    assert {each.verdict for each in judged[6:]} == {verdict}
    assert {each.verdict for each in judged[:6]} == {Verdict.UNRATED}


def test_a_population_has_hosts_or_positions_and_pairs_those_of_both_ends() -> None:
    document = description()
    document["populations"] = {"older": ["c1"], "far": ["engine1"]}
    cluster = described(document)
    of = {
        spelling: set(cluster.population(Subject.parse(spelling)))
        for spelling in ("c1", "c2", "c1>c2", "s1/engine1", "s1/engine0", "c1>s1/engine1")
    }
    assert of == {
        "c1": {"older"},
        "c2": set(),
        "c1>c2": {"older"},
        "s1/engine1": {"far"},
        "s1/engine0": set(),
        "c1>s1/engine1": {"older", "far"},
    }


@pytest.mark.parametrize(
    ("populations", "why"),
    [
        ({"older": ["nobody"]}, "should be a host of the cluster, or a position: engine1"),
        ({"older": []}, "should name hosts of the cluster, or positions: engine1"),
        ({"a": ["c1"], "b": ["c1"]}, "should be in one population; it is in a, too"),
    ],
)
def test_a_population_of_nobody_or_twice_is_refused(
    populations: dict[str, list[str]], why: str
) -> None:
    document = description()
    document["populations"] = populations
    problems = [each for each in examine(document)[1] if each.key.startswith("populations.")]
    assert [each.allowed for each in problems] == [why]
