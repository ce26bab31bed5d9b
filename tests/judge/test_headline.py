"""The outcome in one sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import pytest
from test_coverage import signed

from assay.campaign.begun import Begun, CampaignStanding
from assay.campaign.cases import INTERRUPTED, RUNS, Deviation
from assay.cluster.fingerprint import HostChange
from assay.judge.signoff import Gate, SignOff
from assay.judge.verdict import Verdict
from synthetic import campaign, cluster, every_verdict


@cache
def accepted() -> SignOff:
    return signed()


def with_verdict(verdict: Verdict, count: int) -> SignOff:
    """The accepted campaign, in which the last metrics have another verdict."""
    judgements = accepted().judgements
    others = tuple(replace(each, verdict=verdict) for each in judgements[-count:])
    return replace(accepted(), judgements=(*judgements[:-count], *others))


def test_hosts_that_changed_are_named_once_and_stop_an_acceptance() -> None:
    changed = replace(
        accepted(),
        host_changes=(
            HostChange("s2", "BIOS", "1", "2"),
            HostChange("s2", "kernel", "6.1", "6.2"),
            HostChange("s1", "kernel", "6.1", "6.2"),
        ),
    )
    assert not changed.passed
    assert changed.headline == (
        "NOT ACCEPTED proving-ground: 269 of 301 metrics pass, 32 unrated; changed during the"
        " campaign: s2, s1"
    )
    measured = replace(changed, gate=Gate.MEASURED)
    assert measured.passed
    assert measured.headline.startswith("MEASURED proving-ground: ")


def test_an_acceptance_says_how_often_a_check_was_run_or_interrupted() -> None:
    """What is interrupted whenever its figures are bad leaves those that were good."""
    again = (
        Deviation("IorEasy", "clients", RUNS, asked=1, was=9),
        Deviation("IorHard", "clients", INTERRUPTED, asked=0, was=30),
    )
    often = "; IorEasy on clients ran 9 times, IorHard on clients was interrupted 30 times"
    assert replace(accepted(), deviations=again).headline.endswith(often)


def test_where_all_is_waived_nothing_is_accepted() -> None:
    total = len(accepted().judgements)
    all_waived = with_verdict(Verdict.WAIVED, total)
    assert not all_waived.passed
    assert all_waived.headline == (
        f"REFUSED proving-ground: all {total} metrics are waived, so there is nothing to accept"
    )


@pytest.mark.parametrize("gate", Gate)
def test_metrics_that_nothing_was_held_against_are_counted(gate: Gate) -> None:
    unrated = replace(with_verdict(Verdict.UNRATED, 3), gate=gate)
    already = accepted().counts[Verdict.UNRATED]
    assert f", {already + 3} unrated; " in unrated.headline
    assert "waived" not in unrated.headline


@pytest.mark.parametrize("gate", Gate)
def test_every_verdict_that_is_not_pass_is_counted(gate: Gate) -> None:
    """A headline of 21 metrics, none missing or implausible, hid 2 below and 6 unsteady."""
    assert ": 1 of 7 metrics pass, 1 missing, 1 implausible, 1 below, 1 unsteady, 1 waived" in (
        every_verdict(gate).headline
    )
    slow = replace(with_verdict(Verdict.BELOW, 2), gate=Gate.MEASURED)
    assert slow.passed
    assert ", 2 below, " in slow.headline
    assert slow.headline.endswith("; this is a measurement and not an acceptance")


def test_one_cause_that_stops_all_checks_is_one() -> None:
    down = campaign(cluster(), problem="localhost is down in Slurm (Not responding)")
    total = len(down.judgements)
    assert (
        f": 0 of {total} metrics pass, {total} missing; 1 cause: localhost is down in Slurm"
        " (Not responding); " in down.headline
    )


def test_a_later_campaign_of_a_plan_is_said_first() -> None:
    at = datetime(2026, 1, 1, 10, tzinfo=UTC)
    one = Begun("one", "hall", "acceptance", at)
    third = CampaignStanding(until=(one, one, one))
    said = replace(accepted(), standing=third)
    assert said.headline.endswith("; third campaign of this plan, without a baseline")
    later, unrecorded = (
        CampaignStanding(until=(one,), after=(one,)),
        CampaignStanding(is_recorded=False),
    )
    for other in (later, unrecorded):
        assert replace(accepted(), standing=other).headline == accepted().headline
    copied = replace(accepted(), standing=CampaignStanding()).headline
    assert "; the record of the campaigns that were begun does not have this one" in copied


def test_another_description_than_that_of_the_campaign_is_said_first() -> None:
    changed = "judged by another description than it was measured by; changed since: floors"
    assert f"; {changed}" in replace(accepted(), redescribed=changed).headline


def test_clients_on_servers_are_said_first() -> None:
    both = accepted().cluster.model_copy(update={"clients": ("c1", "s1")})
    said = replace(accepted(), cluster=both).headline
    assert said.endswith("; clients and servers at once, which is for trials: s1")
