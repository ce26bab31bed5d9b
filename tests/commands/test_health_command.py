"""The command `assay health`: its exit status, what it prints, and how it ends a campaign."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay import cli
from assay.commands import watching
from assay.health import measure
from assay.health.nights import Nights
from assay.health.outcome import State
from clusters import described, description
from commandline import assay
from nightly import Campaigns, absent, outcome, slower, sound

CLUSTER = described(description())


def run(*arguments: object) -> tuple[int, str, str]:
    return assay("health", *arguments)


@pytest.fixture
def campaigns(monkeypatch: pytest.MonkeyPatch) -> Campaigns:
    """In the place of ReFrame."""
    stand_in = Campaigns(CLUSTER, sound)

    def measured(_: Path, directory: Path, checks: list[str], __: Path, limit_s: float) -> bool:
        return stand_in(directory, checks, limit_s)

    monkeypatch.setattr(measure, "run", measured)
    return stand_in


def test_a_sound_night_ends_with_0_in_one_line(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns
) -> None:
    status, printed, errors = run(tmp_path / "health", "--cluster", cluster_file)
    assert (status, errors) == (0, "")
    assert printed.startswith("OK proving-ground: ")
    assert printed.count("\n") == 1
    assert len(campaigns.ran) == 1


def test_an_alarm_ends_with_1_and_is_shown_again_for_its_host(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns
) -> None:
    lost = slower(0.99, "s2", check="SsdFio")
    campaigns.changes[:] = [sound] * 6 + [lost, lost]
    kept = tmp_path / "health"
    for number in range(6):
        assert run(kept, "--cluster", cluster_file)[0] == 0
        # Nights that begin in one second would be one.
        (night,) = (path for path in kept.joinpath("history").glob("2*.json"))
        night.rename(night.with_name(f"1999010{number}T020000.json"))
        shutil.rmtree(kept / "campaigns")
    prom = tmp_path / "assay.prom"
    status, printed, _ = run(kept, "--cluster", cluster_file, "--json", "--textfile", prom)
    assert status == 1
    document = json.loads(printed)
    assert document["state"] == "alarm"
    assert {host for each in document["findings"] for host in each["hosts"]} == {"s2"}
    assert 'assay_health_state{cluster="proving-ground",state="alarm"} 1.0' in prom.read_text()
    status, printed, _ = run(kept, "--last")
    assert status == 1
    assert printed.splitlines()[0] == document["headline"]
    assert run(kept, "--last", "--host=s2")[0] == 1
    status, printed, _ = run(kept, "--last", "--host=s1")
    assert status == 0
    assert printed.startswith("OK proving-ground: nothing was worse on s1; ")
    status, printed, errors = run(kept, "--last", "--host=s1.example.org")
    assert (status, printed) == (3, "")
    assert errors.startswith("UNKNOWN: no night measures s1.example.org; it measures ")


def test_what_was_not_measured_ends_with_3(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns
) -> None:
    campaigns.changes[:] = [absent("s1", "SsdFio")]
    status, printed, _ = run(tmp_path / "health", "--cluster", cluster_file)
    assert status == 3
    assert re.search(r"not measured: SsdFio on s1, \d+ figures: s1 was lost", printed)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--host=s1"], "--host needs --last: a night measures all hosts"),
        (
            ["--last", "--textfile=a.prom", "--baseline=b"],
            "--baseline, --textfile: only for a night; --last measures and writes nothing",
        ),
        (["--textfile=assay.txt"], "node_exporter reads only files named *.prom"),
        (["--textfile=/nowhere/a.prom"], "--textfile /nowhere/a.prom: there is no directory"),
    ],
)
def test_what_makes_no_sense_ends_with_2_before_anything_is_measured(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns, arguments: list[str], why: str
) -> None:
    status, _, errors = run(tmp_path / "health", "--cluster", cluster_file, *arguments)
    assert (status, campaigns.ran) == (2, [])
    assert why in errors


def test_a_directory_that_others_write_ends_with_2_before_anything_is_measured(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is written after the night, which Debian's node_exporter allows to root alone."""
    # Root, who runs these tests in CI, may write anywhere.
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    where = ["--cluster", cluster_file, f"--textfile={tmp_path}/a.prom"]
    status, _, errors = run(tmp_path / "health", *where)
    assert (status, campaigns.ran) == (2, [])
    assert f"you may not write into {tmp_path}" in errors


def test_a_baseline_that_is_no_bundle_ends_with_2_before_anything_is_measured(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns
) -> None:
    where = ["--cluster", cluster_file, "--baseline", tmp_path / "absent"]
    status, _, errors = run(tmp_path / "health", *where)
    assert (status, campaigns.ran) == (2, [])
    assert "absent is not a bundle of `assay signoff`: " in errors


def test_a_description_that_is_invalid_is_no_alarm(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns
) -> None:
    cluster_file.write_text("{}")
    status, _, errors = run(tmp_path / "health", "--cluster", cluster_file)
    assert (status, campaigns.ran) == (2, [])
    assert str(cluster_file) in errors


def test_a_failure_that_nobody_foresaw_is_no_alarm(
    tmp_path: Path,
    cluster_file: Path,
    campaigns: Campaigns,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    campaigns.changes.clear()
    words = ["assay", "health", tmp_path / "health", "--cluster", cluster_file]
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # which the command changes
    monkeypatch.setattr(sys, "argv", list(map(str, words)))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert "IndexError: pop from empty list" in printed.err


def test_an_outcome_is_shown_even_if_its_textfile_cannot_be_written(
    tmp_path: Path, cluster_file: Path, campaigns: Campaigns
) -> None:
    (tmp_path / "assay.prom").mkdir()
    where = ["--cluster", cluster_file, "--textfile", tmp_path / "assay.prom"]
    status, printed, errors = run(tmp_path / "health", *where)
    assert (status, len(campaigns.ran)) == (2, 1)
    assert printed.startswith("OK proving-ground: ")
    assert errors == f"{tmp_path}/assay.prom cannot be written: Is a directory\n"


@pytest.mark.parametrize(("age_h", "status"), [(35, 0), (37, 3)])
def test_an_old_night_says_nothing(tmp_path: Path, age_h: int, status: int) -> None:
    ended = datetime.now(UTC) - timedelta(hours=age_h)
    Nights(tmp_path).keep(outcome(ended))
    assert run(tmp_path, "--last")[0] == status
    assert run(tmp_path, "--last", "--max-age-h=40")[0] == 0


def test_a_night_of_the_future_says_nothing(tmp_path: Path) -> None:
    """One of 2099 was OK for 73 years."""
    Nights(tmp_path).keep(outcome(datetime(2099, 1, 1, tzinfo=UTC)))
    status, printed, errors = run(tmp_path, "--last")
    assert (status, printed) == (3, "")
    future = "the last night ended at 2099-01-01 00:00 UTC, in the future; is the clock right?"
    assert errors == f"UNKNOWN: {future}\n"
    Nights(tmp_path).keep(outcome(datetime.now(UTC) + timedelta(minutes=5)))
    assert run(tmp_path, "--last")[0] == 0


def test_no_night_at_all_says_nothing(tmp_path: Path) -> None:
    status, _, errors = run(tmp_path, "--last")
    assert (status, errors) == (3, f"UNKNOWN: there was no night in {tmp_path}\n")


def test_a_state_without_a_figure_is_not_ok() -> None:
    assert outcome(datetime.now(UTC), figures=0).state is State.UNKNOWN


SCRIPT = """#!/bin/bash
# In the place of campaign.sh.
"""


def script(tmp_path: Path, body: str) -> Path:
    directory = tmp_path / "checks"
    directory.mkdir()
    path = directory / "campaign.sh"
    path.write_text(SCRIPT + body)
    return path


def test_a_campaign_that_does_not_begin_says_why(
    tmp_path: Path, cluster_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = script(tmp_path, 'echo "another campaign is running (process 7)" >&2; exit 75')
    monkeypatch.setattr(watching, "checks_directory", lambda: busy.parent)
    status, _, errors = run(tmp_path / "health", "--cluster", cluster_file)
    assert status == 75
    assert errors == "no campaign: another campaign is running (process 7)\n"
    assert not (tmp_path / "health/history").exists()


def test_campaign_sh_is_asked_for_the_checks(tmp_path: Path, cluster_file: Path) -> None:
    arguments = tmp_path / "arguments"
    asked = script(tmp_path, f'echo "$@" "$ASSAY_CLUSTER" >{arguments}; exit 1')
    assert measure.run(asked, tmp_path / "night", ["A", "B"], cluster_file, 60.0)
    assert arguments.read_text() == f"--checks=A,B {tmp_path}/night quick {cluster_file}\n"


def test_a_signal_after_a_campaign_does_what_it_did_before(
    tmp_path: Path, cluster_file: Path
) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(each) for each in numbers]
    measure.run(script(tmp_path, "exit 0"), tmp_path / "night", ["A"], cluster_file, 60.0)
    assert [signal.getsignal(each) for each in numbers] == before


def test_a_campaign_that_takes_too_long_is_ended(tmp_path: Path, cluster_file: Path) -> None:
    slow = script(tmp_path, "trap 'echo ended >\"$2\"; exit 1' TERM; sleep 5 & wait")
    assert not measure.run(slow, tmp_path / "night", ["A"], cluster_file, 0.5)
    assert (tmp_path / "night").read_text() == "ended\n"


COMMAND = """
import sys
from pathlib import Path
from assay import cli
from assay.commands import watching
checks = Path(sys.argv.pop(1))
watching.checks_directory = lambda: checks
from assay.cli import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_campaign_and_the_night_does_not_count(
    tmp_path: Path, cluster_file: Path, number: signal.Signals
) -> None:
    ready, ended = tmp_path / "ready", tmp_path / "ended"
    slow = script(tmp_path, f"trap 'echo >{ended}; exit 1' TERM; sleep 5 & echo >{ready}; wait")
    kept = tmp_path / "health"
    words = [sys.executable, "-c", COMMAND, slow.parent, "health", kept, "--cluster", cluster_file]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=os.environ) as command:
        deadline = time.monotonic() + 60
        while not ready.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        command.send_signal(number)
        _, errors = command.communicate(timeout=60)
    assert command.returncode == 128 + number
    assert errors == f"{number.name}: the campaign was ended, and the night does not count\n"
    assert ended.exists()
    assert not (kept / "history").exists()
    assert not (kept / "last.json").exists()
