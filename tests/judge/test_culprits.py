"""What slow figures are attributed to, in words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from assay.checks.expect import Expectation
from assay.checks.figures import Unrated
from assay.checks.plan import Metric, Requirement
from assay.judge.blame import Blame
from assay.judge.culprits import Ends, _of_pairs, several
from assay.judge.judgement import Measurement, judge
from assay.subject import Subject

BANDWIDTH = Metric("read_1m", "MiB/s", Unrated("a trial"))
NOTHING = Expectation("MiB/s", "nothing", None, None, None, "nothing to judge by: a trial")


def named(factor: Callable[[int, int], float]) -> dict[str, str]:
    """The culprit of each slow engine, of two on each of eight hosts; 0 leaves no samples."""
    rng = np.random.default_rng(3)

    def samples(host: int, engine: int) -> list[float]:
        level = 3000 * factor(host, engine)
        return list(level * (1 + 0.003 * rng.standard_normal(7))) if level else []

    judgements = judge(
        [
            Measurement(
                Requirement(
                    "SsdFio", "ssd", "servers", BANDWIDTH, Subject(f"s{host}", engine=engine)
                ),
                samples(host, engine),
                NOTHING,
            )
            for host in range(1, 9)
            for engine in range(2)
        ]
    ).judgements
    return {str(each.requirement.subject): each.culprit for each in judgements if each.culprit}


def test_a_single_slow_engine_is_itself_the_culprit() -> None:
    slow = named(lambda host, engine: 0.8 if (host, engine) == (3, 1) else 1.0)
    assert slow == {"s3/engine1": "s3/engine1"}


def test_hosts_of_which_all_engines_are_slow_are_the_culprits() -> None:
    slow = named(lambda host, _: 0.8 if host <= 4 else 1.0)
    assert set(slow.values()) == {"s[1-4]"}
    assert len(slow) == 8


def test_an_engine_without_samples_does_not_speak_for_its_host() -> None:
    slow = named(lambda host, engine: 0 if (host, engine) == (2, 1) else 0.8 if host <= 4 else 1.0)
    assert set(slow.values()) == {"s[1-4]"}
    assert len(slow) == 7


def test_engines_are_the_culprits_where_others_of_their_hosts_are_not_slow() -> None:
    slow = named(lambda host, engine: 0.8 if host <= 4 and not engine else 1.0)
    assert set(slow) == {f"s{host}/engine0" for host in range(1, 5)}
    assert set(slow.values()) == {"s1/engine0,s2/engine0,s3/engine0,s4/engine0"}


def test_a_path_is_between_all_of_its_sides() -> None:
    names = ("s1", "s2", "s3", "s4")
    ends = Ends(
        [
            Requirement(
                "FiPingpong", "network", "servers", BANDWIDTH, Subject(one).to(Subject(other))
            )
            for one, other in pairwise(names)
        ]
    )
    sides = tuple(frozenset({number}) for number in range(4))
    assert _of_pairs(Blame(sides[:1], 0.1), ends) == "s1"
    assert _of_pairs(Blame(sides, 0.1), ends) == "between s1, s2, s3 and s4"


def test_many_names_are_counted() -> None:
    names = [f"host-{number * 7}" for number in range(15)]
    assert len(several(names[:1])) < len(several(names)) <= 120
    many = [f"{number * number}-host" for number in range(40)]
    assert several(many) == "40 of them, first 0-host"
    assert several(["a" * 120]) == "a" * 120
    assert several(["a" * 121]) == f"1 of them, first {'a' * 121}"
