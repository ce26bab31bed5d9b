"""Verdicts: fail closed, call what is too good wrong, and never decide what is not decided."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from assay.checks.bounds.limit import Limit
from assay.checks.expect import Expectation
from assay.checks.figures import Ground, Unrated
from assay.checks.plan import Metric, Requirement
from assay.judge.judgement import (
    Judgement,
    Measurement,
    Peers,
    _against_peers,
    _peer_group,
    _Words,
    judge,
)
from assay.judge.verdict import Verdict
from assay.subject import Subject
from assay.units import Quantity

OWED = Requirement(
    "SsdFio", "ssd", "servers", Metric("read_1m", "MiB/s", Unrated("a trial")), Subject("s1")
)
RATED = Expectation("MiB/s", "hardware", 1000.0, 850.0, 1000.0, "1000 MiB/s: one disk")
UNRATED = Expectation("MiB/s", "nothing", None, None, None, "nothing to judge by: no datasheet")

LATENCY = replace(OWED, metric=Metric("latency", "us", Unrated("a trial"), better="lower"))
PROMPT = Expectation("us", "hardware", 1.0, 1.0, 5.0, "1 us: the wire")


def alone(
    requirement: Requirement,
    samples: Sequence[float],
    limits: Expectation,
    problems: Sequence[str] = (),
) -> Judgement:
    return judge([Measurement(requirement, samples, limits, problems)]).judgements[0]


@pytest.mark.parametrize(
    ("samples", "verdict", "message"),
    [
        ([900, 910, 920, 905, 915], Verdict.PASS, "910 MiB/s is above the floor of 850 MiB/s"),
        ([700, 710, 720, 705, 715], Verdict.BELOW, "710 MiB/s is below the floor of 850 MiB/s"),
        ([800, 900, 910, 920, 930], Verdict.UNSTEADY, "anywhere between 800 and 930"),
        ([700, 750, 760, 770, 860], Verdict.UNSTEADY, "on both sides of the floor of 850 MiB/s"),
        ([1.0, 0.4, 2.1, 0.6, 1.7], Verdict.BELOW, "1.00 MiB/s is below the floor of 850 MiB/s"),
        *(
            ([only], Verdict.UNSTEADY, "does not show on which side of the floor of 850 MiB/s")
            for only in (400, 900)
        ),
        (
            [900, 910, 5000, 905, 915],
            Verdict.UNSTEADY,
            "its median is possible, but its best samples are more than 25% better than that: a",
        ),
        ([900], Verdict.UNSTEADY, "about 5 more samples would decide"),
        ([5000], Verdict.IMPLAUSIBLE, "better than possible, 1,000"),
        ([5000, 5001, 5002, 5003, 5004], Verdict.IMPLAUSIBLE, "better than possible, 1,000"),
        ([], Verdict.MISSING, "it was not measured"),
        ([900, math.nan], Verdict.MISSING, "a sample is nan"),
        ([900, math.inf], Verdict.MISSING, "a sample is inf"),
        ([900, 0.0], Verdict.MISSING, "a sample is 0"),
        ([900, -1.0], Verdict.MISSING, "a sample is -1"),
    ],
)
def test_more_is_better(samples: list[float], verdict: Verdict, message: str) -> None:
    judged = alone(OWED, samples, RATED)
    assert judged.verdict is verdict
    assert message in judged.reason


def test_what_a_disturbed_layer_below_makes_implausible_names_that_layer() -> None:
    disk = Limit("the disk", Quantity(500, "MiB/s"), "best of 5 samples of direct I/O", "SsdFio")
    beside = replace(RATED, ground="measured", limits=(disk,))
    causes = "1,000 MiB/s: a cache, a hole or a wrong unit"
    assert alone(OWED, [5000], RATED).reason.endswith(causes)
    assert alone(OWED, [5000], beside).reason.endswith(
        f"{causes}, unless other work slowed what it is compared with: best of 5 samples of direct"
        " I/O"
    )


@pytest.mark.parametrize(
    ("samples", "verdict", "message"),
    [
        ([2.0, 2.1, 2.2], Verdict.PASS, "within the limit of 5.00 us"),
        ([7.0, 7.1, 7.2], Verdict.BELOW, "above the limit of 5.00 us"),
        ([4.0, 4.1, 7.2], Verdict.UNSTEADY, "on both sides of the limit of 5.00 us"),
        ([0.1, 0.1, 0.1], Verdict.IMPLAUSIBLE, "better than possible, 1.00 us"),
    ],
)
def test_less_is_better(samples: list[float], verdict: Verdict, message: str) -> None:
    judged = alone(LATENCY, samples, PROMPT)
    assert judged.verdict is verdict
    assert message in judged.reason


SHORT = "the engines moved 60% of the bytes that the benchmark reports"


def judged_short(samples: Sequence[float], limits: Expectation) -> Judgement:
    return judge([Measurement(OWED, samples, limits, short=SHORT)]).judgements[0]


@pytest.mark.parametrize("limits", [RATED, UNRATED], ids=["rated", "unrated"])
@pytest.mark.parametrize("samples", [[900.0, 910.0, 920.0], [700.0, 710.0, 705.0]])
def test_what_the_engines_did_not_move_is_implausible(
    samples: list[float], limits: Expectation
) -> None:
    judged = judged_short(samples, limits)
    assert (judged.verdict, judged.reason) == (Verdict.IMPLAUSIBLE, SHORT)


def test_without_a_sample_what_the_engines_did_not_move_is_missing() -> None:
    judged = judged_short([], RATED)
    assert (judged.verdict, judged.reason) == (Verdict.MISSING, "it was not measured")


def test_nothing_to_judge_by_is_not_a_pass() -> None:
    judged = alone(OWED, [900.0, 910.0], UNRATED)
    assert judged.verdict is Verdict.UNRATED
    assert judged.reason == "nothing to judge by: no datasheet"


def test_a_run_with_a_problem_is_not_a_slow_run() -> None:
    judged = alone(OWED, [900.0, 910.0], RATED, ["fio crashed", "and more"])
    assert judged.verdict is Verdict.MISSING
    assert judged.reason == "fio crashed; and more"
    assert judged.summary is None


BESIDE_THE_LIMITS = st.lists(st.floats(800, 1050), min_size=5, max_size=9)
ANYTHING = st.lists(st.floats(-1e9, 1e9) | st.just(math.nan) | st.just(math.inf), max_size=12)


def passes(samples: list[float]) -> bool:
    return alone(OWED, samples, RATED).verdict is Verdict.PASS


def test_something_passes() -> None:
    """What the next test says of those that pass is said of some."""
    assert passes(find(BESIDE_THE_LIMITS, passes))


@given(BESIDE_THE_LIMITS | ANYTHING)
def test_what_passes_lies_between_floor_and_ceiling(samples: list[float]) -> None:
    judged = alone(OWED, samples, RATED)
    if judged.verdict is Verdict.PASS:
        assert judged.summary is not None
        assert 850 <= judged.summary.low <= judged.summary.median <= 1000


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
                    # No two hosts have the same digits.
                    [
                        median * (1 + number * 1e-7) * (1 + spread * n)
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
                    level * (1 + 0.001 * each * (1 + device / 50))
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


def test_of_three_nobody_can_tell_which_is_odd() -> None:
    judged = among_peers([1000.0, 1000, 500])
    assert {j.verdict for j in judged} == {Verdict.UNRATED}
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


def test_a_check_that_warms_up_is_unsteady() -> None:
    rise = [700.0, 800, 880, 930, 960, 980, 1000]
    cases = [Measurement(replace(OWED, subject=Subject(f"n{n}")), rise, UNRATED) for n in range(16)]
    judged = judge(cases).judgements[0]
    assert judged.verdict is Verdict.UNSTEADY
    assert "it rose by" in judged.reason
    assert "did not settle" in judged.reason


def test_under_the_floor_by_less_than_chance_allows_is_unsteady() -> None:
    judged = alone(OWED, [848, 810, 849, 790, 849.5, 835, 845], RATED)
    assert judged.verdict is Verdict.UNSTEADY
    assert "7 samples may lie below the floor of 850 MiB/s by chance" in judged.reason


def test_more_samples_are_asked_for_the_nearer_the_floor_lies() -> None:
    near, far = (alone(OWED, [v, v * 0.9, v * 1.1, v * 0.95, v * 1.05], RATED) for v in (870, 930))
    assert near.verdict is far.verdict is Verdict.UNSTEADY
    assert near.more_samples is None or near.more_samples > (far.more_samples or 0)


def test_better_than_possible_by_a_hair_is_neither_possible_nor_sure() -> None:
    judged = alone(OWED, [980, 990, 1005, 1010, 1020], RATED)
    assert judged.verdict is Verdict.UNSTEADY
    assert "better than possible, 1,000 MiB/s, but not all samples are" in judged.reason


def test_many_questions_make_alarms_harder() -> None:
    few = judge([Measurement(OWED, [820, 821, 819, 822, 818, 823, 817], RATED)])
    assert few.comparisons < judge([Measurement(OWED, [900.0], RATED)] * 50).comparisons


@given(st.lists(st.floats(1, 1e6), min_size=4, max_size=12))
def test_no_metric_is_lost_or_judged_without_a_reason(medians: list[float]) -> None:
    judged = among_peers(medians, RATED)
    assert len(judged) == len(medians)
    assert all(j.reason for j in judged)
    for j in judged:
        if j.verdict is Verdict.PASS:
            assert j.summary is not None
            assert 850 <= j.summary.median <= 1000


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


@pytest.mark.parametrize(
    ("requirement", "limits", "possible", "impossible", "enough", "too_little"),
    [(OWED, RATED, 1000.0, 1000.1, 850.0, 849.9), (LATENCY, PROMPT, 1.0, 0.99, 5.0, 5.01)],
)
def test_limits_are_still_possible_and_enough(
    requirement: Requirement,
    limits: Expectation,
    possible: float,
    impossible: float,
    enough: float,
    too_little: float,
) -> None:
    words = _Words(Measurement(requirement, [], limits))
    assert words.beyond(possible) is None
    assert words.beyond(impossible) is not None
    assert words.short(enough) is None
    assert words.short(too_little) is not None


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
        return _peer_group(Measurement(OWED, [], limits))

    assert group(1000.0, 850.0, accepted=900.0) == group(1000.0, 700.0, accepted=900.0)
    assert group(1000.0, 850.0, accepted=900.0) != group(2000.0, 850.0, accepted=900.0)
    assert group(1000.0, 850.0, accepted=None) != group(1000.0, 700.0, accepted=None)
    assert group(1000.0, 850.0, accepted=None) == group(2000.0, 850.0, accepted=None)


@pytest.mark.parametrize(("of_other", "decided"), [(0.0, False), (1.7, True)])
def test_copied_samples_decide_no_check(of_other: float, *, decided: bool) -> None:
    first = [904.1, 901.3, 903.2]
    rows = [
        Measurement(replace(OWED, subject=Subject(host)), [each + more for each in first], RATED)
        for host, more in (("s1", 0.0), ("s2", of_other))
    ]
    assert judge(rows, looks=2).decided == ({("SsdFio", "servers")} if decided else frozenset())
    assert judge(rows).decided == frozenset()
