"""What was set differently from the scale is listed, and less than that is not accepted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.campaign.cases import Deviation
from assay.campaign.results import read
from assay.campaign.run_report import ReportError
from assay.checks.expect import Measured, expectation
from assay.checks.plan import CHECKS, requirements
from assay.cluster.description import Cluster
from assay.judge.signoff import Gate, SignOff, sign_off
from assay.report import html, junit, record, summary
from clusters import described
from sites import site
from synthetic import campaign as judged
from synthetic import cluster as sound
from synthetic import every_verdict

LESS = Deviation("SsdFio", "servers", "random_s", asked=30, was=5)
MORE = Deviation("SsdFio", "servers", "random_s", asked=30, was=60)


def accepted(*deviations: Deviation, gate: Gate = Gate.ACCEPTANCE) -> SignOff:
    """A campaign in which each metric passes, and these deviations."""
    signed = judged(sound())
    # Nobody judges the metadata of its shared directory.
    rated = tuple(j for j in signed.judgements if j.requirement.layer != "metadata")
    return replace(signed, judgements=rated, gate=gate, deviations=deviations)


def test_a_campaign_without_deviations_is_accepted() -> None:
    signed = accepted()
    assert signed.passed
    assert json.loads(record.render(signed))["deviations"] == []
    assert "scale:" not in summary.render(signed)
    assert 'id="deviations"' not in html.render(signed)


@pytest.mark.parametrize("depth", [64, 1024])
def test_another_number_in_flight_is_another_load_and_is_not_accepted(depth: int) -> None:
    """SSDs that are slow at 128 in flight reach their rate with 1,024."""
    variable = "in_flight.randread_4k_alone"
    signed = accepted(Deviation("NvmeIops", "servers", variable, asked=128, was=depth))
    assert not signed.passed
    assert signed.headline.endswith("; another number in flight than the scale's in NvmeIops")


def test_less_than_the_scale_asks_for_is_not_accepted() -> None:
    signed = accepted(LESS)
    assert not signed.passed
    assert signed.headline == (
        "NOT ACCEPTED synthetic: 42 of 50 metrics pass, 8 unrated; less than the scale asks for in"
        " SsdFio"
    )
    (deviation,) = json.loads(record.render(signed))["deviations"]
    assert deviation == {
        "check": "SsdFio",
        "partition": "servers",
        "variable": "random_s",
        "asked": 30,
        "was": 5,
        "decided": False,
        "stops": True,
    }
    text = " ".join(summary.render(signed).split())
    assert (
        "What blocks acceptance: deviation: SsdFio.random_s on servers was 5, less than the"
        " scale's 30" in text
    )
    page = html.render(signed)
    assert ">random_s</td>" in page
    assert "Less was measured than the scale asks for" in page
    (failure,) = ElementTree.fromstring(junit.render(signed).encode()).iter("failure")
    assert failure.get("type") == "deviation"


def test_more_than_the_scale_asks_for_is_accepted_and_listed() -> None:
    signed = accepted(MORE)
    assert signed.passed
    (deviation,) = json.loads(record.render(signed))["deviations"]
    assert (deviation["was"], deviation["stops"]) == (60, False)
    text = " ".join(summary.render(signed).split())
    assert "SsdFio.random_s on servers was 60, more than the scale's 30" in text
    assert "blocks acceptance" not in text
    assert ">random_s</td>" in html.render(signed)
    root = ElementTree.fromstring(junit.render(signed).encode())
    assert "random_s on servers" in [case.get("name") for case in root.iter("testcase")]
    assert list(root.iter("failure")) == []


def test_a_measurement_passes_with_less() -> None:
    signed = accepted(LESS, gate=Gate.MEASURED)
    assert signed.passed
    assert json.loads(record.render(signed))["deviations"][0]["stops"] is False


def test_a_figure_that_stops_and_a_deviation_are_both_in_the_headline() -> None:
    signed = replace(every_verdict(), deviations=(LESS,))
    assert "1 below" in signed.headline
    assert signed.headline.endswith("; less than the scale asks for in SsdFio")


def of_ssds(deviations: object) -> Callable[[dict[str, Any]], None]:
    """A change to a report, as if SsdFio had been measured with these."""

    def change(document: dict[str, Any]) -> None:
        for case in document["runs"][0]["testcases"]:
            if case["name"].startswith("SsdFio "):
                case["deviations"] = deviations

    return change


def test_what_a_run_report_says_comes_into_the_sign_off(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    report = campaign(of_ssds({"repetitions": {"asked": 5, "was": 3}}))
    signed = sign_off(cluster, read(report, cluster), Gate.ACCEPTANCE)
    assert {(each.check, each.variable, each.was) for each in signed.stopped_by_less} == {
        ("SsdFio", "repetitions", 3)
    }


@pytest.mark.parametrize(
    ("deviations", "reason"),
    [
        (None, "deviations"),
        ({"x": {"asked": 5}}, "deviations.x.was"),
        ({"x": {"asked": 5, "was": 2**60}}, "deviations.x.was"),
        ({"x": {"asked": 5, "was": "7"}}, "deviations.x.was"),
        ({f"v{n}": {"asked": 5, "was": 7} for n in range(101)}, "at most 100 items"),
    ],
)
def test_what_is_not_a_deviation_is_refused(
    deviations: object, reason: str, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    report = campaign(of_ssds(deviations))
    with pytest.raises(ReportError, match=reason):
        read(report, cluster)


def test_a_bound_is_of_the_operations_that_were_in_flight(
    campaign: Callable[..., str], cluster: Cluster
) -> None:
    deviations = {"in_flight.randread_4k": {"asked": 64, "was": 128}}
    results = read(campaign(of_ssds(deviations)), cluster)
    counts = {
        metric.name: results.as_run(metric).metric.in_flight
        for metric in requirements(cluster)
        if metric.check == "SsdFio"
    }
    shipped = {metric.name: metric.in_flight for metric in CHECKS["SsdFio"].metrics}
    assert counts == shipped | {"randread_4k": 128}


def test_twice_as_many_in_flight_have_twice_the_bound() -> None:
    cluster = described(site(clients=1))
    plan = {metric.key: metric for metric in requirements(cluster)}
    rate = plan["SelfTestClientServer.empty on s1/engine0"]
    latency = plan["SelfTestClientServer.latency_empty on s1/engine0"]
    measured = Measured({latency: [50.0]})
    once = expectation(cluster, rate, measured).bound
    twice = expectation(cluster, rate.with_in_flight(32), measured).bound
    assert once
    assert twice == pytest.approx(2 * once)
