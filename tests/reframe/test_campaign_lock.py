"""The lock of `campaign.sh`, and what `stop.sh` ends by it, with a stand-in of ReFrame."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

CHECKS = Path(__file__).parents[2] / "reframe-checks"
CAMPAIGN, STOP = CHECKS / "campaign.sh", CHECKS / "stop.sh"
NOBODY = 65534
WAITS = "trap 'echo told; kill $!; exit 3' TERM\nsleep 300 &\necho ready $$\nwait"

root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Stand-ins for what the scripts start; Slurm has no job."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, script in {"squeue": "true", "scancel": "true", "reframe": 'echo "$@"'}.items():
        put(folder, name, script)
    return folder


@pytest.fixture
def campaigns(tmp_path: Path) -> Iterator[Path]:
    """The directory of the campaigns; whatever one of them has left is ended with the test."""
    place = tmp_path / "campaigns"
    place.mkdir(mode=0o750)
    yield place
    for process in marked(place):
        os.kill(process, signal.SIGKILL)


def put(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/bash\n{script}\n")
    (folder / name).chmod(0o755)


def marked(campaigns: Path) -> list[int]:
    """The processes that a campaign has started and that still live."""
    mark = f"ASSAY_CAMPAIGNS={campaigns}".encode()
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if mark in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
            except OSError:
                continue
    return found


def environment(programs: Path, **more: str) -> dict[str, str]:
    path = f"{programs}:{os.environ['PATH']}"
    return {**os.environ, "ASSAY_ENVIRONMENT": "/dev/null", "PATH": path, **more}


def run(script: Path, *words: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([script, *words], capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload, no-any-return]


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def started(programs: Path, monday: Path, reframe: str = WAITS) -> subprocess.Popen[bytes]:
    """A campaign whose ReFrame has begun."""
    put(programs, "reframe", reframe)
    process = subprocess.Popen(
        [CAMPAIGN, monday, "quick"], env=environment(programs), stdout=subprocess.DEVNULL
    )
    log = monday / "reframe.out"
    wait_for(lambda: log.exists() and "ready" in log.read_text())
    return process


def test_a_link_in_the_place_of_the_lock_is_not_followed(programs: Path, campaigns: Path) -> None:
    elsewhere = campaigns.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "lock").write_text("precious\n")
    (campaigns / ".campaign").symlink_to(elsewhere)
    sentence = f"{campaigns}/.campaign must be a directory that only "
    for script, *words in ((CAMPAIGN, campaigns / "monday", "quick"), (STOP, campaigns)):
        done = run(script, *words, env=environment(programs))
        assert done.returncode == 77
        assert done.stderr.startswith(sentence)
        assert done.stderr.count("\n") == 1
    assert [path.name for path in elsewhere.iterdir()] == ["lock"]
    assert (elsewhere / "lock").read_text() == "precious\n"


def test_links_beside_the_lock_are_nothing_to_it(programs: Path, campaigns: Path) -> None:
    """A `.lock` was followed and truncated, and a `.room` was filled."""
    for name in ("lock", "room"):
        (campaigns.parent / name).write_text("precious\n")
        (campaigns / f".{name}").symlink_to(campaigns.parent / name)
    assert run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs)).returncode == 0
    for name in ("lock", "room"):
        assert (campaigns.parent / name).read_text() == "precious\n"


@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o757])
def test_where_everybody_may_write_there_is_no_campaign(
    programs: Path, campaigns: Path, mode: int
) -> None:
    campaigns.chmod(mode)
    for script, *words in ((CAMPAIGN, campaigns / "monday", "quick"), (STOP, campaigns)):
        done = run(script, *words, env=environment(programs))
        assert done.returncode == 77
        assert str(campaigns) in done.stderr
        assert list(campaigns.iterdir()) == []


def test_a_parent_that_everybody_can_replace_is_refused(programs: Path, tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(0o777)
    for made in (False, True):
        if made:
            (above / "campaigns").mkdir()
        done = run(CAMPAIGN, above / "campaigns/1", "quick", env=environment(programs))
        assert done.returncode == 77
        assert f"everybody may write {above}; name another directory" in done.stderr
        assert (above / "campaigns").exists() == made
    above.chmod(0o1777)
    assert run(CAMPAIGN, above / "campaigns/1", "quick", env=environment(programs)).returncode == 0


@root_only
@pytest.mark.parametrize("who", ["owner", "group"])
def test_root_measures_below_nothing_of_another_user(
    programs: Path, tmp_path: Path, who: str
) -> None:
    above = tmp_path / "above"
    (above / "campaigns").mkdir(parents=True)
    above.chmod(0o775)
    os.chown(above, *((NOBODY, 0) if who == "owner" else (0, NOBODY)))
    for script, *words in ((CAMPAIGN, above / "campaigns/1", "quick"), (STOP, above / "campaigns")):
        done = run(script, *words, env=environment(programs))
        assert done.returncode == 77
        assert str(above) in done.stderr
    assert list((above / "campaigns").iterdir()) == []


@root_only
def test_a_disk_without_room_begins_no_campaign(programs: Path, campaigns: Path) -> None:
    mount = f"mount -t tmpfs -o size=1m,mode=750 tmpfs {campaigns}"
    script = f"{mount} && {CAMPAIGN} {campaigns}/monday quick; s=$?; ls -A {campaigns}/*; exit $s"
    done = run(Path("/usr/bin/unshare"), "--mount", "bash", "-c", script, env=environment(programs))
    assert done.returncode == 73
    assert done.stderr.splitlines()[0] == (
        f"{campaigns} has no room for results (No space left on device); free some, or name"
        " another directory"
    )
    assert "monday" not in done.stdout


def test_only_its_user_enters_the_place_of_the_lock(programs: Path, campaigns: Path) -> None:
    before = os.umask(0)
    try:
        assert run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs)).returncode == 0
    finally:
        os.umask(before)
    assert (campaigns / ".campaign").stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in (campaigns / ".campaign").iterdir()) == [
        "begun",
        "begun.key",
        "holder",
        "lock",
    ]


def test_a_process_that_does_not_hold_the_lock_is_not_ended(
    programs: Path, campaigns: Path
) -> None:
    """Whoever may write the lock could have any process killed; a number may be used again."""
    campaign = started(programs, campaigns / "monday")
    bystander = subprocess.Popen(["sleep", "300"])
    stat = Path(f"/proc/{bystander.pid}/stat").read_text().rpartition(") ")[2].split()
    (campaigns / ".lock").write_text(f"{bystander.pid} {os.uname().nodename}\n")
    holder = campaigns / ".campaign/holder"
    lines = holder.read_text().splitlines()
    lines[1] = f"script {bystander.pid} {stat[19]}"
    holder.write_text("\n".join(lines) + "\n")
    done = run(STOP, campaigns, env=environment(programs))
    assert (done.returncode, done.stdout) == (0, "monday\n"), done.stderr
    assert done.stderr == "the campaign was ended, at the scale quick:\n"
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
    campaign.wait(30)
    assert marked(campaigns) == []


@pytest.mark.parametrize("state", ["runs", "stands still", "is gone"])
def test_what_outlives_a_killed_script_is_ended(
    programs: Path, campaigns: Path, state: str
) -> None:
    """An orphan held the lock, and `stop.sh` ended with the status of `kill`."""
    put(programs, "setpriv", "exit 1")  # the kernel tells ReFrame nothing
    job = "setsid bash -c 'exec -a job sleep 300' &\n"
    campaign = started(programs, campaigns / "monday", job + WAITS)
    campaign.kill()
    campaign.wait()
    said = (campaigns / "monday/reframe.out").read_text()
    orphan = int(said.partition("ready ")[2].split()[0])
    if state == "stands still":
        os.kill(orphan, signal.SIGSTOP)
    elif state == "is gone":
        os.kill(orphan, signal.SIGKILL)
    done = run(STOP, campaigns, env=environment(programs))
    assert (done.returncode, done.stdout) == (0, "monday\n"), done.stderr
    assert marked(campaigns) == []
    assert ("told" in (campaigns / "monday/reframe.out").read_text()) == (state != "is gone")
    again = run(STOP, campaigns, env=environment(programs))
    assert (again.returncode, again.stdout) == (0, "")
    assert again.stderr == f"no campaign is running in {campaigns}\n"


def test_jobs_of_a_campaign_of_which_nothing_lives_are_cancelled(
    programs: Path, campaigns: Path
) -> None:
    queue = campaigns.parent / "queue"
    put(programs, "squeue", f"cat {queue} 2>/dev/null || true")
    put(programs, "scancel", f'echo "$@" >>{queue}.cancelled; rm {queue}')
    assert run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs)).returncode == 0
    queue.write_text(
        f"6|daos-assay|/elsewhere/stage\n7|daos-assay|{campaigns}/1/stage/SsdFio\n"
        f"8|mine|{campaigns}/1\n"
    )
    done = run(STOP, campaigns, env=environment(programs))
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert Path(f"{queue}.cancelled").read_text() == "7\n"


def test_a_killed_reframe_takes_its_job_along(programs: Path, campaigns: Path) -> None:
    job = "setsid bash -c 'exec -a job sleep 300' &\n"
    put(programs, "reframe", f"{job}kill -KILL $$")
    done = run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs))
    assert done.returncode == 128 + signal.SIGKILL
    last = done.stdout.splitlines()[-1]
    sentence = "ReFrame was ended by SIGKILL, and its job with it; the same command measures the"
    assert last == f"{sentence} rest"
    assert marked(campaigns) == []


def test_a_campaign_that_holds_the_lock_is_named(programs: Path, campaigns: Path) -> None:
    campaign = started(programs, campaigns / "monday")
    other = run(CAMPAIGN, campaigns / "tuesday", "quick", env=environment(programs))
    assert other.returncode == 75
    assert other.stderr.startswith(f"another campaign is running (process {campaign.pid} on ")
    campaign.terminate()
    assert campaign.wait(30) == 3


def test_without_a_record_whoever_holds_the_lock_is_ended(programs: Path, campaigns: Path) -> None:
    """campaign.sh was killed before it wrote down who it is."""
    (campaigns / ".campaign").mkdir(mode=0o700)
    lock = campaigns / ".campaign/lock"
    lock.touch()
    holder = subprocess.Popen(["flock", "--no-fork", lock, "sleep", "300"])

    def held() -> bool:
        with lock.open("wb") as mine:
            try:
                fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    wait_for(held)
    done = run(STOP, campaigns, env=environment(programs))
    assert done.returncode == 0, done.stderr
    assert holder.wait(30) == -signal.SIGTERM


def test_what_whoever_starts_it_has_set_runs_nothing(programs: Path, campaigns: Path) -> None:
    """Shells and Python read a file first that these name; the loader reads a library."""
    ran = campaigns.parent / "ran"
    first = campaigns.parent / "first.sh"
    first.write_text(f"touch {ran}\n")
    put(programs, "reframe", "/usr/bin/env; date() { :; }; bash -c :")
    strange = {
        "BASH_ENV": str(first),
        "ENV": str(first),
        "LD_AUDIT": "",
        "LD_PRELOAD": "",
        "PYTHONPATH": str(first.parent),
        "PYTHONSTARTUP": str(first),
        "IFS": "/",
        "CDPATH": "/",
        "BASH_FUNC_flock%%": f"() {{ touch {ran}; }}",
    }
    done = run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs, **strange))
    assert done.returncode == 0, done.stderr
    names = {
        line.partition("=")[0] for line in (campaigns / "1/reframe.out").read_text().splitlines()
    }
    assert not names & {"BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "PYTHONPATH", "PYTHONSTARTUP"}
    assert not ran.exists()


def test_the_group_of_a_user_may_write_only_where_nobody_else_is_in_it(
    programs: Path, campaigns: Path
) -> None:
    """An access control list, too, shows as rights of the group, which may be the user's own."""
    campaigns.chmod(0o770)
    assert run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs)).returncode == 0
    shutil.rmtree(campaigns / ".campaign")
    put(programs, "getent", 'echo "$2:x:1000:mallory"')
    assert_refused(programs, campaigns)
    (programs / "getent").unlink()
    listing = campaigns.parent / "listing"
    listing.write_text(f"drwxrwx---+ 2 a a 40 Nov 28 04:00 {campaigns}\n")
    put(programs, "ls", f"cat {listing}")
    assert_refused(programs, campaigns)


def assert_refused(programs: Path, campaigns: Path) -> None:
    for script, *words in ((CAMPAIGN, campaigns / "monday", "quick"), (STOP, campaigns)):
        done = run(script, *words, env=environment(programs))
        assert done.returncode == 77, done.stderr
        assert done.stderr.startswith(f"{campaigns} ")
    assert not (campaigns / "monday").exists()


@pytest.mark.skipif(shutil.which("setfacl") is None, reason="no setfacl")
def test_what_an_access_control_list_lets_others_write_holds_no_campaign(
    programs: Path, campaigns: Path
) -> None:
    subprocess.run(["setfacl", "-m", f"u:{NOBODY}:rwx", campaigns], check=True)
    assert_refused(programs, campaigns)


@pytest.mark.parametrize("answer", ["echo no controller >&2; exit 1", "cat /dev/zero"])
def test_where_slurm_does_not_say_which_jobs_run_nothing_is_said_to_have_ended(
    programs: Path, campaigns: Path, answer: str
) -> None:
    """`stop.sh` ended with 0 and "the campaign was ended", and its job went on."""
    put(programs, "setpriv", "exit 1")
    campaign = started(programs, campaigns / "monday")
    put(programs, "squeue", answer)
    campaign.kill()
    campaign.wait()
    done = run(STOP, campaigns, env=environment(programs))
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr.splitlines()[-1].endswith(
        " a job of it may run on: stop again when Slurm answers"
    )
    assert marked(campaigns) == []
    again = run(CAMPAIGN, campaigns / "monday", "quick", env=environment(programs))
    assert again.returncode == 68  # and not 75: the night of `assay health` did not find a campaign
    assert again.stderr.startswith("Slurm does not say which jobs there are (")


def test_a_slurm_that_was_never_set_up_has_no_jobs(programs: Path, campaigns: Path) -> None:
    """Servers that ssh reaches need none, and a distribution may have installed its programs."""
    put(programs, "squeue", "echo fatal: Could not establish a configuration source >&2; exit 1")
    assert run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs)).returncode == 0
    done = run(STOP, campaigns, env=environment(programs))
    assert (done.returncode, done.stderr) == (0, f"no campaign is running in {campaigns}\n")


def test_a_program_of_slurm_that_does_not_end_is_ended(tmp_path: Path) -> None:
    """`stop.sh`, and ReFrame while it waited for a job, waited with it."""
    bounded = (CHECKS / "bounded.sh").read_text()
    assert " 60 " in bounded
    brief = tmp_path / "bounded.sh"
    brief.write_text(bounded.replace(" 60 ", " 1 "))
    for script in ("sleep 300", "trap '' TERM; sleep 300; sleep 300", "sleep 300 & echo x"):
        begun = time.monotonic()
        assert run(Path("/bin/bash"), brief, "bash", "-c", script).returncode != 0
        assert time.monotonic() - begun < 20
    done = run(Path("/bin/bash"), brief, "bash", "-c", "echo said; exit 3")
    assert (done.returncode, done.stdout) == (3, "said\n")
    for script in ("lock.sh", "squeue.sh"):
        text = (CHECKS / script).read_text()
        assert "bounded.sh" in text.lower()


@pytest.mark.parametrize(
    "strange",
    [
        {"SHELLOPTS": "xtrace", "PS4": "+"},
        {"SHELLOPTS": "noexec"},
        {"BASHOPTS": "failglob"},
        {"POSIXLY_CORRECT": "1"},
    ],
    ids=["SHELLOPTS", "noexec", "BASHOPTS", "POSIXLY_CORRECT"],
)
def test_options_of_shells_reach_no_job(
    programs: Path, campaigns: Path, strange: dict[str, str]
) -> None:
    """With SHELLOPTS in its environment, each job had the options of campaign.sh itself."""
    put(programs, "reframe", "/usr/bin/env; exit 3")
    done = run(CAMPAIGN, campaigns / "1", "quick", env=environment(programs, **strange))
    assert done.returncode == 3, done.stderr
    names = {
        line.partition("=")[0] for line in (campaigns / "1/reframe.out").read_text().splitlines()
    }
    assert not names & {"SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT"}
    assert run(STOP, campaigns, env=environment(programs, **strange)).returncode == 0


def test_options_for_programs_of_slurm_hide_no_job_and_bind_nothing(
    programs: Path, campaigns: Path
) -> None:
    """With SQUEUE_STATES=PD, `stop.sh` did not see the job that ran; srun binds by SLURM_CPU_BIND.

    A campaign may be started in a job, whose variables are none of its own jobs.
    """
    queue = campaigns.parent / "queue"
    put(programs, "squeue", f"[[ $SQUEUE_STATES ]] || cat {queue} 2>/dev/null || true")
    put(programs, "scancel", f'[[ $SCANCEL_STATE ]] || rm {queue}; echo "$@" >>{queue}.cancelled')
    put(programs, "reframe", "/usr/bin/env")
    options = {"SQUEUE_STATES": "PD", "SCANCEL_STATE": "PENDING", "SLURM_CPU_BIND": "none"}
    inside = {"SLURM_JOB_ID": "7", "SLURM_OVERLAP": "1", "SLURM_CONF": "/etc/slurm.conf"}
    given = environment(programs, **options, **inside)
    assert run(CAMPAIGN, campaigns / "1", "quick", env=given).returncode == 0
    lines = (campaigns / "1/reframe.out").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines}
    assert {name for name in names if name.startswith(("SLURM", "SQ", "SC"))} == {"SLURM_CONF"}
    queue.write_text(f"7|daos-assay|{campaigns}/1/stage/SsdFio\n")
    done = run(STOP, campaigns, env=given)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert Path(f"{queue}.cancelled").read_text() == "7\n"
