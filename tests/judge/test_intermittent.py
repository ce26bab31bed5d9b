"""What is slow from time to time (made-up figures)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.judge.intermittent import intermittent
from assay.judge.judgement import Measurement, judge
from assay.judge.limits import Limits, no_ends
from assay.judge.verdict import Verdict
from assay.subject import Subject
from judged import OWED, UNRATED

PEERS = 8


def judged(*wild: int) -> list[tuple[Verdict, str]]:
    """Each peer has so many samples of eleven that are 40 % slow."""
    rng = np.random.default_rng(4)
    rows = []
    for number in wild:
        row = 1000 * (1 + rng.normal(0, 0.01, 11))
        row[rng.permutation(11)[:number]] *= 0.6
        rows.append(row.tolist())
    cases = [
        Measurement(replace(OWED, subject=Subject(f"n{number}")), row, UNRATED)
        for number, row in enumerate(rows)
    ]
    return [(each.verdict, each.reason) for each in judge(cases).judgements]


@pytest.mark.parametrize(("wild", "verdict"), [(1, Verdict.UNRATED), (4, Verdict.UNSTEADY)])
def test_several_samples_that_no_peer_has_are_a_question(wild: int, verdict: Verdict) -> None:
    *others, last = judged(*[0] * (PEERS - 1), wild)
    assert {each for each, _ in others} == {Verdict.UNRATED}
    assert last[0] is verdict
    if verdict is Verdict.UNSTEADY:
        assert "4 of its 11 samples are far below those of its peers" in last[1]


def test_what_all_peers_have_is_their_noise() -> None:
    assert not any("from time to time" in reason for _, reason in judged(*[3] * PEERS))


def is_named(wild: int, elsewhere: int, peers: int = 4, others: int = 64) -> bool:
    """Whether the first of some peers is, and nobody else, of 20 samples each."""
    size = peers + others
    counts = np.zeros(size, dtype=int)
    counts[0], counts[peers : peers + elsewhere] = wild, 1
    limits = Limits(
        best=np.full(size, np.nan),
        worst=np.full(size, np.nan),
        more=np.ones(size, dtype=bool),
        group=np.repeat([0, 1], [peers, others]),
        subject=np.arange(size),
        host=np.arange(size),
        ends=no_ends(size),
    )
    compared = np.ones(size, dtype=bool)
    named = intermittent(counts, np.full(size, 20.0), limits, compared)
    assert not named[1:].any()
    return bool(named[0])


def test_three_peers_show_little_and_the_rest_of_the_campaign_more() -> None:
    assert is_named(3, elsewhere=0)
    assert not is_named(2, elsewhere=0)
    assert not is_named(3, elsewhere=0, others=0)
    assert not is_named(3, elsewhere=16)
    assert is_named(6, elsewhere=16)
