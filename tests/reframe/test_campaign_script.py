"""Where `campaign.sh` begins no campaign."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import get_args

import pytest

from assay.checks.entry import SCALES, Layer, Phase
from assay.checks.hours import FURTHER

SCRIPT = Path(__file__).parents[2] / "reframe-checks/campaign.sh"
NOBODY = 65534


def start(
    directory: Path, *tags: str, before: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", SCRIPT, *before, directory, "quick", *tags],
        env={**os.environ, "ASSAY_ENVIRONMENT": "/dev/null", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", [(), ("--until-decided",), ("monday",), ("", "quick")])
def test_what_is_needed_is_said(words: tuple[str, ...], tmp_path: Path) -> None:
    ran = subprocess.run(
        ["bash", SCRIPT, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 64
    assert ran.stderr.startswith("usage: campaign.sh ")
    assert ran.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_made_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "campaigns").touch()
    ran = start(tmp_path / "campaigns/of/monday")
    assert (ran.returncode, ran.stderr) == (
        73,
        f"{tmp_path}/campaigns/of cannot be made (Not a directory); name another directory\n",
    )


def test_the_root_directory_is_no_place_for_results() -> None:
    ran = start(Path("/"))
    assert (ran.returncode, ran.stderr) == (
        64,
        "/ cannot be a directory for results; name one below it\n",
    )


def test_an_environment_without_reframe_begins_no_campaign(tmp_path: Path) -> None:
    ran = start(tmp_path / "campaigns/monday", PATH="/usr/bin:/bin")
    assert ran.returncode == 66
    assert ran.stderr.startswith("/dev/null brings no reframe: deploy this host, ")
    assert list((tmp_path / "campaigns").iterdir()) == []


def test_help_is_what_the_script_says_of_itself() -> None:
    ran = subprocess.run(["bash", SCRIPT, "--help"], capture_output=True, text=True, check=False)
    first, *_, last = ran.stdout.splitlines()
    assert first.startswith("campaign.sh [--until-decided] ")
    assert last.startswith("ASSAY_ENVIRONMENT names ")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_root_opens_nothing_where_another_user_could_put_a_link(tmp_path: Path) -> None:
    victim, campaigns = tmp_path / "victim", tmp_path / "campaigns"
    victim.write_text("precious\n")
    campaigns.mkdir()
    (campaigns / ".lock").symlink_to(victim)
    os.lchown(campaigns / ".lock", NOBODY, NOBODY)
    os.chown(campaigns, NOBODY, NOBODY)
    ran = start(campaigns / "monday")
    assert ran.returncode == 77
    assert f"{campaigns} belongs to nobody" in ran.stderr
    assert "run this as root with runuser --user=nobody --, " in ran.stderr
    assert victim.read_text() == "precious\n"
    assert not (campaigns / "monday").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_root_measures_in_no_directory_of_another_user(tmp_path: Path) -> None:
    victim, monday = tmp_path / "victim", tmp_path / "monday"
    victim.write_text("precious\n")
    monday.mkdir()
    (monday / "reframe.out").symlink_to(victim)
    os.chown(monday, NOBODY, NOBODY)
    ran = start(monday, PATH=f"{commands(tmp_path)}:{os.environ['PATH']}")
    assert ran.returncode == 77
    assert f"{monday} belongs to nobody" in ran.stderr
    assert victim.read_text() == "precious\n"


def test_checks_are_selected_by_the_tags_that_they_have_and_those_that_they_lack(
    tmp_path: Path,
) -> None:
    path = f"{commands(tmp_path)}:{os.environ['PATH']}"
    monday = tmp_path / "campaigns/monday"
    assert start(monday, "raw", "!root", PATH=path).returncode == 0
    assert "--run --tag=quick --tag=raw --exclude-tag=root " in (monday / "reframe.out").read_text()


@pytest.mark.parametrize("tag", ["quik", "!rot"])
def test_a_tag_that_no_check_has_is_refused(tag: str, tmp_path: Path) -> None:
    ran = start(
        tmp_path / "campaigns/monday", tag, PATH=f"{commands(tmp_path)}:{os.environ['PATH']}"
    )
    assert ran.returncode == 64
    assert ran.stderr.startswith(f"unknown tag {tag}; choose from: quick acceptance network ")
    assert not (tmp_path / "campaigns").exists()


def test_a_campaign_is_resumed_at_its_own_scale_alone(tmp_path: Path) -> None:
    path = f"{commands(tmp_path)}:{os.environ['PATH']}"
    monday = tmp_path / "campaigns/monday"
    monday.mkdir(parents=True)
    for scale, status in (("acceptance", 64), ("quick", 0)):
        begun = f"[ RUN      ] SsdFio %scale={scale} /5ebe268c @here:servers+site\n"
        (monday / "reframe.out").write_text(begun)
        ran = start(monday, PATH=path)
        assert ran.returncode == status, ran.stderr
        refused = f"{monday} was begun at the scale acceptance, and cannot be resumed at quick: "
        assert ran.stderr.startswith(refused) == (status == 64)
        assert ("--run" in (monday / "reframe.out").read_text()) == (status == 0)


def test_each_tag_that_a_check_may_have_is_taken(tmp_path: Path) -> None:
    tags = [*get_args(Layer), *get_args(Phase), *SCALES, "root"]
    ran = start(tmp_path / "monday", *tags, PATH=f"{commands(tmp_path)}:{os.environ['PATH']}")
    assert ran.returncode == 0, ran.stderr


def test_checks_are_selected_by_their_names(tmp_path: Path) -> None:
    programs = commands(tmp_path)
    (programs / "reframe").write_text('#!/bin/bash\necho "$@"\n')  # sh's would eat the backslash
    path = f"{programs}:{os.environ['PATH']}"
    monday = tmp_path / "campaigns/monday"
    done = subprocess.run(
        ["bash", SCRIPT, "--checks=SsdFio,NetTest", monday, "quick"],
        env={**os.environ, "ASSAY_ENVIRONMENT": "/dev/null", "PATH": path},
        check=False,
    )
    assert done.returncode == 0
    output = (monday / "reframe.out").read_text()
    assert "--run --tag=quick --name=^(SsdFio|NetTest)\\b " in output


def test_an_unknown_option_is_refused_with_all_options(tmp_path: Path) -> None:
    ran = subprocess.run(
        ["bash", SCRIPT, "--check=A", tmp_path / "monday", "quick"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (
        64,
        "unknown option --check=A; choose from: --until-decided, --more-hours=HOURS,"
        " --checks=NAME,..., --help\n",
    )


def test_the_reports_of_root_and_of_another_user_lie_beside_each_other(tmp_path: Path) -> None:
    programs = commands(tmp_path)
    (programs / "reframe").write_text('#!/bin/sh\necho "$RFM_REPORT_FILE"\n')
    reports = set()
    for user in ("root", "assay"):
        (programs / "id").write_text(f"#!/bin/sh\necho {user}\n")
        (programs / "id").chmod(0o755)
        directory = tmp_path / user / "monday"
        assert start(directory, "raw", PATH=f"{programs}:{os.environ['PATH']}").returncode == 0
        report = (directory / "reframe.out").read_text().strip()
        assert report.startswith(f"{directory}/reports/")
        assert "{sessionid}" in report
        reports.add(Path(report).name)
    assert len(reports) == 2


def test_what_a_job_left_in_the_directory_is_not_run_beside_reframe(tmp_path: Path) -> None:
    monday = tmp_path / "campaigns/monday"
    monday.mkdir(parents=True)
    (monday / "json.py").write_text("open('ran', 'w')\n")
    ran = start(monday, PATH=f"{commands(tmp_path)}:{os.environ['PATH']}")
    assert ran.returncode == 0, ran.stderr
    assert "--run --tag=quick" in (monday / "reframe.out").read_text()
    assert not (monday / "ran").exists()


ROUNDS = 'echo "round $ASSAY_ROUND: $@"\n'


def until_decided(tmp_path: Path, reframe: str) -> subprocess.Popen[str]:
    """A campaign that stops when decided, with a stand-in of ReFrame."""
    programs = commands(tmp_path)
    (programs / "reframe").write_text(f"#!/bin/bash\n{ROUNDS}{reframe}\n")
    path = f"{programs}:{os.environ['PATH']}"
    return subprocess.Popen(
        ["bash", SCRIPT, "--until-decided", tmp_path / "campaigns/monday", "quick"],
        env={**os.environ, "ASSAY_ENVIRONMENT": "/dev/null", "PATH": path},
    )


def test_each_session_has_outputs_of_its_own(tmp_path: Path) -> None:
    monday = tmp_path / "campaigns/monday"
    assert until_decided(tmp_path, "exit $((ASSAY_ROUND - 1))").wait() == 1
    first, second = (monday / "reframe.out").read_text().splitlines()
    assert first.startswith("round 1: --run --tag=quick")
    assert second.startswith("round 2: --run --tag=quick")
    for line in (first, second):
        assert "--setvar=until_decided=yes" in line
        assert "--timestamp=%Y%m%dT%H%M%S" in line


def going_on(tmp_path: Path, reframe: str, hours: str = "1.5", *options: str) -> list[str]:
    """The lines that a stand-in of ReFrame prints in a campaign that may go on."""
    programs = commands(tmp_path)
    (programs / "reframe").write_text(
        f'#!/bin/bash\necho "round $ASSAY_ROUND of $ASSAY_MORE_HOURS h: $@"\n{reframe}\n'
    )
    path = f"{programs}:{os.environ['PATH']}"
    start(tmp_path / "campaigns/monday", before=(f"--more-hours={hours}", *options), PATH=path)
    return (tmp_path / "campaigns/monday/reframe.out").read_text().splitlines()


def test_a_campaign_goes_on_for_as_many_rounds_as_it_has_planned(tmp_path: Path) -> None:
    lines = going_on(tmp_path, "")
    assert [line.partition(":")[0] for line in lines] == [
        f"round {number} of 1.5 h" for number in range(1, 2 + FURTHER)
    ]
    assert all(f"--setvar=further_rounds={FURTHER}" in line for line in lines)


def test_a_campaign_ends_with_what_failed_and_why(tmp_path: Path) -> None:
    programs = commands(tmp_path)
    said = [
        "3 of 3 checks have ended: 1 measured, 1 measured, beyond its limits, 1 failed",
        "SsdFio on servers measured, beyond its limits: read_64k@s1: it failed",
        "IorByRank on clients failed: dmg made no pool of 1GiB on rank 0: dmg did not end",
        "about 0 s left",
    ]
    for name, lines in {
        "reframe": ["exit 1"],
        "assay": [f"echo '{line}'" for line in said],
    }.items():
        (programs / name).write_text("\n".join(["#!/bin/bash", *lines]) + "\n")
        (programs / name).chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    ran = start(tmp_path / "campaigns/monday", PATH=path)
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[-2:] == [said[0], said[2]]


def test_first_samples_and_further_rounds_go_together(tmp_path: Path) -> None:
    lines = going_on(tmp_path, "", "1.5", "--until-decided")
    assert len(lines) == 2 + FURTHER
    assert all("until_decided=yes" in line and "further_rounds=" in line for line in lines)


def test_a_campaign_ends_with_a_round_that_had_nothing_to_measure(tmp_path: Path) -> None:
    """ReFrame skips what is decided, and each session takes its time."""
    nothing = "echo '[  PASSED  ] Ran 0/9 test case(s) from 9 check(s)'"
    lines = going_on(tmp_path, f"((ASSAY_ROUND < 2)) || {nothing}")
    assert [line.split()[1] for line in lines if line.startswith("round")] == ["1", "2"]


@pytest.mark.parametrize("hours", ["0", "0.0"])
def test_a_campaign_without_a_budget_has_no_further_round(tmp_path: Path, hours: str) -> None:
    (line,) = going_on(tmp_path, "", hours)
    assert "further_rounds" not in line


@pytest.mark.parametrize("hours", ["", "-1", "2h", "1e3", "9999"])
def test_a_budget_that_is_no_number_of_hours_is_refused(tmp_path: Path, hours: str) -> None:
    ran = start(tmp_path / "campaigns/monday", before=(f"--more-hours={hours}",))
    assert (ran.returncode, ran.stderr) == (
        64,
        f"--more-hours={hours} should be a number of hours, as --more-hours=1.5\n",
    )


def test_the_status_of_a_first_round_is_not_lost(tmp_path: Path) -> None:
    assert until_decided(tmp_path, "exit $((2 - ASSAY_ROUND))").wait() == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_first_round_and_none_follows(
    tmp_path: Path, number: signal.Signals
) -> None:
    wait = "trap 'echo ended; kill $!; exit 3' TERM; sleep 60 & echo ready; wait"
    campaign = until_decided(tmp_path, wait)
    log = tmp_path / "campaigns/monday/reframe.out"
    deadline = time.monotonic() + 30
    while not (log.exists() and "ready" in log.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    campaign.send_signal(number)
    assert campaign.wait(30) == 3
    log_text = log.read_text()
    assert "ended" in log_text
    assert "round 2" not in log_text


@pytest.mark.parametrize("name", ["absent.sh", "directory"])
def test_a_missing_environment_is_no_failed_check(name: str, tmp_path: Path) -> None:
    """ReFrame ends with 1 then, as bash does where it cannot read a file."""
    (tmp_path / "directory").mkdir()
    ran = start(tmp_path / "campaigns/monday", ASSAY_ENVIRONMENT=str(tmp_path / name))
    assert ran.returncode == 66
    assert ran.stderr.startswith(f"{tmp_path}/{name} cannot be read: ")
    assert not (tmp_path / "campaigns").exists()


@pytest.mark.parametrize(
    ("place", "status", "cancelled"),
    [("campaigns/sunday", 0, "7\n"), ("health/campaigns/1", 75, "")],
)
def test_only_jobs_that_were_left_beside_it_are_cancelled(
    tmp_path: Path, place: str, status: int, cancelled: str
) -> None:
    """A night of `assay health` begins while another campaign may run, and the other way round."""
    programs, said = commands(tmp_path), tmp_path / "cancelled"
    job = f"7|daos-assay|{tmp_path}/{place}/stage/SsdFio"
    queue = f"echo '6|mine|/home/me'\n[ -s {said} ] || echo '{job}'"
    (programs / "squeue").write_text(f"#!/bin/sh\n{queue}\n")
    (programs / "scancel").write_text(f'#!/bin/sh\necho "$@" >>{said}\n')
    said.touch()
    monday = tmp_path / "campaigns/monday"
    done = start(monday, PATH=f"{programs}:{os.environ['PATH']}")
    assert (done.returncode, said.read_text()) == (status, cancelled)
    assert (monday / "reframe.out").exists() == (status == 0)
    if status:
        where = f"job 7 in {tmp_path}/{place}/stage/SsdFio"
        assert f"another campaign has a job ({where}); wait for it, or cancel it" in done.stderr


@pytest.mark.parametrize(("named", "measured"), [({}, "site"), ({"ASSAY_CLUSTER": "mine"}, "mine")])
def test_the_description_that_is_named_is_measured(
    tmp_path: Path, named: dict[str, str], measured: str
) -> None:
    programs = commands(tmp_path)
    (programs / "reframe").write_text('#!/bin/sh\necho "$ASSAY_CLUSTER"\n')
    environment = tmp_path / "environment.sh"
    environment.write_text("export ASSAY_CLUSTER=site\n")
    path = f"{programs}:{os.environ['PATH']}"
    start(tmp_path / "campaigns/1", PATH=path, ASSAY_ENVIRONMENT=str(environment), **named)
    assert (tmp_path / "campaigns/1/reframe.out").read_text() == f"{measured}\n"


def test_a_file_is_no_directory_for_results(tmp_path: Path) -> None:
    monday = tmp_path / "campaigns/monday"
    monday.parent.mkdir()
    monday.write_text("notes\n")
    ran = start(monday, PATH=f"{commands(tmp_path)}:{os.environ['PATH']}")
    assert (ran.returncode, ran.stderr) == (
        73,
        f"{monday} cannot be a directory for results: it is a file; name another\n",
    )
    assert monday.read_text() == "notes\n"


def test_a_second_signal_ends_no_campaign_before_its_reframe(tmp_path: Path) -> None:
    """Two ^C, by who is impatient: the script has the lock until ReFrame has cancelled its job."""
    wait = "trap 'echo got; sleep 1; echo ended; kill $!; exit 3' TERM; sleep 60 & echo ready; wait"
    campaign = until_decided(tmp_path, wait)
    log = tmp_path / "campaigns/monday/reframe.out"
    for word in ("ready", "got"):
        deadline = time.monotonic() + 30
        while not (log.exists() and word in log.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        campaign.send_signal(signal.SIGTERM)
    campaign.wait(30)
    assert "ended" in log.read_text()
    assert "round 2" not in log.read_text()


def commands(tmp_path: Path) -> Path:
    """Stand-ins for what the script starts, which print their arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, script in {"squeue": "true", "scancel": "true", "reframe": 'echo "$@"'}.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize("words", [(), ("",), ("a", "b")])
def test_stop_says_what_it_needs(words: tuple[str, ...]) -> None:
    ran = subprocess.run(
        ["bash", SCRIPT.with_name("stop.sh"), *words], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 64
    assert ran.stderr.startswith("usage: stop.sh CAMPAIGNS")


def stop(campaigns: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", SCRIPT.with_name("stop.sh"), campaigns],
        env={**os.environ, "ASSAY_ENVIRONMENT": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_stop_refuses_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """A campaign elsewhere would run on."""
    ran = stop(tmp_path / "campains")
    assert ran.returncode == 66
    assert ran.stderr.startswith(f"there is no directory {tmp_path}/campains; name the one that")


def test_stop_takes_no_path_for_an_option() -> None:
    ran = stop(Path("--help"))
    assert ran.returncode == 66
    assert ran.stderr.startswith(f"there is no directory {Path.cwd()}/--help; ")


def test_stop_refuses_a_campaign_in_the_place_of_its_directory(tmp_path: Path) -> None:
    monday = tmp_path / "campaigns/monday"
    monday.mkdir(parents=True)
    (tmp_path / "campaigns/.campaign").mkdir(mode=0o700)
    ran = stop(monday)
    assert (ran.returncode, ran.stderr) == (
        64,
        f"{monday} is a campaign; name the directory that has it: {tmp_path}/campaigns\n",
    )
    assert stop(tmp_path / "campaigns").returncode == 0


def test_a_selection_without_a_check_is_no_campaign(tmp_path: Path) -> None:
    """ReFrame says that it passed. A resumed campaign has checks, all of which are skipped."""
    programs, monday = commands(tmp_path), tmp_path / "campaigns/monday"
    path = f"{programs}:{os.environ['PATH']}"
    ran = "[  PASSED  ] Ran 0/0 test case(s) from {} check(s) (0 failure(s), 0 skipped, 0 aborted)"
    for checks, status in ((0, 69), (1, 0), (0, 69)):
        (programs / "reframe").write_text(f"#!/bin/bash\necho '{ran.format(checks)}'\n")
        done = start(monday, "raw", PATH=path)
        assert done.returncode == status, done.stderr
    assert "nothing was measured: no check of this cluster has all of quick raw; " in done.stderr


def test_a_check_that_there_is_not_is_refused_with_the_others_of_its_list(tmp_path: Path) -> None:
    ran = start(
        tmp_path / "campaigns/monday",
        before=("--checks=SsdFio,SsdFoi",),
        PATH=f"{commands(tmp_path)}:{os.environ['PATH']}",
    )
    assert ran.returncode == 64
    assert ran.stderr.startswith("unknown check SsdFoi; ")
    assert not (tmp_path / "campaigns").exists()
