"""Verdicts of metrics that have peers: who is one, and who stands out."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.entry import Ground
from assay.checks.expect import Expectation
from assay.judge.judgement import (
    Judgement,
    Measurement,
    Peers,
    _against_peers,
    judge,
    peer_group,
)
from assay.judge.rating import NATURE
from assay.judge.verdict import Verdict
from assay.subject import Subject
from judged import OWED, RATED, UNRATED


def _own(*of: float) -> float:
    """A number from 0 to 0.2, another of each: no samples are those of others times a factor."""
    return zlib.crc32(repr(of).encode()) % 97 / 485


def among_peers(
    medians: Sequence[float], limits: Expectation = UNRATED, spread: float = 0.01, check: str = ""
) -> list[Judgement]:
    """Metrics of hosts n0, n1 ..., each with seven samples about its median."""
    noise = (0.0, 1.0, -0.7, 0.5, -1.2, 0.8, -1.0)
    return list(
        judge(
            [
                Measurement(
                    replace(OWED, subject=Subject(f"n{number}"), check=check or OWED.check),
                    # No two hosts have the same digits, nor such that differ by a factor.
                    [
                        median * (1 + number * 1e-7) * (1 + spread * n * (1 + _own(number, n)))
                        for n in noise[number % 7 :] + noise[: number % 7]
                    ],
                    limits,
                )
                for number, median in enumerate(medians)
            ]
        ).judgements
    )


@pytest.mark.parametrize(("ground", "peers"), [("measured", 4), ("hardware", 0)])
def test_limits_from_measured_figures_make_no_difference_between_peers(
    ground: Ground, peers: int
) -> None:
    """Each host's are of its own disk, even if the hosts are alike."""
    judged = judge(
        [
            Measurement(
                replace(OWED, subject=Subject(f"n{number}")),
                [level * (1 + each / 1000) for each in (0, 1.03, -0.71, 0.52, -1.24)],
                Expectation("MiB/s", ground, level * 2, level / 2, level * 2, "its own disk"),
            )
            for number, level in enumerate((901.7, 905.3, 899.2, 903.9))
        ]
    ).judgements
    assert [each.peers.count if each.peers else 0 for each in judged] == [peers] * 4


def test_a_slow_device_of_a_fast_host_is_compared_with_the_others_of_its_host() -> None:
    """It is 7.3 % below the median of all, and the seven beside it are 3 % above that."""
    noise = (0.0, 1.0, -0.7, 0.5, -1.2, 0.8, -1.0)
    judged = judge(
        [
            Measurement(
                replace(OWED, subject=Subject(f"s{host}", device=f"0000:{device:02x}:00.0")),
                [
                    level * (1 + 0.001 * each * (1 + _own(host, device, each)))
                    for each in (noise[device % 7 :] + noise[: device % 7])
                ],
                UNRATED,
            )
            for host, own in enumerate((1030.0, 1000.0, 1000.0, 1000.0))
            for device in range(8)
            for level in [own * (0.9 if (host, device) == (0, 3) else 1.0)]
        ]
    ).judgements
    (slow,) = (each for each in judged if each.verdict is Verdict.BELOW)
    assert str(slow.requirement.subject) == "s0/0000:03:00.0"
    assert ", and 10.3% worse than the others of its host" in slow.reason


def test_a_slow_device_is_below_though_nothing_else_rates_it() -> None:
    judged = among_peers([1000.0, 1002, 998, 1001, 880, 999, 1003, 997])
    assert [j.verdict for j in judged].count(Verdict.BELOW) == 1
    assert judged[4].verdict is Verdict.BELOW
    assert judged[4].reason == (
        "880 MiB/s is 12.0% worse than the median of its 8 peers, 1,000 MiB/s"
    )
    assert judged[4].peers is not None
    assert judged[4].peers.gain == pytest.approx(-0.12, abs=1e-3)


def test_a_difference_of_no_weight_makes_no_outlier_however_sure() -> None:
    judged = among_peers([1000.0] * 7 + [960.0], spread=1e-4)
    assert {j.verdict for j in judged} == {Verdict.UNRATED}


def test_one_that_is_much_better_than_its_peers_is_implausible() -> None:
    judged = among_peers([1000.0] * 7 + [3000.0])
    assert judged[7].verdict is Verdict.IMPLAUSIBLE
    assert "200.0% better than the median of its 8 peers" in judged[7].reason


@pytest.mark.parametrize("slow", [4, 6])
def test_a_healthy_minority_is_not_accused_and_the_others_are_named(slow: int) -> None:
    """The two best of eight were called a cache, though six were slow."""
    judged = among_peers([1000.0] * (8 - slow) + [800.0] * slow)
    assert {j.verdict for j in judged[: 8 - slow]} == {Verdict.UNRATED}
    assert {j.verdict for j in judged[8 - slow :]} == {Verdict.UNSTEADY}
    assert {j.culprit for j in judged[8 - slow :]} == {f"n[{8 - slow}-7]"}
    assert not any("more samples would decide" in j.reason for j in judged)
    assert "two populations, and it belongs to the worse one, by 20.0%: n[" in judged[-1].reason


def test_of_three_that_differ_the_worse_one_is_named_and_not_accused() -> None:
    judged = among_peers([1000.0, 1000, 500])
    assert [j.verdict for j in judged] == [Verdict.UNRATED, Verdict.UNRATED, Verdict.UNSTEADY]
    assert "50.0% worse than the best of its few peers" in judged[2].reason
    assert judged[2].culprit == str(judged[2].requirement.subject)
    assert judged[0].peers is None


def test_all_hosts_together_have_no_peers() -> None:
    hosts = among_peers([1000.0] * 4)
    assert all(judged.peers for judged in hosts)
    cases = [
        Measurement(
            replace(judged.requirement, subject=Subject("clients", containers=number)),
            judged.samples,
            UNRATED,
        )
        for number, judged in enumerate(hosts)
    ]
    assert not any(judged.peers for judged in judge(cases).judgements)


def test_different_limits_make_no_peers() -> None:
    slow = [replace(j, requirement=j.requirement) for j in among_peers([1000.0] * 4)]
    fast = replace(UNRATED, ceiling=9000.0)
    cases = [Measurement(j.requirement, j.samples, UNRATED) for j in slow]
    cases += [
        Measurement(replace(OWED, subject=Subject(f"fast{n}")), [2000.0, 2001.0, 2002.0], fast)
        for n in range(4)
    ]
    medians = {j.peers.median for j in judge(cases).judgements if j.peers}
    assert {round(median) for median in medians} == {1000, 2001}


def test_a_loss_that_could_hide_in_the_scatter_is_unsteady() -> None:
    judged = among_peers([1000.0] * 3 + [940.0], spread=0.1)
    assert judged[3].verdict is Verdict.UNSTEADY
    assert "may be 10% worse than its 4 peers" in judged[3].reason
    assert judged[3].more_samples is not None
    assert f"about {judged[3].more_samples} more samples would decide" in judged[3].reason


@given(st.lists(st.floats(1, 1e6), min_size=4, max_size=12))
def test_no_metric_is_lost_or_judged_without_a_reason(medians: list[float]) -> None:
    judged = among_peers(medians, RATED)
    assert len(judged) == len(medians)
    assert all(j.reason for j in judged)
    for j in judged:
        if j.verdict is Verdict.PASS:
            assert j.summary is not None
            assert 850 <= j.summary.median <= 1000 * (1 + NATURE)


def test_another_model_of_ssd_is_not_a_peer() -> None:
    """A second model that the hosts report, and nobody has declared."""
    judged = among_peers([1000.0 + n for n in range(12)] + [880.0 + n for n in range(4)])
    cases = [
        Measurement(j.requirement, j.samples, UNRATED, model="faster" if number < 12 else "slower")
        for number, j in enumerate(judged)
    ]
    rejudged = judge(cases).judgements
    assert {j.verdict for j in rejudged} == {Verdict.UNRATED}
    assert {j.peers.count for j in rejudged if j.peers} == {12, 4}


def test_a_gain_over_peers_in_words() -> None:
    peers = Peers(count=8, median=100.0, gain=0.5, outlier=True)
    assert _against_peers(peers, "MiB/s") == (
        "50.0% better than the median of its 8 peers, 100 MiB/s"
    )
    assert _against_peers(replace(peers, gain=-0.5), "MiB/s").startswith("50.0% worse than ")


def test_accepted_figures_are_no_limits_by_which_peers_differ() -> None:
    """Each host's own figure was accepted, so their floors differ."""

    def group(bound: float, floor: float, *, accepted: float | None) -> Hashable:
        limits = replace(RATED, bound=bound, floor=floor, accepted=accepted)
        return peer_group(Measurement(OWED, [], limits))

    assert group(1000.0, 850.0, accepted=900.0) == group(1000.0, 700.0, accepted=900.0)
    assert group(1000.0, 850.0, accepted=900.0) != group(2000.0, 850.0, accepted=900.0)
    assert group(1000.0, 850.0, accepted=None) != group(1000.0, 700.0, accepted=None)
    assert group(1000.0, 850.0, accepted=None) == group(2000.0, 850.0, accepted=None)
