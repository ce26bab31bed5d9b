"""A campaign that stops when decided: its rounds are one run, and verify derives both again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bundles
from assay.bundle import checksums
from assay.bundle.verify import verify
from assay.campaign.results import Results, read
from assay.campaign.run_report import ReportError
from assay.cluster.description import Cluster
from assay.judge.rounds import undecided
from assay.judge.signoff import Gate, SignOff, sign_off
from assay.judge.verdict import Verdict
from bundles import MADE
from clusters import described, description
from outputs import read_in_half_the_time, report_with_outputs

Document = dict[str, Any]
DISKS = ("SsdFio", "servers")
"""What needs a second round."""
LATER = 600
"""Seconds from the first round to the second."""


def nothing(_: Document) -> None:
    """Change nothing."""


class Campaign:
    """A campaign in two rounds, of which the second has one check."""

    def __init__(self, root: Path, cluster: Cluster) -> None:
        self.root, self.cluster = root, cluster
        self.pattern = str(root / "reports" / "*.json")
        (root / "reports").mkdir()

    def take(self, number: int, change: Callable[[Document], None] = nothing) -> None:
        """Leave what a round leaves, after a change to its report."""

        def chosen(*key: str) -> bool:
            return number == 1 or key == DISKS

        document = report_with_outputs(self.cluster, self.root, number, chosen)
        if number == 2:
            for moment in ("time_start_unix", "time_end_unix"):
                document["session_info"][moment] += LATER
            for record in (self.root / "output" / "20261122T180000").rglob("steps.tsv"):
                rows = [line.split("\t") for line in record.read_text().splitlines()]
                moved = [[*row[:2], *(f"{float(t) + LATER:.6f}" for t in row[2:])] for row in rows]
                record.write_text("".join("\t".join(row) + "\n" for row in moved))
        change(document)
        (self.root / "reports" / f"run-{number}.json").write_text(json.dumps(document))

    def results(self) -> Results:
        return read(self.pattern, self.cluster, self.root)

    def signed(self, gate: Gate = Gate.MEASURED) -> SignOff:
        return sign_off(self.cluster, self.results(), gate, (), "Ada Byron", MADE)

    def bundle(self) -> Path:
        bundles.write(self.signed(), self.results(), self.root / "bundle")
        return self.root / "bundle"


@pytest.fixture
def rounds(tmp_path: Path) -> Campaign:
    return Campaign(tmp_path, described(description()))


def samples_of(signed: SignOff, key: tuple[str, str]) -> set[int]:
    """The numbers of samples of a check on a partition."""
    return {
        len(each.samples)
        for each in signed.judgements
        if (each.requirement.check, each.requirement.partition) == key
    }


def later(seconds: float) -> Callable[[Document], None]:
    """A change to a report, as if its session had begun so much later."""

    def move(document: Document) -> None:
        for moment in ("time_start_unix", "time_end_unix"):
            document["session_info"][moment] += seconds

    return move


def test_both_rounds_are_one_run(rounds: Campaign) -> None:
    rounds.take(1)
    rounds.take(2)
    signed = rounds.signed()
    assert samples_of(signed, DISKS) == {5}
    assert samples_of(signed, ("FiPingpong", "clients")) == {3}
    assert Verdict.MISSING not in {each.verdict for each in signed.judgements}
    # One that took all of its samples deviates in nothing; no check ran more than once.
    assert DISKS not in {(each.check, each.partition) for each in signed.deviations}
    assert {each.variable for each in signed.deviations} == {"repetitions"}


@pytest.mark.parametrize("emptied", [dict, lambda: {"write_1m": {}, "read_1m": {}}])
def test_a_second_round_that_lost_its_samples_is_not_one_that_took_none(
    rounds: Campaign, emptied: Callable[[], Document]
) -> None:
    def lose(document: Document) -> None:
        for case in document["runs"][0]["testcases"]:
            case["samples"] = emptied()

    rounds.take(1)
    rounds.take(2, lose)
    lost = [
        each
        for each in rounds.signed().judgements
        if (each.requirement.check, each.requirement.partition) == DISKS
    ]
    assert {each.verdict for each in lost} == {Verdict.MISSING}
    assert "has 3 samples, and 5 were taken" in lost[0].reason


def test_a_scale_that_asks_for_less_than_the_catalogue_is_refused(rounds: Campaign) -> None:
    def ask_for_less(document: Document) -> None:
        for case in document["runs"][0]["testcases"]:
            if "repetitions" in case["deviations"]:
                case["deviations"]["repetitions"]["asked"] = 3

    rounds.take(1, ask_for_less)
    with pytest.raises(ReportError, match=r"was asked for repetitions = 3, and the scale quick of"):
        rounds.results()


def of_a_host(signed: SignOff, host: str) -> dict[Verdict, set[str]]:
    """The verdicts of SsdFio on a server, with their reasons."""
    reasons: dict[Verdict, set[str]] = {}
    for each in signed.judgements:
        if (each.requirement.check, str(each.requirement.subject)) == ("SsdFio", host):
            reasons.setdefault(each.verdict, set()).add(each.reason)
    return reasons


@pytest.mark.parametrize("number", [1, 2])
def test_the_problems_of_either_round_count(rounds: Campaign, number: int) -> None:
    """Those of the first were lost: its samples stood beside the second's."""

    def spoil(document: Document) -> None:
        of_disks(document)["problems"] = {"s1": ["the disk had errors"]}

    for each in (1, 2):
        rounds.take(each, spoil if each == number else nothing)
    signed = rounds.signed()
    assert of_a_host(signed, "s1") == {Verdict.MISSING: {"the disk had errors"}}
    assert Verdict.MISSING not in of_a_host(signed, "s2")


def test_rounds_with_more_samples_than_the_scale_asks_for_are_listed(rounds: Campaign) -> None:
    def take_all(document: Document) -> None:
        case = of_disks(document)
        case["deviations"] = {}
        for by_subject in case["samples"].values():
            by_subject.update(
                {s: [*v, *(x * 1.01 for x in v), v[0]] for s, v in by_subject.items()}
            )

    rounds.take(1)
    rounds.take(2, take_all)
    signed = rounds.signed()
    assert samples_of(signed, DISKS) == {8}
    assert "SsdFio.repetitions on servers was 8, more than the scale's 5" in map(
        str, signed.deviations
    )


def test_a_second_round_that_copies_the_first_is_no_measurement(rounds: Campaign) -> None:
    """Not by one sample that is equal, but by those of all metrics of the host."""

    def put(*samples: float) -> Callable[[Document], None]:
        def change(document: Document) -> None:
            for number, by_subject in enumerate(of_disks(document)["samples"].values()):
                by_subject["s1"] = [round(x * (1 + number / 10), 2) for x in samples]

        return change

    rounds.take(1, put(2013.47, 1898.32, 2121.96))
    rounds.take(2, put(2121.96, 2013.47))
    assert of_a_host(rounds.signed(), "s1") == {
        Verdict.IMPLAUSIBLE: {"its last 2 samples repeat the first 3: they were not measured again"}
    }
    rounds.take(2, put(2121.96, 2013.48))
    assert Verdict.IMPLAUSIBLE not in of_a_host(rounds.signed(), "s1")


@pytest.mark.parametrize(("days", "counts"), [(13, True), (15, False)])
def test_a_round_of_long_ago_is_not_of_this_campaign(
    rounds: Campaign, days: int, *, counts: bool
) -> None:
    rounds.take(1)
    rounds.take(2, later(days * 86_400))
    by_verdict = of_a_host(rounds.signed(), "s1")
    assert (Verdict.MISSING not in by_verdict) == counts
    if not counts:
        assert by_verdict[Verdict.MISSING] == {
            "SsdFio was measured on 2001-09-09, more than 14 days before this campaign ended on"
            " 2001-09-24: measure it again in a new campaign"
        }


def test_sessions_that_ran_at_once_are_refused(rounds: Campaign) -> None:
    """Each has measured the other's load."""
    rounds.take(1, lambda d: d["session_info"].update(time_end_unix=1e9 + LATER + 0.5))
    rounds.take(2)
    with pytest.raises(ReportError, match="sessions that run at once disturb each other"):
        rounds.results()


def test_verify_derives_both_rounds_again(rounds: Campaign) -> None:
    rounds.take(1)
    rounds.take(2)
    made = rounds.bundle()
    assert verify(made).problems == []
    for place in ("SsdFio", "SsdFio.2"):
        changed = shutil.copytree(made, rounds.root / f"changed-{place}")
        read_in_half_the_time(changed / "raw/servers" / place / "raw/s1/fio.json")
        checksums.seal(changed)
        assert verify(changed).problems == [
            "SsdFio on s1: the samples of read_1m differ from those of its raw outputs"
        ]


def test_a_round_that_was_taken_away_is_noticed(rounds: Campaign) -> None:
    """The second round was slow, so somebody signs off without it."""
    rounds.take(1)
    rounds.take(2)
    made = rounds.bundle()
    (made / "reframe" / "run-2.json").unlink()
    shutil.rmtree(made / "raw/servers/SsdFio.2")
    checksums.seal(made)
    problems_found = verify(made).problems
    assert any(
        "its samples differ from those of the run reports" in each for each in problems_found
    )


def of_disks(document: Document) -> Document:
    """The case of SsdFio on the servers."""
    cases = document["runs"][0]["testcases"]
    return next(c for c in cases if (c["name"].partition(" ")[0], c["partition"]) == DISKS)


def test_first_samples_that_decide_are_enough(rounds: Campaign) -> None:
    rounds.take(1)
    results = rounds.results()
    assert ("SsdFio", "servers") in results.stopped
    assert undecided(rounds.cluster, results) == {}
    signed = rounds.signed(Gate.ACCEPTANCE)
    assert signed.stopped_by_less == ()
    (disks,) = (str(e) for e in signed.deviations if (e.check, e.partition) == DISKS)
    assert disks == "SsdFio.repetitions on servers was 3, less than the scale's 5: they decided"


def test_first_samples_that_leave_a_verdict_open_block_an_acceptance(rounds: Campaign) -> None:
    def drift(document: Document) -> None:
        for by_subject in of_disks(document)["samples"].values():
            by_subject["s1"] = [2000.0, 1900.0, 1800.0]

    rounds.take(1, drift)
    assert undecided(rounds.cluster, rounds.results()) == {DISKS: 0}
    signed = rounds.signed(Gate.ACCEPTANCE)
    assert [str(each) for each in signed.stopped_by_less] == [
        "SsdFio.repetitions on servers was 3, less than the scale's 5"
    ]


@pytest.mark.parametrize("was", [2, 4])
def test_another_number_of_samples_is_not_a_first_round(rounds: Campaign, was: int) -> None:
    """Nobody stops after the sample that pleases."""

    def take(document: Document) -> None:
        case = of_disks(document)
        case["deviations"]["repetitions"]["was"] = was
        for by_subject in case["samples"].values():
            by_subject.update({s: (v * 2)[:was] for s, v in by_subject.items()})

    rounds.take(1, take)
    (less,) = rounds.signed(Gate.ACCEPTANCE).stopped_by_less
    assert (less.check, less.partition, less.was) == (*DISKS, was)


def test_a_second_round_needs_the_first(rounds: Campaign) -> None:
    rounds.take(2)
    with pytest.raises(ReportError, match="is a second round, and no report has its first"):
        rounds.results()


def test_a_second_round_needs_a_first_that_has_not_failed(rounds: Campaign) -> None:
    rounds.take(1, lambda d: of_disks(d).update(result="fail", fail_phase="sanity", fail_reason=""))
    rounds.take(2)
    with pytest.raises(ReportError, match="but its first failed: measure both again"):
        rounds.results()


def test_a_first_round_is_not_measured_again(rounds: Campaign) -> None:
    rounds.take(1)
    document = json.loads((rounds.root / "reports/run-1.json").read_text())
    document["session_info"]["time_start_unix"] += 30
    (rounds.root / "reports/run-3.json").write_text(json.dumps(document))
    with pytest.raises(ReportError, match="a campaign has each check once"):
        rounds.results()


def test_a_second_round_that_failed_leaves_no_figure_and_may_be_repeated(rounds: Campaign) -> None:
    def fail(document: Document) -> None:
        of_disks(document).update(
            result="fail", fail_phase="sanity", fail_reason="full", samples={}
        )

    rounds.take(1)
    rounds.take(2, fail)
    reasons = {(j.requirement.check, j.reason) for j in rounds.signed().stopped_by}
    assert reasons == {("SsdFio", "failed in its sanity phase: full")}
    (rounds.root / "reports/run-2.json").rename(rounds.root / "reports/run-1b.json")
    rounds.take(2, later(LATER))
    signed = rounds.signed()
    assert samples_of(signed, DISKS) == {5}
    assert "SsdFio on servers ran 2 times" in map(str, signed.deviations)
