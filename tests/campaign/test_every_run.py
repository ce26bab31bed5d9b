"""Every run of a campaign counts: nothing gets better because it was measured again, or in part."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.campaign.results import Results, read
from assay.campaign.run_report import ReportError
from assay.cluster.description import Cluster
from assay.judge.signoff import Gate, SignOff, sign_off
from assay.judge.verdict import Verdict

Document = dict[str, Any]


def of_disks(document: Document) -> Document:
    """The case of SsdFio on the servers."""
    cases = document["runs"][0]["testcases"]
    return next(
        case
        for case in cases
        if case["name"].startswith("SsdFio ") and case["partition"] == "servers"
    )


def signed(results: Results, cluster: Cluster) -> SignOff:
    return sign_off(cluster, results, Gate.MEASURED)


def verdicts(results: Results, cluster: Cluster, subject: str) -> dict[Verdict, set[str]]:
    """The verdicts of SsdFio on a host, each with its reasons."""
    by_verdict: dict[Verdict, set[str]] = {}
    for judgement in signed(results, cluster).judgements:
        required = judgement.requirement
        if (required.check, str(required.subject)) == ("SsdFio", subject):
            by_verdict.setdefault(judgement.verdict, set()).add(judgement.reason)
    return by_verdict


def first_run(document: Document, **changes: object) -> None:
    """Put a run of SsdFio before the one that the report has."""
    earlier = copy.deepcopy(of_disks(document)) | changes
    document["runs"].insert(0, {"testcases": [earlier]})


@pytest.mark.parametrize(
    "result",
    [{"result": "pass"}, {"result": "fail", "fail_phase": "performance", "fail_reason": "slow"}],
)
def test_a_slow_run_is_not_made_good_by_a_second_one(
    result: dict[str, str], cluster: Cluster, campaign: Callable[..., str]
) -> None:
    by_verdict = verdicts(read(campaign(lambda d: first_run(d, **result)), cluster), cluster, "s1")
    assert set(by_verdict) == {Verdict.MISSING}
    assert "every run counts" in by_verdict[Verdict.MISSING].pop()


def test_a_run_that_failed_may_be_repeated_and_is_listed(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    failed = {"samples": {}, "result": "fail", "fail_phase": "sanity", "fail_reason": "full"}
    results = read(campaign(lambda d: first_run(d, **failed)), cluster)
    assert Verdict.MISSING not in verdicts(results, cluster, "s1")
    (deviation,) = signed(results, cluster).deviations
    assert str(deviation) == "SsdFio on servers ran 2 times"


def test_an_interrupted_run_may_be_repeated_and_is_listed(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    """Somebody may have seen that it was slow."""
    results = read(campaign(lambda d: first_run(d, samples={}, result="abort")), cluster)
    assert Verdict.MISSING not in verdicts(results, cluster, "s1")
    (deviation,) = signed(results, cluster).deviations
    assert str(deviation) == "SsdFio on servers was interrupted once"


def test_a_smaller_scale_among_larger_ones_is_not_a_measurement(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    def mix(document: Document) -> None:
        for case in document["runs"][0]["testcases"]:
            case["scale"] = "acceptance"
        of_disks(document)["scale"] = "quick"

    by_verdict = verdicts(read(campaign(mix), cluster), cluster, "s1")
    assert set(by_verdict) == {Verdict.MISSING}
    assert (
        "at the scale quick, and other checks of this campaign" in by_verdict[Verdict.MISSING].pop()
    )


def test_samples_that_others_have_are_missing(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    def lose(document: Document) -> None:
        for by_subject in of_disks(document)["samples"].values():
            by_subject["s1"] = by_subject["s1"][2:]

    results = read(campaign(lose), cluster)
    by_verdict = verdicts(results, cluster, "s1")
    assert set(by_verdict) == {Verdict.MISSING}
    assert "has 3 samples, and 5 were taken" in by_verdict[Verdict.MISSING].pop()
    assert Verdict.MISSING not in verdicts(results, cluster, "s2")


@pytest.mark.parametrize("sample", [1e308, -1.0, 0.0])
def test_one_impossible_sample_among_sound_ones_is_not_a_measurement(
    sample: float, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    def spoil(document: Document) -> None:
        for by_subject in of_disks(document)["samples"].values():
            by_subject["s1"][3] = sample

    assert set(verdicts(read(campaign(spoil), cluster), cluster, "s1")) == {Verdict.MISSING}


@pytest.mark.parametrize("phase", ["setup", "run"])
def test_a_check_that_failed_as_a_whole_has_no_figures_whoever_its_problems_name(
    phase: str, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    def fail(document: Document) -> None:
        of_disks(document).update(
            result="fail", fail_phase=phase, fail_reason="lost", problems={"s2": ["the disk"]}
        )

    by_verdict = verdicts(read(campaign(fail), cluster), cluster, "s1")
    assert set(by_verdict) == {Verdict.MISSING}


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [(1e9, 1e9 - 60, "should not be before"), (1e9, 4.1e9, "is the clock there right")],
)
def test_times_that_cannot_be_are_refused(
    start: float, end: float, message: str, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    def set_clock(document: Document) -> None:
        document["session_info"].update(time_start_unix=start, time_end_unix=end)

    with pytest.raises(ReportError, match=message):
        read(campaign(set_clock), cluster)


def test_a_check_that_passed_in_an_earlier_session_is_not_measured_again(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    pattern = campaign()
    path = Path(pattern).parent / "run-1.json"
    document = json.loads(path.read_text())
    document["session_info"].update(time_start_unix=1e9 + 100, time_end_unix=1e9 + 160)
    (path.parent / "run-2.json").write_text(json.dumps(document))
    with pytest.raises(ReportError, match="a campaign has each check once"):
        read(pattern, cluster)
