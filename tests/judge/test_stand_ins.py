"""No limit of a subject rests on a figure of the same subject that is itself bad."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.campaign.results import read
from assay.checks.expect import Expectation
from assay.cluster.description import Cluster
from assay.judge.judgement import Judgement, Measurement, judge
from assay.judge.signoff import Gate, sign_off
from assay.judge.stand_ins import stand_ins
from assay.judge.verdict import Verdict
from assay.subject import Subject
from clusters import system
from judged import OWED, RATED
from runs import report

Sound = Mapping[str, float]
SERVERS = system(servers=3)
PAIR, PEER = "s1/engine0>s3/engine0", "s1/engine0>s2/engine0"
NOISE = (0.0, 0.004, -0.007)
CROSS: Sound = {"latency_empty": 100.0, "empty": 40_000.0, "get_1m": 2000.0, "put_1m": 2000.0}


def judged(
    root: Path, cluster: Cluster, check: str, sound: Sound, faults: Mapping[str, Sound]
) -> Mapping[str, Judgement]:
    """The judgements of a check by metric and subject; `faults` are by subject."""
    document: dict[str, Any] = report(cluster, root)
    (case,) = [c for c in document["runs"][0]["testcases"] if c["name"].startswith(f"{check} ")]
    for name, by_subject in case["samples"].items():
        for number, subject in enumerate(by_subject):
            level = faults.get(subject, {}).get(name, sound[name])
            digits = 1 + number / 1000
            by_subject[subject] = [level * digits * (1 + n) for n in NOISE]
    (root / "run.json").write_text(json.dumps(document))
    signed = sign_off(cluster, read(str(root / "run.json"), cluster), Gate.MEASURED)
    return {
        f"{each.requirement.name} on {each.requirement.subject}": each
        for each in signed.judgements
        if each.requirement.check == check
    }


def test_a_slow_path_that_slows_latency_and_rate_is_slow_in_both(tmp_path: Path) -> None:
    """Of its own latency the floor of the rate would be 89 RPC/s."""
    fault = {"latency_empty": 18_000.0, "empty": 877.0}
    got = judged(tmp_path, SERVERS, "SelfTestCrossServer", CROSS, {PAIR: fault})
    rate = got[f"empty on {PAIR}"]
    assert got[f"latency_empty on {PAIR}"].verdict is Verdict.BELOW
    assert rate.verdict is Verdict.BELOW
    assert rate.expectation.floor == pytest.approx(got[f"empty on {PEER}"].expectation.floor, 0.01)
    assert "since its own is below" in rate.expectation.derivation
    assert got[f"empty on {PEER}"].verdict is Verdict.PASS


def test_where_all_are_slow_the_limit_that_they_miss_takes_the_place(tmp_path: Path) -> None:
    fault = {"latency_empty": 18_000.0, "empty": 877.0}
    got = judged(tmp_path, SERVERS, "SelfTestCrossServer", {**CROSS, **fault}, {})
    rate = got[f"empty on {PAIR}"]
    # 16 in flight at 300 us, of which a tenth is required.
    assert rate.expectation.floor == pytest.approx(16 / 300e-6 * 0.1)
    assert "at its limit, since its own is below" in rate.expectation.derivation
    assert rate.verdict is Verdict.BELOW


@pytest.mark.parametrize(
    ("verdict", "expected", "stands_in"),
    [
        (Verdict.IMPLAUSIBLE, RATED, [70.0]),
        (Verdict.BELOW, RATED, [70.0]),
        (Verdict.UNSTEADY, replace(RATED, floor=40.0), None),  # its median is within its limits
        (Verdict.UNSTEADY, replace(RATED, floor=60.0), [70.0]),
        (Verdict.PASS, RATED, None),
    ],
)
def test_the_middle_one_of_sound_peers_stands_in(
    verdict: Verdict, expected: Expectation, stands_in: list[float] | None
) -> None:
    subjects = {"n0": 50.0, "n1": 70.0, "n2": 80.0, "n3": 60.0, "n4": 90.0}
    measurements = [
        Measurement(replace(OWED, subject=Subject(name)), [level], expected)
        for name, level in subjects.items()
    ]
    found = judge(measurements).judgements
    others = [replace(each, verdict=Verdict.PASS) for each in found[1:]]
    bad = measurements[0].requirement
    instead = stand_ins(measurements, [replace(found[0], verdict=verdict), *others])
    assert [list(lower.samples) for lower in instead.values()] == ([stands_in] if stands_in else [])
    assert not stands_in or instead[bad].named.endswith(
        f"(instead on n1, since its own is {verdict})"
    )


def test_sound_figures_are_judged_by_their_own(tmp_path: Path) -> None:
    """A latency that is longer but within its limit is the site's own, such as between racks."""
    far = {"latency_empty": 180.0, "empty": 22_000.0}
    got = judged(tmp_path, SERVERS, "SelfTestCrossServer", CROSS, {PAIR: far})
    rate = got[f"empty on {PAIR}"]
    assert "instead" not in rate.expectation.derivation
    # A few pairs that differ are a question, not an accusation.
    for judgement in (rate, got[f"latency_empty on {PAIR}"]):
        assert judgement.verdict is Verdict.UNSTEADY
        assert "worse than the best of its few peers" in judgement.reason
