"""A campaign that goes on while verdicts are open: its rounds are one run, as they were planned."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bundles
from assay.bundle.verify import verify
from assay.campaign.further import affordable, further_rounds
from assay.campaign.results import Results, read
from assay.campaign.run_report import ReportError
from assay.checks.estimates import JOB_S
from assay.checks.hours import FURTHER, spelled
from assay.checks.plan import CHECKS, CaseKey
from assay.cluster.description import Cluster
from assay.judge.rounds import undecided
from assay.judge.signoff import Gate, SignOff, sign_off
from bundles import MADE
from clusters import described, description
from outputs import report_with_outputs

Document = dict[str, Any]
LINK = CaseKey("FiPingpong", "servers")
LOOKS = 1 + FURTHER
LATER = 600
"""Seconds from one round to the next."""
ASKED = CHECKS["FiPingpong"].scales["quick"]["repetitions"]


def nothing(_: Document) -> None:
    """Change nothing."""


def of_link(document: Document) -> Document:
    """What a report has of the check that goes on."""
    cases = document["runs"][0]["testcases"]
    return next(c for c in cases if (c["name"].partition(" ")[0], c["partition"]) == LINK)


class Campaign:
    """A campaign whose first round has all checks, and whose further ones have one check."""

    def __init__(self, root: Path, cluster: Cluster) -> None:
        self.root, self.cluster = root, cluster
        (root / "reports").mkdir()

    def take(
        self, number: int, change: Callable[[Document], None] = nothing, looks: int = LOOKS
    ) -> None:
        """Leave what a round leaves, after a change to its report."""
        place = self.root / f"round-{number}"
        document = report_with_outputs(
            self.cluster, place, 0, lambda *key: number == 1 or key == LINK
        )
        late = (number - 1) * LATER
        for moment in ("time_start_unix", "time_end_unix"):
            document["session_info"][moment] += late
        for record in place.rglob("steps.tsv"):
            rows = [line.split("\t") for line in record.read_text().splitlines()]
            moved = [[*row[:2], *(f"{float(t) + late:.6f}" for t in row[2:])] for row in rows]
            record.write_text("".join("\t".join(row) + "\n" for row in moved))
        for case in document["runs"][0]["testcases"]:
            case |= {"round": number, "looks": looks, "open": 2 if number > 1 else 0}
        change(document)
        (self.root / "reports" / f"run-{number}.json").write_text(json.dumps(document))

    def results(self) -> Results:
        return read(str(self.root / "reports" / "*.json"), self.cluster, self.root)

    def signed(self, gate: Gate = Gate.MEASURED) -> SignOff:
        return sign_off(self.cluster, self.results(), gate, (), "Ada Byron", MADE)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return Campaign(tmp_path, described(description()))


def at(level: float, spread: float, seed: int) -> Callable[[Document], None]:
    """A change of all bandwidths: to this level, with this scatter."""

    def change(document: Document) -> None:
        rng = random.Random(seed)
        by_subject = of_link(document)["samples"]["bandwidth_1m"]
        for subject, values in by_subject.items():
            by_subject[subject] = [level * (1 + rng.gauss(0, spread)) for _ in values]

    return change


def samples_of_link(signed: SignOff) -> set[int]:
    return {len(e.samples) for e in signed.judgements if e.requirement.case == LINK}


def test_the_samples_of_all_rounds_are_judged_together(campaign: Campaign) -> None:
    for number in range(1, 4):
        campaign.take(number)
    results = campaign.results()
    assert results.looks == LOOKS
    assert [job.round for job in results.cases[LINK].jobs] == [1, 2, 3]
    signed = campaign.signed()
    assert samples_of_link(signed) == {3 * ASKED}
    more = f"FiPingpong.repetitions on servers was {3 * ASKED}, more than the scale's {ASKED}"
    assert more in map(str, signed.deviations)
    assert not signed.stopped_by_less


def test_each_look_has_its_part_of_every_chance_even_if_nothing_was_open(
    campaign: Campaign,
) -> None:
    """Who may look four times is as strict at the first: otherwise the chances add up."""
    campaign.take(1)
    assert campaign.results().looks == LOOKS


def test_a_sign_off_names_each_further_round_with_its_subjects_and_its_time(
    campaign: Campaign,
) -> None:
    def long(document: Document) -> None:
        of_link(document)["benchmark_seconds"] = 12 * 60

    campaign.take(1)
    campaign.take(2, long)
    sentences = ["second round: 2 subjects of FiPingpong on servers left open, 12 min"]
    assert list(further_rounds(campaign.results())) == sentences
    assert set(sentences) <= set(campaign.signed().findings)


def test_verify_derives_all_rounds_again(campaign: Campaign, tmp_path: Path) -> None:
    for number in range(1, 4):
        campaign.take(number)
    bundles.write(campaign.signed(), campaign.results(), tmp_path / "bundle")
    assert (tmp_path / "bundle/raw/servers/FiPingpong.3/raw").is_dir()
    assert verify(tmp_path / "bundle").problems == []


@pytest.mark.parametrize(("first", "second"), [(1, LOOKS), (1, 1), (LOOKS, LOOKS + 1)])
def test_a_round_that_was_not_planned_beforehand_is_refused(
    campaign: Campaign, first: int, second: int
) -> None:
    """Who looks with the whole chance, and then decides to look again, has more than that."""
    campaign.take(1, looks=first)
    campaign.take(2, looks=second)
    with pytest.raises(ReportError, match="is a second round, which was not planned"):
        campaign.results()


def test_no_round_comes_after_the_last_that_was_planned(campaign: Campaign) -> None:
    for number in range(1, LOOKS + 2):
        campaign.take(number)
    with pytest.raises(ReportError, match="is a fifth round, which was not planned"):
        campaign.results()


def test_a_third_round_needs_the_second(campaign: Campaign) -> None:
    campaign.take(1)
    campaign.take(3)
    with pytest.raises(ReportError, match="FiPingpong on servers is also in"):
        campaign.results()


def test_a_further_round_that_failed_leaves_no_figure_and_is_taken_again(
    campaign: Campaign,
) -> None:
    def fail(document: Document) -> None:
        of_link(document).update(result="fail", fail_phase="run", fail_reason="the job hung")

    campaign.take(1)
    campaign.take(2)
    campaign.take(3, fail)
    case = campaign.results().cases[LINK]
    assert case.problem
    kept = case.kept
    assert kept is not None
    assert (kept.round, kept.taken, kept.problem) == (2, 2 * ASKED, None)
    assert undecided(campaign.cluster, campaign.results(), 3600.0) == {}
    campaign.take(3)
    assert campaign.results().cases[LINK].problem is None


def floor_of_link(campaign: Campaign) -> float:
    campaign.take(1)
    (floor,) = {
        each.expectation.floor
        for each in campaign.signed().judgements
        if each.requirement.case == LINK and each.requirement.name == "bandwidth_1m"
    }
    assert floor is not None
    return floor


def test_what_scatters_about_its_floor_takes_another_round_within_the_budget(
    campaign: Campaign,
) -> None:
    floor = floor_of_link(campaign)
    campaign.take(1, at(1.02 * floor, 0.03, 1))
    results = campaign.results()
    wanted = undecided(campaign.cluster, results, 3600.0)
    assert wanted == {LINK: 1}
    assert undecided(campaign.cluster, results, 0.0) == {}
    # A round takes what the first took, 10 s, and a job.
    assert undecided(campaign.cluster, results, 10 + JOB_S - 0.1) == {}
    assert undecided(campaign.cluster, results, 10 + JOB_S + 0.1) == wanted


def test_a_sign_off_says_which_planned_round_would_decide_more(campaign: Campaign) -> None:
    floor = floor_of_link(campaign)

    def unplayed(looks: int, scatter: float) -> list[str]:
        campaign.take(1, at(1.02 * floor, scatter, 1), looks=looks)
        return [each for each in campaign.signed().findings if "further round left" in each]

    assert unplayed(LOOKS, 0.03) == [
        "open, with a further round left that would decide some of it: FiPingpong on servers"
        f" ({spelled(10 + JOB_S)}); run the same campaign again with a larger assay_more_hours"
    ]
    assert unplayed(LOOKS, 0.0001) == []
    assert unplayed(1, 0.03) == []


def test_what_surely_passes_or_surely_fails_takes_no_other_round(campaign: Campaign) -> None:
    floor = floor_of_link(campaign)
    for level in (1.06, 0.5):
        campaign.take(1, at(level * floor, 0.001, 1))
        assert undecided(campaign.cluster, campaign.results(), 3600.0) == {}


def test_what_was_planned_for_one_look_takes_no_other_round(campaign: Campaign) -> None:
    campaign.take(1, at(1.02 * floor_of_link(campaign), 0.03, 1), looks=1)
    assert undecided(campaign.cluster, campaign.results(), 3600.0) == {}


def test_the_last_round_is_followed_by_none(campaign: Campaign) -> None:
    floor = floor_of_link(campaign)
    for number in range(1, LOOKS + 1):
        campaign.take(number, at(1.001 * floor, 0.03, number))
    assert undecided(campaign.cluster, campaign.results(), 3600.0) == {}


def test_the_budget_is_of_all_rounds_together_and_goes_to_the_shortest_first(
    campaign: Campaign,
) -> None:
    other = CaseKey("FiPingpong", "clients")

    def longer(document: Document) -> None:
        of_link(document)["benchmark_seconds"] = 100.0

    campaign.take(1, longer)
    short, both = 10 + JOB_S, 110 + 2 * JOB_S
    results = campaign.results()
    assert affordable([LINK, other], results, short) == [other]
    assert affordable([LINK, other], results, both) == [other, LINK]
    campaign.take(2, longer)
    assert affordable([LINK, other], campaign.results(), both) == [other]
