"""One cause is one line, however many metrics it concerns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay.judge.causes import Cause, causes
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict
from synthetic import campaign, cluster, every_verdict, judgement


def slow(
    subject: str, culprit: str = "", check: str = "SsdFio", verdict: Verdict = Verdict.BELOW
) -> Judgement:
    made = judgement(floor=120.0, ceiling=200.0, subject=subject)
    required = replace(made.requirement, check=check)
    return replace(made, requirement=required, culprit=culprit, verdict=verdict)


def verdicts(found: Sequence[Cause]) -> list[dict[Verdict, int]]:
    return [cause.counts for cause in found]


def test_one_reason_for_many_subjects_is_one_cause() -> None:
    hosts = [judgement(problems=["down"], subject=f"n{number}") for number in range(1, 6)]
    other = judgement(problems=["killed"], subject="n9")
    first, second = causes([*hosts, other])
    assert (first.reason, first.named(2)) == ("down", "SsdFio.read_1m on n1, n2 and 3 more")
    assert (second.title, second.named(2)) == ("killed", "SsdFio.read_1m on n9")


def test_many_metrics_of_one_cause_are_cut_too() -> None:
    judgements = campaign(cluster(1, 1), problem="down").judgements
    (cause,) = causes(judgements)
    others = len({(j.requirement.check, j.requirement.metric) for j in judgements}) - 1
    assert (
        cause.named(1) == f"FiPingpong.bandwidth_1m on c1>c1 and 1 more; and {others} more metrics"
    )


def test_jobs_that_one_reason_stops_differ_by_their_numbers_alone() -> None:
    jobs = [judgement(problems=[f"failed: [jobid={n}] it did not start"]) for n in (7, 8)]
    (cause,) = causes(jobs)
    assert cause.title == "failed: it did not start"


def test_an_error_of_daos_is_one_cause_whatever_rpc_it_was() -> None:
    lines = [
        f"(dc_rw_cb() d84292c7/0a031edb {oid}.0.2 rpc 0x{rpc} opc 0 to rank {rank} tag 3:"
        " DER_NOSPACE(-1007): 'No space on storage target')"
        for oid, rpc, rank in (("9390.102", "56476b", 2), ("9390.238", "7f8d89", 1))
    ]
    reasons = [f"fio (fio) failed with exit status 6: no space left {line}" for line in lines]
    (cause,) = causes([judgement(problems=[reason]) for reason in reasons])
    assert len(cause.judgements) == 2
    assert "to rank 2" in cause.reason
    other = judgement(problems=["fio (fio) failed with exit status 2: no space left"])
    assert len(causes([cause.judgements[0], other])) == 2


def test_what_one_host_makes_slow_is_one_cause_of_all_checks() -> None:
    rows = [slow("c4", "c4"), slow("c4", "c4", "IorEasy", Verdict.UNSTEADY), slow("c9", "c9")]
    first, second = causes(rows)
    assert first.counts == {Verdict.BELOW: 1, Verdict.UNSTEADY: 1}
    assert first.title == "ssd: c4 (SsdFio.read_1m on c4 and 1 more metric)"
    assert second.counts == {Verdict.BELOW: 1}


def test_slow_figures_of_one_check_that_nothing_explains_are_one_cause() -> None:
    rows = [slow("n1"), slow("n2"), slow("n1", check="IorEasy"), slow("n3")]
    assert verdicts(causes(rows)) == [{Verdict.BELOW: 3}, {Verdict.BELOW: 1}]


def test_the_worst_come_first_and_what_passes_has_no_cause() -> None:
    rows = list(reversed(every_verdict().judgements))
    assert [cause.verdict for cause in causes(rows)] == list(Verdict)[:4]


@pytest.mark.parametrize("lines", ["x" * 500, "word " * 100, "first\nsecond"])
def test_a_title_is_one_short_line(lines: str) -> None:
    (cause,) = causes([judgement(problems=[lines])])
    assert "\n" not in cause.title
    assert 0 < len(cause.title) <= 120
