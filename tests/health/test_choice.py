"""The checks of a night: the most evidence in the time."""

from __future__ import annotations

import pytest

from assay.checks.hours import of_checks
from assay.checks.plan import CHECKS, requirements
from assay.health.choice import LEFT_S, SHARE, ChoiceError, choose
from clusters import described, description, system


def test_where_there_is_time_all_that_tells_speeds_is_chosen() -> None:
    chosen = choose(described(description()), 15)
    assert set(chosen.left_out) == {"ClientPlacement"}, "it counts processes"
    assert chosen.unseen == ()


def test_checks_are_in_the_order_of_the_catalogue() -> None:
    checks = choose(described(description()), 15).checks
    assert list(checks) == [name for name in CHECKS if name in checks]


@pytest.mark.parametrize("minutes", [4, 5, 15])
@pytest.mark.parametrize("hosts", [2, 32])
def test_any_check_fits_a_second_time(minutes: float, hosts: int) -> None:
    cluster = system("wal", clients=hosts, servers=hosts)
    chosen = choose(cluster, minutes)
    longest = max((chosen.seconds[name] for name in chosen.checks), default=0.0)
    assert chosen.planned_s + longest <= SHARE * 60 * minutes
    assert chosen.planned_s + longest <= 60 * minutes - LEFT_S
    assert chosen.checks


@pytest.mark.parametrize(("minutes", "some"), [(3, False), (4, True)])
def test_what_would_leave_no_time_to_judge_is_not_chosen(minutes: float, some: bool) -> None:
    """The shortest check of DAOS takes 52 s, and as long again; at 3 minutes 90 s are left."""
    assert bool(choose(system("wal", clients=32, servers=32), minutes).checks) is some


def test_a_night_stops_no_engine() -> None:
    cluster = system("wal", clients=4, servers=4)
    chosen = choose(cluster, 600)
    assert {CHECKS[name].phase for name in (*chosen.checks, *chosen.left_out)} == {"system"}


def test_each_rank_and_each_client_is_measured_on_any_size() -> None:
    for hosts in (4, 64):
        cluster = system("wal", clients=hosts, servers=hosts)
        chosen = choose(cluster, 15)
        assert chosen.unseen == ()
        ends = {
            str(end)
            for each in requirements(cluster)
            if each.check in chosen.checks
            for end in each.subject.ends
        }
        assert {f"s{number + 1}/engine0" for number in range(hosts)} <= ends


def test_what_no_check_of_the_night_measures_is_named() -> None:
    cluster = system("wal", clients=4, servers=4)
    takes = of_checks(cluster, "quick")
    shortest = min(value for (name, _), value in takes.items() if CHECKS[name].phase == "system")
    chosen = choose(cluster, 2 * shortest / SHARE / 60)
    assert len(chosen.checks) <= 1
    assert "s1/engine0" in chosen.unseen


def test_without_time_nothing_is_chosen() -> None:
    assert choose(described(description()), 0.1).checks == ()


def test_checks_that_are_named_are_chosen_in_the_order_of_the_catalogue() -> None:
    chosen = choose(described(description()), 60, ["SsdFio", "FiPingpong"])
    assert chosen.checks == ("FiPingpong", "SsdFio")
    assert "FiPingpong" not in chosen.left_out


def test_checks_that_are_unknown_or_take_too_long_are_refused() -> None:
    with pytest.raises(ChoiceError, match="SsdFoo is none of the checks of a night; choose from: "):
        choose(described(description()), 60, ["SsdFoo"])
    with pytest.raises(ChoiceError, match=r"SsdFio take about \d+ min.* does not fit into 0.1 min"):
        choose(described(description()), 0.1, ["SsdFio"])
