"""Effects that all metrics of a campaign share (made-up figures)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.judge.judgement import Judged, Measurement, judge
from assay.judge.verdict import Verdict
from assay.subject import Subject
from judged import OWED, UNRATED


def campaign(first: dict[str, float], drift: float = 0.0) -> Judged:
    """Six hosts, and checks whose first samples are so much slower than the others."""
    rng = np.random.default_rng(8)
    shape = 1 - drift * np.arange(7) / 6
    cases = []
    for check, loss in first.items():
        for host in range(6):
            row = 1000 * (1 + rng.normal(0, 0.005, 7)) * shape
            row[0] *= 1 - loss
            required = replace(OWED, subject=Subject(f"n{host}"), check=check)
            cases.append(Measurement(required, row.tolist(), UNRATED))
    return judge(cases)


def test_a_cold_start_is_said_once_and_its_samples_do_not_count() -> None:
    judged = campaign({"A": 0.15, "B": 0.15, "C": 0.15})
    assert judged.findings == (
        "cold start: the first sample of 18 metrics is 15% slower than the others, in nearly all"
        " checks; it does not count",
    )
    assert {j.verdict for j in judged.judgements} == {Verdict.UNRATED}
    assert {j.summary.count for j in judged.judgements if j.summary} == {6}
    assert {len(j.samples) for j in judged.judgements} == {7}


def test_one_check_that_starts_slowly_is_no_cold_start() -> None:
    judged = campaign({"A": 0.15, "B": 0.0, "C": 0.0})
    assert judged.findings == ()
    assert {j.summary.count for j in judged.judgements if j.summary} == {7}


def test_first_samples_that_are_too_fast_are_kept() -> None:
    judged = campaign({"A": -0.15, "B": -0.15, "C": -0.15})
    assert {j.summary.count for j in judged.judgements if j.summary} == {7}


def test_a_small_drift_of_everything_is_one_finding() -> None:
    judged = campaign({"A": 0.0, "B": 0.0, "C": 0.0}, drift=0.03)
    (finding,) = judged.findings
    assert finding.startswith("common drift: from the first sample to the last of their runs")
    assert {j.verdict for j in judged.judgements} == {Verdict.UNRATED}


def test_a_large_drift_of_everything_still_blocks() -> None:
    judged = campaign({"A": 0.0, "B": 0.0, "C": 0.0}, drift=0.15)
    assert {j.verdict for j in judged.judgements} == {Verdict.UNSTEADY}
