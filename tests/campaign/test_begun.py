"""The record of the campaigns that were begun."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.campaign.begun import CampaignStanding, RecordOfBegun, kept, read, standing
from assay.campaign.redescribed import digests, redescribed
from assay.foreign.files import ForeignError

SCRIPT = Path(__file__).parents[2] / "reframe-checks" / "begun.py"
NOW = datetime.now(UTC)


class Controller:
    """The directory of campaigns."""

    def __init__(self, campaigns: Path) -> None:
        self.campaigns = campaigns
        self.cluster = campaigns / "cluster.json"
        self.cluster.write_text('{"name": "hall"}')
        (campaigns / ".campaign").mkdir(mode=0o700)

    @property
    def record(self) -> Path:
        return self.campaigns / ".campaign" / "begun" / "record.tsv"

    def note(self, event: str, campaign: str, status: int = 0, scale: str = "acceptance") -> None:
        place = self.record.parent
        command = [sys.executable, "-I", SCRIPT, place, event, campaign, scale, str(status)]
        environment = {"ASSAY_CLUSTER": str(self.cluster)}
        subprocess.run(command, check=True, env=environment)

    def records(self) -> tuple[RecordOfBegun, ...]:
        return kept(self.campaigns / "one")

    def standing(self) -> CampaignStanding:
        """Where a campaign that starts now would stand."""
        started = datetime.now(UTC) + timedelta(seconds=1)
        return standing(self.records(), "hall", "acceptance", started)

    def says(self) -> str:
        return str(self.standing())


@pytest.fixture
def controller(tmp_path: Path) -> Controller:
    return Controller(tmp_path)


def test_a_third_campaign_says_how_the_first_two_ended(controller: Controller) -> None:
    controller.note("begun", "one")
    controller.note("ended", "one", 1)
    controller.note("begun", "two")
    controller.note("begun", "three")
    said = controller.says()
    assert said.startswith("three, third campaign of this plan; before it: one, begun ")
    assert ", ended with status 1 " in said
    assert said.endswith(", not ended")
    assert said.count("begun") == 2
    assert controller.standing().heading == "third campaign of this plan"


def test_sessions_of_one_campaign_are_one_and_other_scales_are_others(
    controller: Controller,
) -> None:
    controller.note("begun", "nightly", scale="quick")
    for status in (1, 0):
        controller.note("begun", "one")
        controller.note("ended", "one", status)
    assert controller.says() == "one, first campaign of this plan"
    assert controller.standing().heading == ""
    ((only,),) = [
        [each for each in r.campaigns if each.name == "one"] for r in controller.records()
    ]
    assert (only.sessions, only.status) == (2, 1)


def test_campaigns_that_were_begun_later_are_named_too(controller: Controller) -> None:
    controller.note("begun", "one")
    early = NOW - timedelta(days=1)
    said = str(standing(controller.records(), "hall", "acceptance", early))
    assert said == "the record of the campaigns that were begun does not have this one"
    (one,) = controller.records()[0].campaigns
    two = replace(one, name="two", at=one.at + timedelta(hours=1))
    record = replace(controller.records()[0], campaigns=(one, two))
    first = standing([record], "hall", "acceptance", one.at)
    assert str(first).startswith("one, first campaign of this plan; begun after it: two, begun ")
    assert first.heading == ""


def described(controller: Controller, **parts: object) -> dict[str, str]:
    document = {"name": "hall", **parts}
    controller.cluster.write_text(json.dumps(document))
    return digests(document)


def judged_by(controller: Controller, now: dict[str, str]) -> str:
    started = datetime.now(UTC) + timedelta(seconds=1)
    return redescribed(controller.records(), "acceptance", started, now)


def test_a_description_that_was_changed_since_is_named_with_its_parts(
    controller: Controller,
) -> None:
    """Bounds and floors that were lowered once the figures were known."""
    measured = described(controller, hosts={"s1": {"cores": 64, "b": 1.5}}, floors={})
    controller.note("begun", "one")
    controller.note("ended", "one")
    assert judged_by(controller, measured) == ""
    now = digests({"name": "hall", "hosts": {"s1": {"b": 1.5, "cores": 8}}, "commitments": []})
    assert judged_by(controller, now) == (
        "judged by another description than it was measured by; changed since the campaign was"
        " begun: commitments, floors, hosts.cores"
    )


def test_a_description_that_one_session_had_is_named_too(controller: Controller) -> None:
    described(controller, floors={"SsdFio.read_1m": 0.9})
    controller.note("begun", "one")
    now = described(controller, floors={"SsdFio.read_1m": 0.1})
    controller.note("begun", "one")
    assert judged_by(controller, now).endswith(" begun: floors")
    # The next campaign has the changed description alone.
    controller.note("begun", "two")
    later = datetime.now(UTC) + timedelta(days=1)
    record = controller.records()
    assert [len(each.described) for each in record[0].campaigns] == [2, 1]
    assert redescribed(record, "quick", later, now) == ""


def test_a_description_that_could_not_be_read_is_no_other_one(controller: Controller) -> None:
    now = described(controller)
    controller.cluster.write_text("{")
    controller.note("begun", "one")
    assert judged_by(controller, now) == ""


def test_a_renamed_cluster_is_another_description(controller: Controller) -> None:
    described(controller)
    controller.note("begun", "one")
    assert judged_by(controller, digests({"name": "hall-2"})).endswith(" begun: name")


def test_a_record_without_digests_is_read_and_says_nothing_of_them(controller: Controller) -> None:
    line = '{"event": "begun", "campaign": "old", "at": "2026-01-01T00:00:00+00:00"'
    line += ', "cluster": "hall", "scale": "acceptance", "status": 0}'
    controller.record.parent.mkdir(mode=0o700)
    controller.record.write_text(f"{line}\t{'0' * 64}\n")
    records = read(controller.record.parents[1])
    assert records[0].campaigns[0].described == ()
    assert redescribed(records, "acceptance", NOW, digests({"name": "hall"})) == ""


def test_campaigns_of_a_renamed_cluster_are_named_too(controller: Controller) -> None:
    """Who renames the cluster after each campaign would always have the first one of its plan."""
    for name in ("hall", "hall-2", "hall-3"):
        controller.cluster.write_text(json.dumps({"name": name}))
        controller.note("begun", f"of-{name}")
    said = controller.says()
    assert "; of clusters with other names (hall-2, hall-3): of-hall-2, begun " in said
    assert controller.standing().heading == (
        "first campaign of this plan, beside 2 of clusters with other names (hall-2, hall-3)"
    )


@pytest.mark.parametrize(
    "forge",
    [
        lambda lines: [lines[0], lines[2]],
        lambda lines: lines[1:],
        lambda lines: [lines[0].replace("one", "two"), *lines[1:]],
        lambda lines: [lines[1], lines[0], lines[2]],
    ],
)
def test_a_line_that_was_changed_removed_or_moved_is_found(
    controller: Controller, forge: object
) -> None:
    for name in ("one", "two", "three"):
        controller.note("begun", name)
    lines = controller.record.read_text().splitlines(keepends=True)
    controller.record.write_text("".join(forge(lines)))  # type: ignore[operator]
    with pytest.raises(ForeignError, match="does not have its MAC"):
        controller.records()


def test_what_is_no_record_is_refused(controller: Controller) -> None:
    controller.note("begun", "one")
    controller.record.write_text("{}\tabc\n")
    with pytest.raises(ForeignError, match=r"is not a record of campaigns: line 1"):
        controller.records()


def test_the_record_says_that_there_is_none(tmp_path: Path) -> None:
    assert kept(tmp_path / "one") == ()
    assert read(tmp_path) == ()
    assert str(standing((), "hall", "acceptance", NOW)).startswith("no record of the campaigns")


def test_only_this_user_reads_the_key(controller: Controller) -> None:
    controller.note("begun", "one")
    key = controller.campaigns / ".campaign" / "begun.key"
    assert key.stat().st_mode & 0o077 == 0
