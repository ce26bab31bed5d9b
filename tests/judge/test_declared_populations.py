"""Populations that the site declares are judged by themselves (made-up figures)."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest
from test_coverage import LEVELS, _levels, signed_of, storage_site

from assay.cluster.description import OTHERS
from assay.judge.declared import REST
from assay.judge.judgement import Measurement, judge
from assay.judge.verdict import Verdict
from assay.preflight.examine import examine
from assay.subject import Subject
from clusters import SSD, described, description
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
    document = description(clients=4)
    document["populations"] = {"older": ["c1", "c2"], "far": ["engine1"]}
    cluster = described(document)
    of = {
        spelling: set(cluster.population(Subject.parse(spelling)))
        for spelling in ("c1", "c3", "c1>c2", "c1>c3", "s1/engine1", "s1/engine0", "c1>s1/engine1")
    }
    assert of == {
        "c1": {"older"},
        "c3": {OTHERS},
        "c1>c2": {"older"},
        "c1>c3": {"older", OTHERS},
        "s1/engine1": {"far"},
        "s1/engine0": {OTHERS},
        "c1>s1/engine1": {"older", "far"},
    }
    assert described(description(clients=4)).population(Subject("c1")) == frozenset()


ALONE = (
    "should be with another host of its partition, which shows how such a host should be; accept"
    " figures of a single one by waivers that name them"
)


@pytest.mark.parametrize(
    ("populations", "why"),
    [
        ({"older": ["nobody"]}, "should be a host of the cluster, or a position: engine1"),
        ({"older": []}, "should name hosts of the cluster, or positions: engine1"),
        (
            {"a": ["c1", "c2"], "b": ["c1", "c3", "c4"]},
            "should be in one population; it is in a, too",
        ),
        ({"slow": ["c1"]}, ALONE),
        ({"slow": ["c1", "s1"]}, [ALONE] * 2),
        ({"sound": ["c1", "c2", "c3"]}, ALONE),
    ],
)
def test_a_population_of_nobody_or_twice_is_refused(
    populations: dict[str, list[str]], why: str | list[str]
) -> None:
    document = description(clients=4, servers=4)
    document["populations"] = populations
    problems = [each for each in examine(document)[1] if each.key.startswith("populations")]
    assert [each.allowed for each in problems] == ([why] if isinstance(why, str) else why)


def test_figures_that_pass_by_a_declaration_are_named_in_the_first_line() -> None:
    """Whoever declares two slow clients to be others has them accepted, and everybody sees it."""
    document = storage_site()
    document["populations"] = {"older": ["c3", "c4"]}
    signed = signed_of(
        described(document),
        LEVELS[SSD],
        lambda required: 0.8 if {"c3", "c4"} & set(required.subject.hosts) else 1.0,
    )
    assert "figures worse than their peers pass by declared populations: older" in signed.headline
    (said,) = (each for each in signed.findings if each.startswith("declared population older"))
    assert "c[3-4]; judged by itself, by which " in said
    sound = signed_of(described(document), LEVELS[SSD])
    assert "declared populations" not in sound.headline


def test_it_is_one_whether_the_slow_ones_are_declared_or_the_others() -> None:
    """Pairs across are peers of each other alone; and who declares the sound ones is seen, too."""
    document = storage_site(clients=8)
    levels = _levels(described(document))
    slow, fast = ["c1", "c2", "c3", "c4"], ["c5", "c6", "c7", "c8"]
    for populations, named in (({"older": slow}, "older"), ({"newer": fast}, f"newer, {REST}")):
        document["populations"] = populations
        signed = signed_of(
            described(document),
            levels,
            lambda required: 0.9 if set(slow) & set(required.subject.hosts) else 1.0,
        )
        assert signed.passed
        assert signed.headline.endswith(f"pass by declared populations: {named}")
    (said,) = (each for each in signed.findings if each.startswith(REST))
    assert ": c[1-4],s[1-2]; judged by itself, by which " in said
