"""The report's section on what was lost and came back; figures are made up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from assay.checks.benchmarks.agent_loss import AGENT_LOSS
from assay.checks.benchmarks.drain import DRAIN
from assay.checks.benchmarks.losses import LossCheck
from assay.checks.benchmarks.rank_loss import RANK_LOSS
from assay.checks.benchmarks.service_loss import SERVICE_LOSS
from assay.checks.expect import Measured, expectation
from assay.checks.plan import CHECKS, requirements
from assay.judge.judgement import Judgement, Measurement, judge
from assay.judge.recovery import Recovery
from assay.judge.signoff import Gate, SignOff
from assay.judge.verdict import Verdict
from assay.report import html
from assay.report.recovery import _ROWS, draw, lines
from assay.subject import Subject
from clusters import described
from sites import site
from synthetic import mixed, signed

SOUND = {
    "exclusion": 24.0,
    "longest_stall": 25.0,
    "redundancy": 74.0,
    "reintegration": 28.0,
    "bandwidth_before": 900.0,
    "bandwidth_degraded": 450.0,
    "bandwidth_after": 890.0,
    "clean_processes": 64.0,
    "verified": 32768.0,
}
T = 1795000000
LOSS = Recovery(
    Subject("s3", engine=0),
    1,
    {
        **dict.fromkeys(range(T - 20, T), 900.0),
        **dict.fromkeys(range(T, T + 24), 0.0),
        **dict.fromkeys(range(T + 24, T + 94), 450.0),
        **dict.fromkeys(range(T + 110, T + 180), 890.0),
    },
    {
        "rank lost": float(T),
        "excluded": T + 24.0,
        "redundant again": T + 74.0,
        "engine started": T + 112.0,
        "reintegration": T + 120.0,
        "whole again": T + 148.0,
    },
)


DRAINED = {
    **SOUND,
    "drained": 46.0,
    "bandwidth_draining": 630.0,
    "bandwidth_drained": 560.0,
    "longest_stall": 3.0,
}
SERVED = {**SOUND, "service": 9.0}
TAKEN_OVER = replace(
    LOSS,
    subject=Subject("servers"),
    check=SERVICE_LOSS,
    moments={"rank lost": float(T), "another leader": T + 9.0, **LOSS.moments},
)
CONNECTED = {
    **SOUND,
    "reconnection": 12.5,
    "bandwidth_without_agent": 880.0,
    "bandwidth_reconnected": 895.0,
    "longest_stall": 3.0,
}
RETURNED = replace(
    LOSS,
    subject=Subject("c2"),
    check=AGENT_LOSS,
    moments={"agent ended": float(T), "connected again": T + 12.0},
)
EMPTIED = replace(
    LOSS,
    check=DRAIN,
    moments={
        "drain": float(T),
        "drained": T + 46.0,
        "reintegration": T + 112.0,
        "whole again": T + 148.0,
    },
)


def judged(
    changed: Mapping[str, float] | None = None,
    problem: str = "",
    check: str = RANK_LOSS.name,
) -> tuple[Judgement, ...]:
    """Three losses at the scale acceptance, judged as a real campaign is."""
    document = site(servers=3, clients=2)
    document["benchmarks"] = {"fio_dfs": "/opt/fio"}
    document["daos"]["failure"] = True
    cluster = described(document)
    plan = [each for each in requirements(cluster, "acceptance") if each.check == check]
    figures = {**SOUND, **(changed or {})}
    samples = {each: [] if problem else three(each.name, figures[each.name]) for each in plan}
    measured = Measured(samples, "acceptance")
    problems = [problem] if problem else []
    return judge(
        [
            Measurement(each, samples[each], expectation(cluster, each, measured), problems, [])
            for each in plan
        ]
    ).judgements


def three(name: str, figure: float) -> list[float]:
    """Three samples; of a count, only the last differs from what it should be."""
    if name in ("clean_processes", "verified"):
        return [SOUND[name], SOUND[name], figure]
    return [figure * 0.99, figure, figure * 1.01]


def verdicts(changed: Mapping[str, float], check: str = RANK_LOSS.name) -> dict[str, Verdict]:
    return {
        each.requirement.name: each.verdict
        for each in judged(changed, check=check)
        if each.verdict not in (Verdict.PASS, Verdict.UNRATED)
    }


def report(judgements: tuple[Judgement, ...], loss: Recovery = LOSS) -> SignOff:
    return replace(signed(mixed().cluster, Gate.ACCEPTANCE, judgements), recoveries=(loss,))


# Verdicts of time lines with a known fault.


def test_a_sound_loss_raises_no_alarm() -> None:
    assert verdicts({}) == {}


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ({"exclusion": 45.0}, "exclusion"),
        ({"longest_stall": 200.0}, "longest_stall"),
        ({"bandwidth_degraded": 200.0}, "bandwidth_degraded"),
        ({"bandwidth_after": 450.0}, "bandwidth_after"),
        ({"clean_processes": 63.0}, "clean_processes"),
        ({"verified": 32767.0}, "verified"),
    ],
)
def test_each_fault_is_below_and_names_its_metric(fault: dict[str, float], named: str) -> None:
    assert verdicts(fault) == {named: Verdict.BELOW}


def test_a_sound_drain_raises_no_alarm() -> None:
    assert verdicts(DRAINED, "Drain") == {}


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        # What is sound while an engine is lost: an RPC that timed out.
        ({"longest_stall": 65.0}, "longest_stall"),
        ({"bandwidth_drained": 400.0}, "bandwidth_drained"),
        ({"bandwidth_after": 450.0}, "bandwidth_after"),
        ({"clean_processes": 63.0}, "clean_processes"),
        ({"verified": 32767.0}, "verified"),
    ],
)
def test_each_fault_of_a_planned_step_is_below(fault: dict[str, float], named: str) -> None:
    assert verdicts({**DRAINED, **fault}, "Drain") == {named: Verdict.BELOW}


@pytest.mark.parametrize(("seconds", "below"), [(9.0, set()), (23.0, set()), (35.0, {"service"})])
def test_a_service_without_a_leader_for_too_long_is_below(seconds: float, below: set[str]) -> None:
    found = verdicts({**SERVED, "service": seconds}, "ServiceLoss")
    assert found == dict.fromkeys(below, Verdict.BELOW)


def test_a_block_that_differs_once_is_named_with_what_is_left() -> None:
    (wrong,) = (each for each in judged({"verified": 32767.0}) if each.verdict is Verdict.BELOW)
    assert wrong.reason.startswith("32,767 MiB is ")
    assert "32,768 MiB" in wrong.reason


# The section.


def test_the_table_has_times_and_shares() -> None:
    (engine,) = lines(report(judged()))
    assert engine.subject == "s3/engine0"
    rows = {row[0]: row[1:3] for row in engine.rows}
    assert rows["seconds from the loss until the system excluded the engine"] == ("24.0", "30.0")
    assert rows["of the bandwidth before, without the engine"] == ("50%", "33%")
    assert rows["of the data is as it was written"] == ("100%", "100%")
    assert rows["seconds from the loss until all data was redundant again"] == ("74.0", "–")


def test_a_step_that_was_never_reached_has_a_sentence_and_no_figure() -> None:
    why = "the data was not redundant again within 900 s; its pool has self_heal exclude"
    loss = replace(LOSS, moments={"rank lost": float(T), "excluded": T + 24.0}, problems=(why,))
    signed_off = report(judged(problem=why), loss)
    (engine,) = lines(signed_off)
    assert {row[1] for row in engine.rows} == {"–"}
    text = " ".join(re.sub(r"<[^>]+>", " ", html.render(signed_off)).split())
    assert "s3/engine0 was lost" in text
    assert why in text
    assert "redundant again, " not in text


def test_the_chart_names_each_moment_with_its_time() -> None:
    drawing = draw(LOSS)
    for words in ("rank lost, 0 s", "excluded, 24 s", "whole again, 148 s", "MiB/s, all clients"):
        assert words in drawing


def test_a_drain_has_a_part_of_its_own_in_its_own_words() -> None:
    both = replace(
        report((*judged(), *judged(DRAINED, check="Drain")), LOSS), recoveries=(LOSS, EMPTIED)
    )
    lost, drained = lines(both)
    assert (lost.happened, drained.happened) == ("was lost", "was drained")
    rows = {row[0]: row[1:3] for row in drained.rows}
    assert rows["seconds from the command until the engine had no data of the pool"] == (
        ("46.0", "–")
    )
    assert rows["of the bandwidth before, while data moved off the engine"] == ("70%", "–")
    assert rows["of the bandwidth before, without the engine's data"] == ("62%", "53%")
    assert rows["seconds for which a process got nothing"] == ("3.00", "60.0")
    for words in ("drain, 0 s", "drained, 46 s", "seconds since the drain began"):
        assert words in drained.svgs[0]


def test_the_loss_of_a_leader_is_one_of_all_servers() -> None:
    (servers,) = lines(report(judged(SERVED, check="ServiceLoss"), TAKEN_OVER))
    assert f"{servers.subject} {servers.happened}" == (
        "servers lost the engine that led the service of the pool"
    )
    rows = {row[0]: row[1:3] for row in servers.rows}
    assert rows["seconds from the loss until another engine led the service of the pool"] == (
        ("9.00", "24.0")
    )
    assert "another leader, 9 s" in servers.svgs[0]


def test_the_loss_of_an_agent_is_one_of_its_client() -> None:
    (client,) = lines(report(judged(CONNECTED, check="AgentLoss"), RETURNED))
    assert f"{client.subject} {client.happened}" == "c2 lost its agent"
    rows = {row[0]: row[1:3] for row in client.rows}
    assert rows["seconds from the end of the agent until a new process had connected"] == (
        ("12.5", "30.0")
    )
    assert rows["of the bandwidth before, without the agent"] == ("98%", "80%")
    for words in ("agent ended, 0 s", "connected again, 12 s", "seconds since the agent ended"):
        assert words in client.svgs[0]


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ({}, {}),
        # enable_evict_on_start: processes lose their handles when the agent is back.
        ({"clean_processes": 62.0}, {"clean_processes": Verdict.BELOW}),
        ({"reconnection": 45.0}, {"reconnection": Verdict.BELOW}),
        ({"bandwidth_without_agent": 400.0}, {"bandwidth_without_agent": Verdict.BELOW}),
        ({"longest_stall": 70.0}, {"longest_stall": Verdict.BELOW}),
        ({"verified": 32767.0}, {"verified": Verdict.BELOW}),
    ],
)
def test_what_is_wrong_when_an_agent_ends_is_named(
    fault: dict[str, float], named: dict[str, Verdict]
) -> None:
    assert verdicts({**CONNECTED, **fault}, "AgentLoss") == named


def test_each_figure_of_a_loss_has_a_row_but_what_the_others_are_shares_of() -> None:
    names = {
        metric.name
        for check in CHECKS.values()
        if isinstance(check, LossCheck)
        for metric in check.metrics
    }
    assert names - _ROWS.keys() == {"bandwidth_before"}


def test_a_report_without_a_loss_has_no_such_section() -> None:
    assert 'id="recovery"' not in html.render(mixed())
    assert 'id="recovery"' in html.render(report(judged()))
