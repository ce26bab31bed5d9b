"""Which checks a session of ReFrame measures again, since verdicts are open, and how."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from run_reframe import reframe

from clusters import described, description
from outputs import report_with_outputs

AT_FLOOR = (1180.0, 1230.0, 1210.0, 1170.0, 1225.0)
"""As many samples as the scale has, on both sides of a floor of 1,192 MiB/s."""
OPTIONS = ("--dry-run", "--name=^FiPingpong%", "--tag=quick", "-S", "further_rounds=3")


class Begun:
    """A campaign whose first round left FiPingpong on the servers at its floor."""

    def __init__(self, root: Path, looks: int = 4) -> None:
        self.root, self.document = root, description()
        cluster = described(self.document)
        report = report_with_outputs(cluster, root)
        for case in report["runs"][0]["testcases"]:
            case |= {"round": 1, "looks": looks}
            if (case["name"].partition(" ")[0], case["partition"]) == ("FiPingpong", "servers"):
                case["samples"]["bandwidth_1m"]["s1>s2"] = [*AT_FLOOR]
        (root / "reports").mkdir()
        (root / "reports" / "1.json").write_text(json.dumps(report))

    def measured(self) -> tuple[dict[str, int], str]:
        """The steps of each job that a session would run, by partition; and what it printed."""
        printed = reframe(self.document, self.root, *OPTIONS, f"--prefix={self.root}")
        steps: dict[str, int] = {}
        for script in self.root.glob("stage/**/FiPingpong_*/*.sh"):
            count = len(re.findall(r"^step bandwidth_1m\.", script.read_text(), re.MULTILINE))
            partition = script.parts[-4]
            steps[partition] = steps.get(partition, 0) + count
        return {name: count for name, count in steps.items() if count}, printed


@pytest.fixture
def further(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_REPORTS", f"{tmp_path}/reports/*.json")
    monkeypatch.setenv("ASSAY_ROUND", "2")
    monkeypatch.setenv("ASSAY_MORE_HOURS", "1")


@pytest.mark.usefixtures("further")
def test_what_is_open_takes_all_samples_of_the_scale_again(tmp_path: Path) -> None:
    steps, printed = Begun(tmp_path).measured()
    assert set(steps) == {"servers"}, printed
    assert steps["servers"] == len(AT_FLOOR)
    assert printed.count("SKIP") == 1


@pytest.mark.usefixtures("further")
def test_without_time_nothing_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_MORE_HOURS", "0.001")
    assert Begun(tmp_path).measured()[0] == {}


@pytest.mark.usefixtures("further")
def test_what_planned_no_other_look_is_not_measured_again(tmp_path: Path) -> None:
    assert Begun(tmp_path, looks=1).measured()[0] == {}


@pytest.mark.usefixtures("further")
def test_a_session_that_resumes_takes_no_further_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It first measures what has no figures yet."""
    monkeypatch.setenv("ASSAY_ROUND", "1")
    assert Begun(tmp_path).measured()[0] == {}
