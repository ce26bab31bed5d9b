"""How far a campaign is, from what ReFrame and the jobs have written."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shlex
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.campaign import progress, telling
from assay.checks.entry import Requirement
from assay.checks.plan import CHECKS
from assay.cli import app
from assay.foreign.files import ForeignError
from assay.subject import Subject
from clusters import description
from sites import site

PLAN = [
    Requirement(name, CHECKS[name].layer, partition, CHECKS[name].metrics[0], Subject(host))
    for name, partition in (("SsdFio", "servers"), ("PosixFio", "clients"))
    for host in ("s1", "s2")
]
RUN = "[ RUN      ] {} %scale=quick /5ebe268c @here:{}+site\n"
END = "[ {:>8} ] (1/2) {} %scale=quick /5ebe268c @here:{}+site\n"
BEGIN = "[==========] Running 2 check(s)\n"
FINISH = "[==========] Finished on Sun Nov 22 18:21:44 2026+0000\n"
CRASH = "Traceback (most recent call last):\n  File\n"
FAILURES = f"SUMMARY OF FAILURES\n  * Failing phase: sanity\n{CRASH}ValueError: no figures\n"
SAVED = "Log file(s) saved in '/tmp/rfm-x1.log'\n"


def seen(directory: Path, output: str) -> progress.Progress:
    (directory / progress.OUTPUT).write_text(output)
    return progress.read(directory, PLAN, "here")


def states(state: progress.Progress) -> list[str]:
    return [check.state for check in state.checks]


def test_checks_wait_run_and_end(tmp_path: Path) -> None:
    run, end = RUN.format("SsdFio", "servers"), END.format("OK", "SsdFio", "servers")
    assert states(seen(tmp_path, BEGIN)) == ["waits", "waits"]
    assert states(seen(tmp_path, BEGIN + run)) == ["runs", "waits"]
    assert states(seen(tmp_path, BEGIN + run + end)) == ["measured", "waits"]
    failed = END.format("FAIL", "PosixFio", "clients")
    ended = seen(tmp_path, BEGIN + run + end + RUN.format("PosixFio", "clients") + failed + FINISH)
    assert states(ended) == ["measured", "failed"]
    assert ended.ended
    assert telling.lines(ended)[0] == "2 of 2 checks have ended: 1 measured, 1 failed"


def test_what_a_session_left_running_was_interrupted(tmp_path: Path) -> None:
    run = RUN.format("SsdFio", "servers")
    state = seen(tmp_path, BEGIN + run + BEGIN)
    assert states(state) == ["interrupted", "waits"]
    assert not state.ended


def test_what_an_earlier_session_measured_is_skipped_and_stays_measured(tmp_path: Path) -> None:
    run, end = RUN.format("SsdFio", "servers"), END.format("OK", "SsdFio", "servers")
    skip = END.format("SKIP", "SsdFio", "servers")
    first = BEGIN + run + end + FINISH
    state = seen(tmp_path, first + BEGIN + run + skip + RUN.format("PosixFio", "clients"))
    assert states(state) == ["measured", "runs"]
    assert telling.started(state, 10, AT) == ["2 of 2: PosixFio on s[1-2]; about 10 s left"]
    # A second round skips what the first has not measured.
    assert states(seen(tmp_path, BEGIN + run + skip)) == ["waits", "waits"]


def with_command(*options: str) -> str:
    """ReFrame's own lines before a session, as 4.10.4 prints them."""
    command = shlex.join(["/opt/assay/bin/reframe", "--run", *options])
    return (
        f"[ReFrame Setup]\n  version:           4.10.4\n  command:           {command!r}\n{BEGIN}"
    )


NAMED = (
    '  command:           "/opt/assay/bin/reframe --run --tag=acceptance'
    r" '--name=^(SsdFio)\\b' --exec-policy=serial --nocolor"
    '"'
)
"""As printed on a real cluster."""


def test_a_command_that_has_to_be_quoted_is_read() -> None:
    options = ("--tag=acceptance", r"--name=^(SsdFio)\b", "--exec-policy=serial", "--nocolor")
    assert NAMED in with_command(*options).splitlines()


@pytest.mark.parametrize(
    ("options", "state"),
    [
        (["--tag=quick", "--exec-policy=serial"], "waits"),
        (["--tag=quick", "--tag=raw", "--exclude-tag=root"], "waits"),
        (["--tag=quick", r"--name=^(SsdFio|PosixFio)\b"], "waits"),
        (["--tag=quick", "--tag=system"], "failed"),
        (["--tag=quick", r"--name=^(NetTest)\b"], "failed"),
    ],
)
def test_what_failed_waits_again_where_a_session_runs_it_again(
    tmp_path: Path, options: list[str], state: str
) -> None:
    run, end = RUN.format("SsdFio", "servers"), END.format("FAIL", "SsdFio", "servers")
    resumed = seen(tmp_path, BEGIN + run + end + FINISH + with_command(*options))
    narrow = "NetTest" in options[-1]
    assert states(resumed) == [state, "waits"][: 1 if narrow else 2]
    assert resumed.done == (state == "failed")
    left = telling.seconds_left(resumed, TAKES, AT)
    assert left == sum(TAKES[each.case] for each in resumed.checks if each.state == "waits")


def test_checks_that_a_session_is_told_to_leave_out_take_no_time(tmp_path: Path) -> None:
    run, end = RUN.format("SsdFio", "servers"), END.format("OK", "SsdFio", "servers")
    narrow = with_command("--tag=quick", r"--name=^(SsdFio|NetTest)\b")
    state = seen(tmp_path, narrow + run)
    assert states(state) == ["runs"]
    assert telling.started(state, 10, AT) == ["1 of 1: SsdFio on s[1-2]; about 10 s left"]
    ended = seen(tmp_path, narrow + run + end + FINISH)
    assert telling.lines(ended)[0] == "1 of 1 checks have ended: 1 measured; 1 left out"
    assert telling.seconds_left(ended, TAKES, AT) == 0
    # A session without that option measures the rest; one with it keeps what another has measured.
    whole = with_command("--tag=quick")
    assert states(seen(tmp_path, narrow + run + end + FINISH + whole)) == ["measured", "waits"]
    other = with_command("--tag=quick", r"--name=^(PosixFio)\b")
    assert states(seen(tmp_path, narrow + run + end + FINISH + other)) == ["measured", "waits"]


CAUGHT = (
    "[2026-11-29T18:39:31.364540] debug: SsdFio %scale=quick /5ebe268c @here:servers+site: caught"
    " reframe.core.exceptions.SanityError: {}\n"
)


@pytest.mark.parametrize("shown", ["'a' + " * 10_000 + "'a'", "'a\\x'", "'unended\\''", "''"])
def test_what_is_no_command_selects_every_check(tmp_path: Path, shown: str) -> None:
    state = seen(tmp_path, f"  command:           {shown}\n{BEGIN}")
    assert states(state) == ["waits", "waits"]


def test_a_check_that_failed_says_why_before_its_session_ends(tmp_path: Path) -> None:
    why = "s1: fio (read.1) failed with exit status 143"
    (tmp_path / progress.LOG).write_text(
        "[2026-11-29T18:39:00] debug: SsdFio %scale=quick /5ebe268c @here:servers+site: ran\n"
        + CAUGHT.format(why + "\x1b[2J")
    )
    run, end = RUN.format("SsdFio", "servers"), END.format("FAIL", "SsdFio", "servers")
    state = seen(tmp_path, BEGIN + run + end + RUN.format("PosixFio", "clients"))
    failed = f"SsdFio on servers failed: {why}"
    assert telling.lines(state)[1].startswith(failed)
    assert telling.started(state, 10, AT)[1].startswith(failed)
    # One that runs again has not failed yet.
    assert "failed" not in " ".join(telling.lines(seen(tmp_path, BEGIN + run + end + BEGIN + run)))


@pytest.mark.parametrize("log", [None, "", "x" * 100, CAUGHT.format("y" * 10_000)])
def test_a_log_without_reasons_or_with_long_ones_takes_nothing_away(
    tmp_path: Path, log: str | None
) -> None:
    if log is not None:
        (tmp_path / progress.LOG).write_text(log)
    run, end = RUN.format("SsdFio", "servers"), END.format("FAIL", "SsdFio", "servers")
    (_, line) = telling.lines(seen(tmp_path, BEGIN + run + end))
    assert line.startswith("SsdFio on servers failed")
    assert len(line) < 400


def test_a_job_that_waits_for_a_dfuse_says_so(tmp_path: Path) -> None:
    raw = tmp_path / "stage/20261122T180000/here/servers/site/SsdFio_5ebe268c/raw/s1"
    raw.mkdir(parents=True)
    (raw.parents[1] / "rfm_job.sh").write_text("")
    (raw / "waiting").write_text("the dfuse at /mnt/assay\n")
    state = seen(tmp_path, BEGIN + RUN.format("SsdFio", "servers"))
    assert telling.lines(state)[1].endswith("; waiting for the dfuse at /mnt/assay")
    (started,) = telling.started(state, 40, AT)
    assert started.endswith("; about 40 s left; waiting for the dfuse at /mnt/assay")


def test_a_running_check_shows_hosts_time_and_steps(tmp_path: Path) -> None:
    of_it = "here/servers/site/SsdFio_5ebe268c"
    (tmp_path / "stage" / "20261122T170000" / of_it).mkdir(parents=True)
    (tmp_path / "stage" / "20261122T170000" / of_it / "rfm_job.sh").write_text("")
    stage = tmp_path / "stage" / "20261122T180000" / of_it
    (stage / "raw" / "s1").mkdir(parents=True)
    (stage / "rfm_job.sh").write_text("")
    (stage / "raw" / "s1" / "steps.tsv").write_text("fio\t0\t1.0\t2.0\n")
    state = seen(tmp_path, BEGIN + RUN.format("SsdFio", "servers"))
    since = state.checks[0].since
    assert since is not None
    (_, line) = telling.lines(state, since + 85)
    assert line.startswith("SsdFio on servers running since ")
    assert line.endswith(" (85 s); steps finished: s1 1, s2 0")


def test_the_started_checks_have_their_number_their_hosts_and_the_time_left(tmp_path: Path) -> None:
    ended = RUN.format("SsdFio", "servers") + END.format("FAIL", "SsdFio", "servers")
    running = RUN.format("PosixFio", "clients")
    assert telling.started(seen(tmp_path, BEGIN + ended + running), 130, AT) == [
        "1 of 2: SsdFio on s[1-2]",
        "SsdFio on servers failed",
        "2 of 2: PosixFio on s[1-2]; about 2 min left",
    ]
    again = seen(tmp_path, BEGIN + ended + FINISH + BEGIN + running)
    assert telling.started(again, 10, AT) == ["2 of 2: PosixFio on s[1-2]; about 10 s left"]


@pytest.mark.parametrize(
    ("ran_s", "minutes"), [(0, None), (119, None), (120, 2), (239, 2), (240, 4), (3600, 32)]
)
def test_a_check_that_takes_long_is_said_to_run_each_time_its_minutes_double(
    tmp_path: Path, ran_s: int, minutes: int | None
) -> None:
    running = seen(tmp_path, BEGIN + RUN.format("SsdFio", "servers"))
    running.checks[0].since = AT
    (_, *more) = telling.started(running, 130, AT + ran_s)
    line = f"SsdFio has run for more than {minutes} min; about 2 min left"
    assert more == ([] if minutes is None else [line])


STARTED = "[==========] Started on Sun Nov 22 18:00:00 2026+0000\n"
AT = datetime(2026, 11, 22, 18, tzinfo=UTC).timestamp()
TAKES = {("SsdFio", "servers"): 100.0, ("PosixFio", "clients"): 60.0}


def test_what_is_left_is_what_has_not_ended(tmp_path: Path) -> None:
    assert telling.seconds_left(seen(tmp_path, BEGIN + STARTED), TAKES, AT) == 160.0
    run, end = RUN.format("SsdFio", "servers"), END.format("OK", "SsdFio", "servers")
    running = seen(tmp_path, BEGIN + STARTED + run)
    assert running.scale == "quick"
    running.checks[0].since = AT
    assert telling.seconds_left(running, TAKES, AT + 30) == 70.0 + 60.0
    ended = seen(tmp_path, BEGIN + STARTED + run + end)
    assert telling.seconds_left(ended, TAKES, AT + 100) == pytest.approx(60.0)


def test_an_overdue_check_is_as_slow_as_the_rest_will_be(tmp_path: Path) -> None:
    """It ends in a tenth of its time so far, and the estimate does not stand still."""
    running = seen(tmp_path, BEGIN + STARTED + RUN.format("SsdFio", "servers"))
    running.checks[0].since = AT
    assert telling.seconds_left(running, TAKES, AT + 95) == 10.0 + 60.0
    for took in (200, 300):
        left = telling.seconds_left(running, TAKES, AT + took)
        assert left == pytest.approx(took / 10 + 60 * (took + 16) / 116)
    unknown = seen(tmp_path, BEGIN + RUN.format("SsdFio", "servers"))  # since when, nobody knows
    unknown.checks[0].since = AT
    assert telling.seconds_left(unknown, TAKES, AT + 500) == 50.0 + 60.0


@pytest.mark.parametrize(
    ("took", "left"), [(200, 60 * 216 / 116), (50, 60 * 66 / 116), (9000, 600.0), (1, 20.0)]
)
def test_the_rest_is_as_slow_as_what_has_ended(tmp_path: Path, took: float, left: float) -> None:
    run, end = RUN.format("SsdFio", "servers"), END.format("OK", "SsdFio", "servers")
    ended = seen(tmp_path, BEGIN + STARTED + run + end)
    assert telling.seconds_left(ended, TAKES, AT + took) == pytest.approx(left)


def test_a_short_check_that_was_slow_says_little_of_a_long_campaign(tmp_path: Path) -> None:
    run, end = RUN.format("SsdFio", "servers"), END.format("OK", "SsdFio", "servers")
    ended = seen(tmp_path, BEGIN + STARTED + run + end)
    takes = {("SsdFio", "servers"): 20.0, ("PosixFio", "clients"): 1740.0}
    left = telling.seconds_left(ended, takes, AT + 91)
    assert left == pytest.approx(1740 * (91 + 176) / (20 + 176))


def test_the_pace_of_a_session_is_not_that_of_the_one_before(tmp_path: Path) -> None:
    run, end = RUN.format("SsdFio", "servers"), END.format("OK", "SsdFio", "servers")
    resumed = seen(tmp_path, BEGIN + STARTED + run + end + FINISH + BEGIN + STARTED)
    assert telling.seconds_left(resumed, TAKES, AT + 9000) == 60.0


def test_a_running_check_of_which_nobody_knows_the_start_has_all_of_its_time(
    tmp_path: Path,
) -> None:
    running = seen(tmp_path, BEGIN + STARTED + RUN.format("SsdFio", "servers"))
    assert telling.seconds_left(running, TAKES, AT + 30) == 160.0
    # A clock that was set back is no reason to expect more.
    running.checks[0].since = AT + 50
    assert telling.seconds_left(running, TAKES, AT) == 160.0


def test_what_was_interrupted_is_left_too(tmp_path: Path) -> None:
    run = RUN.format("SsdFio", "servers")
    assert telling.seconds_left(seen(tmp_path, BEGIN + STARTED + run + FINISH), TAKES, AT) == 160.0


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("OK", "measured"),
        ("XFAIL", "measured"),
        ("XPASS", "measured"),
        ("FAIL", "failed"),
        ("ABORT", "interrupted"),
    ],
)
def test_what_reframe_says_of_an_end(tmp_path: Path, word: str, state: str) -> None:
    assert states(seen(tmp_path, BEGIN + END.format(word, "SsdFio", "servers"))) == [state, "waits"]


def test_a_check_whose_figures_are_below_its_references_did_not_fail(tmp_path: Path) -> None:
    ended = END.format("FAIL", "SsdFio", "servers")
    why = "==> test failed during '{}': test staged in '/stage'\n"
    text = BEGIN + RUN.format("SsdFio", "servers") + ended
    state = seen(tmp_path, text + why.format("performance"))
    assert (states(state), state.done) == (["beyond", "waits"], 1)
    assert telling.started(state, 10, AT)[-1] == "SsdFio on servers measured, beyond its limits"
    assert states(seen(tmp_path, text + why.format("sanity"))) == ["failed", "waits"]


def test_a_campaign_is_measured_while_somebody_has_its_lock(tmp_path: Path) -> None:
    directory = tmp_path / "campaign"
    assert not progress.is_measuring(directory)
    (tmp_path / progress.LOCK).parent.mkdir(mode=0o700)
    with (tmp_path / progress.LOCK).open("wb") as lock:
        assert not progress.is_measuring(directory)
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert progress.is_measuring(directory)
        for holder, measures in (("campaign", True), ("another", False)):
            (tmp_path / progress.HOLDER).write_text(f"host n1\nscript 4711 5\ncampaign {holder}\n")
            assert progress.is_measuring(directory) is measures


def test_who_cannot_see_the_lock_goes_by_what_reframe_has_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group may read the results, and the lock is its user's alone."""
    state = tmp_path / "campaign"
    state.mkdir()
    (tmp_path / progress.LOCK).parent.mkdir(mode=0o700)
    (tmp_path / progress.LOCK).touch()

    def unseen(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(fcntl, "flock", unseen)
    answers = []
    for text in (BEGIN, BEGIN + FINISH, BEGIN + FINISH + BEGIN):
        (state / progress.OUTPUT).write_text(text)
        answers.append(progress.is_measuring(state))
    assert answers == [True, False, True]


def test_without_a_time_a_line_changes_only_if_something_happens(tmp_path: Path) -> None:
    state = seen(tmp_path, BEGIN + RUN.format("SsdFio", "servers"))
    assert telling.lines(state) == [
        "0 of 2 checks have ended: 1 running, 1 waiting",
        "SsdFio on servers running; steps finished: s1 0, s2 0",
    ]
    state.checks[0].since = AT
    assert " since " in telling.lines(state)[1]
    assert " s)" not in telling.lines(state)[1]
    # Of a clock that was set back.
    assert " (0 s); " in telling.lines(state, AT - 5)[1]


@pytest.mark.parametrize("log", ["", "then|SsdFio|5|512.25|MiB/s\n", "job_completion_time|a\n"])
def test_a_log_without_a_run_has_no_figures(tmp_path: Path, log: str) -> None:
    path = tmp_path / "perflogs" / "here" / "servers" / "SsdFio.log"
    path.parent.mkdir(parents=True)
    path.write_text(log)
    state = seen(tmp_path, BEGIN + END.format("OK", "SsdFio", "servers"))
    assert state.checks[0].figures == []


def test_a_date_that_nobody_can_read_is_none(tmp_path: Path) -> None:
    assert seen(tmp_path, BEGIN + "[==========] Started on some other day\n").began is None


def test_a_link_that_a_host_left_is_not_followed(tmp_path: Path) -> None:
    raw = tmp_path / "stage" / "now" / "here" / "servers" / "site" / "SsdFio_5ebe268c" / "raw"
    other = tmp_path / "other"
    other.mkdir()
    (other / "steps.tsv").write_text("fio\t0\t1.0\t2.0\n")
    raw.mkdir(parents=True)
    (raw.parent / "rfm_job.sh").write_text("")
    (raw / "s1").symlink_to(other)
    state = seen(tmp_path, BEGIN + RUN.format("SsdFio", "servers"))
    assert state.checks[0].steps == {Subject("s1"): 0, Subject("s2"): 0}


def test_figures_come_with_the_end_of_their_check(tmp_path: Path) -> None:
    log = tmp_path / "perflogs" / "here" / "servers" / "SsdFio.log"
    log.parent.mkdir(parents=True)
    header = "job_completion_time|display_name|jobid|randread_4k@s1_value|randread_4k@s1_unit\n"
    log.write_text(f"{header}then|SsdFio|5|512.25|IO/s\nnow|SsdFio|6|10742.5|IO/s\n")
    state = seen(tmp_path, BEGIN + END.format("OK", "SsdFio", "servers"))
    assert state.checks[0].figures == ["randread_4k@s1 10,742 IO/s"]


def test_a_link_in_place_of_the_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(BEGIN)
    (tmp_path / progress.OUTPUT).symlink_to(tmp_path / "secret")
    with pytest.raises((ForeignError, OSError)):
        progress.read(tmp_path, PLAN, "here")


def test_who_follows_a_campaign_waits_for_its_second_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two rounds no session runs, and the script of the campaign does."""
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    (tmp_path / progress.OUTPUT).write_text(BEGIN + FINISH)
    measuring, waited = [True, True, False], []
    monkeypatch.setattr(progress, "is_measuring", lambda _: measuring.pop(0))
    monkeypatch.setattr(time, "sleep", waited.append)
    command = ["progress", "--follow", str(tmp_path), f"--cluster={tmp_path / 'cluster.json'}"]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert len(waited) == 2


def test_who_follows_a_campaign_reads_each_minute_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    (tmp_path / progress.OUTPUT).write_text(BEGIN + RUN.format("SsdFio", "servers"))
    waited: list[float] = []
    monkeypatch.setattr(progress, "is_measuring", lambda _: sum(waited) < 300)
    monkeypatch.setattr(telling, "seconds_left", lambda *_: 1000 - min(sum(waited), 110))
    monkeypatch.setattr(time, "monotonic", lambda: sum(waited))
    monkeypatch.setattr(time, "sleep", waited.append)
    command = ["progress", "--follow", str(tmp_path), f"--cluster={tmp_path / 'cluster.json'}"]
    done = CliRunner().invoke(app, command)
    left = [line for line in done.stdout.splitlines() if line.startswith("about")]
    assert left == ["about 17 min left", "about 16 min left", "about 15 min left"]


def test_the_newest_campaign_is_shown_unless_another_is_named(tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    campaigns = tmp_path / "campaigns"
    command = ["progress", f"--campaigns={campaigns}", f"--cluster={tmp_path / 'cluster.json'}"]
    ran = CliRunner().invoke(app, command)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert f"{campaigns} cannot be read: No such file" in ran.stderr
    campaigns.mkdir()
    ran = CliRunner().invoke(app, command)
    assert (ran.exit_code, ran.stderr.startswith(f"{campaigns} has no campaign")) == (2, True)
    for second, name in enumerate(("resumed", "first", "second", "resumed")):
        (campaigns / name).mkdir(exist_ok=True)
        output = campaigns / name / progress.OUTPUT
        output.write_text(BEGIN)
        os.utime(output, (AT + second, AT + second))
    (campaigns / "link").symlink_to(tmp_path)
    (campaigns / "by-hand/stage").mkdir(parents=True)
    ran = CliRunner().invoke(app, command)
    assert (ran.exit_code, ran.stdout.splitlines()[0]) == (0, str(campaigns / "resumed"))


def test_a_campaign_that_was_interrupted_is_not_said_to_run(tmp_path: Path) -> None:
    """As after a ^C: the rest takes time once somebody measures it."""
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    command = ["progress", str(tmp_path), f"--cluster={tmp_path / 'cluster.json'}"]
    running = BEGIN + RUN.format("PosixFio", "clients")
    for output, last in (
        (running, "about"),
        (running + FINISH, "nothing is running; the rest takes"),
    ):
        (tmp_path / progress.OUTPUT).write_text(output)
        assert CliRunner().invoke(app, command).stdout.splitlines()[-1].startswith(last)


def test_where_no_campaign_has_begun_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    command = ["progress", str(tmp_path), f"--cluster={tmp_path / 'cluster.json'}"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 2
    assert f"no campaign has begun in {tmp_path}: " in ran.stderr.replace("\n", "")
    command[1:2] = ["first", f"--campaigns={tmp_path}"]
    ran = CliRunner().invoke(app, command)
    assert f"no campaign has begun in {tmp_path}/first: " in ran.stderr.replace("\n", "")


@pytest.mark.parametrize(
    ("output", "last"),
    [
        (
            "ERROR: failed to load configuration: No such file: '/nowhere/settings.py'\n\n",
            "ERROR: failed to load configuration: No such file: '/nowhere/settings.py'",
        ),
        (
            BEGIN + FINISH + FAILURES + SAVED + f"{CRASH}ReportError: other plan\n{SAVED}",
            "ReportError: other plan",
        ),
        (BEGIN + FINISH + SAVED + f"{CRASH}ReportError: other plan\n", "ReportError: other plan"),
        (f"{CRASH}ReportError: other plan\n{SAVED}", "ReportError: other plan"),
    ],
)
def test_why_reframe_began_no_session_is_said(tmp_path: Path, output: str, last: str) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    (tmp_path / progress.OUTPUT).write_text(output)
    command = ["progress", "--follow", str(tmp_path), f"--cluster={tmp_path / 'cluster.json'}"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 2
    assert ran.stderr.endswith(f"ReFrame ended before its first check: {last}\n")


@pytest.mark.parametrize(
    "output",
    [BEGIN + RUN.format("PosixFio", "clients"), BEGIN + FINISH + FAILURES + SAVED],
    ids=["killed", "failed"],
)
def test_who_follows_a_campaign_that_is_over_does_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    (tmp_path / progress.OUTPUT).write_text(output)
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    command = ["progress", "--follow", str(tmp_path), f"--cluster={tmp_path / 'cluster.json'}"]
    ran = CliRunner().invoke(app, command)
    assert (ran.exit_code, ran.stderr, waited) == (0, "", [])


def test_a_campaign_of_daos_goes_on_between_its_phases(tmp_path: Path) -> None:
    """The playbook then stops or starts engines, and no script of a campaign runs."""
    (tmp_path / "cluster.json").write_text(json.dumps(site(servers=1, clients=2)))
    (tmp_path / progress.OUTPUT).write_text(BEGIN + RUN.format("SelfTest", "clients") + FINISH)
    command = ["progress", str(tmp_path), f"--cluster={tmp_path / 'cluster.json'}"]
    last = CliRunner().invoke(app, command).stdout.splitlines()[-1]
    assert re.fullmatch(r"about \d+ \w+ left", last)


@pytest.mark.parametrize("name", [progress.LOCK, progress.OUTPUT, "perflogs"])
def test_a_fifo_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """`assay progress` hung."""
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    campaign = tmp_path / "monday"
    campaign.mkdir()
    (campaign / progress.OUTPUT).write_text(
        BEGIN + RUN.format("SsdFio", "servers") + END.format("OK", "SsdFio", "servers") + FINISH
    )
    at = {
        progress.LOCK: tmp_path / progress.LOCK,
        progress.OUTPUT: campaign / progress.OUTPUT,
        "perflogs": campaign / "perflogs/proving-ground/servers/SsdFio.log",
    }[name]
    at.parent.mkdir(parents=True, exist_ok=True)
    at.unlink(missing_ok=True)
    os.mkfifo(at)
    arguments = ["progress", str(campaign), "--cluster", str(tmp_path / "cluster.json")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == (0 if name == "perflogs" else 2)
    assert name == "perflogs" or "is not a regular file" in result.stderr


@pytest.mark.parametrize(
    "log",
    [
        *("", "\n", "\0", "|", "job_completion_time|", "job_completion_time|x_value\n\n", '"'),
        "job_completion_time|x_value\n1|...\n",
        "job_completion_time|x_value\n1|1e-\n",
        "job_completion_time|x_value\n1|--1\n",
        'job_completion_time|x_value\n1|"' + "x" * 200_000 + "\n",
        "job_completion_time|x_value\r1|\udcff",
        "job_completion_time|x_value\n" * 10_001,
    ],
)
def test_an_odd_log_of_figures_shows_none(tmp_path: Path, log: str) -> None:
    """csv.Error, ValueError and IndexError ended the command."""
    path = tmp_path / "perflogs/here/servers/SsdFio.log"
    path.parent.mkdir(parents=True)
    path.write_text(log, errors="surrogateescape")
    output = BEGIN + RUN.format("SsdFio", "servers") + END.format("OK", "SsdFio", "servers")
    assert seen(tmp_path, output).checks[0].figures == []
