"""What a job refuses to measure beside, or on: engines, other mounts, other agents."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from assay.campaign.steps import problems
from jobs import Job, stand_in, step


@pytest.mark.parametrize(
    ("pgrep", "refusal"),
    [
        ("echo 0; return 1", None),
        ("echo 2", "2 engines of DAOS are running here and would disturb the measurement"),
        ("return 127", "whether an engine of DAOS is running here is unknown"),
    ],
    ids=["none", "two", "no pgrep"],
)
def test_nothing_is_measured_beside_an_engine(job: Job, pgrep: str, refusal: str | None) -> None:
    line = "engines_stopped raw"
    assert job.run(stand_in("pgrep", pgrep), line, "touch measured") == (1 if refusal else 0)
    assert (job.stage / "measured").exists() is (refusal is None)
    if refusal:
        assert job.output("refusal").startswith(refusal)


@pytest.mark.parametrize(
    ("answers", "refusal"),
    [
        ("0 0", None),
        ("0", "whether an engine of DAOS is running here is unknown: 1 of 2 hosts answered"),
        ("", "whether an engine of DAOS is running here is unknown: 0 of 2 hosts answered"),
        ("1", "1 engines of DAOS are running here and would disturb the measurement"),
    ],
    ids=["both", "one", "none", "one has an engine"],
)
def test_every_host_has_to_answer_whether_an_engine_runs(
    job: Job, answers: str, refusal: str | None
) -> None:
    launcher = stand_in("srun", f"printf '%s\\n' {answers}")
    line = "engines_stopped raw 2 srun --nodes=2"
    assert job.run(launcher, line, "touch measured") == (1 if refusal else 0)
    assert (job.stage / "measured").exists() is (refusal is None)
    if refusal:
        assert job.output("refusal").startswith(refusal)


DFUSE = "DAOS.POSIX://11/22"


@pytest.fixture
def mount(job: Job) -> Path:
    """A directory that passes for a dfuse mount of the container 11/22."""
    mounted = job.stage / "mnt"
    mounted.mkdir()
    os.setxattr(mounted, "user.daos", DFUSE.encode())
    (job.stage / "mounts").write_text(f"dfuse {mounted} fuse.daos rw 0 0\n")
    programs = job.stage / "bin"
    programs.mkdir()
    awk = programs / "awk"
    awk.write_text(f'#!/bin/bash\nexec /usr/bin/awk "${{@/\\/proc\\/mounts/{job.stage}/mounts}}"\n')
    awk.chmod(0o755)
    return mounted


def path_of(job: Job) -> str:
    return f"PATH={job.stage}/bin:$PATH"


def test_a_dfuse_of_the_container_is_taken(job: Job, mount: Path) -> None:
    assert job.run(path_of(job), f"on_dfuse {mount} 11 22", "touch measured") == 0
    assert (job.stage / "measured").exists()
    assert not (job.raw / "refusal").exists()


def test_a_job_says_while_it_waits_for_a_dfuse(job: Job, mount: Path) -> None:
    asking = stand_in("launch", 'cp "$RAW/waiting" asked; shift; "$@"')
    assert job.run(path_of(job), asking, f"on_dfuse {mount} 11 22 launch --nodes=2") == 0
    assert (job.stage / "asked").read_text() == f"the dfuse at {mount}\n"
    assert not (job.raw / "waiting").exists()


def test_a_dfuse_of_another_container_is_refused(job: Job, mount: Path) -> None:
    assert job.run(path_of(job), f"on_dfuse {mount} 11 33", "touch measured") == 1
    assert not (job.stage / "measured").exists()
    assert job.output("refusal").startswith(
        f"what is mounted at {mount} is not a dfuse of the container (pool 11, container 33):"
        f" {DFUSE} on s1"
    )


def test_a_local_disk_is_refused(job: Job, mount: Path) -> None:
    (job.stage / "mounts").write_text("")
    assert job.run(path_of(job), f"on_dfuse {mount} 11 22") == 1
    assert "container 22): nothing on s1" in job.output("refusal")


def test_a_mount_that_is_replaced_in_the_run_is_reported_and_cleaned(job: Job, mount: Path) -> None:
    swap = f'python3 -c \'import os; os.setxattr("{mount}", "user.daos", b"DAOS.POSIX://11/44")\''
    status = job.run(
        path_of(job),
        f"on_dfuse {mount} 11 22",
        "MADE=assay.7",
        step("work", ["touch", f"{mount}/assay.7.ior", f"{mount}/theirs"]).line(),
        swap,
    )
    assert status == 0
    assert job.output("refusal").startswith(
        f"during the run something else was mounted at {mount}: DAOS.POSIX://11/44 on s1"
    )
    assert [path.name for path in mount.iterdir()] == ["theirs"]


GONE = stand_in("launch", '[[ ! -e cancelled ]] && shift && "$@"')
"""A launcher that starts nothing once the job is cancelled."""


def test_a_job_that_was_cancelled_is_not_said_to_have_measured_another_mount(
    job: Job, mount: Path
) -> None:
    work = step("work", ["sh", "-c", "touch cancelled; kill $PPID; sleep 9"])
    guard = f"on_dfuse {mount} 11 22 launch --nodes=2"
    assert job.run(path_of(job), GONE, guard, work.line()) != 0
    (problem,) = problems(job.left, [work])
    assert "mounted" not in problem


@pytest.mark.parametrize(("before", "when"), [("touch cancelled", ""), (":", " at the end")])
def test_a_mount_that_no_host_reports_is_unknown(
    job: Job, mount: Path, before: str, when: str
) -> None:
    work = step("work", ["touch", "cancelled"])
    job.run(path_of(job), GONE, before, f"on_dfuse {mount} 11 22 launch --nodes=2", work.line())
    (problem,) = problems(job.left, [work])
    assert problem.startswith(f"what {'was' if when else 'is'} mounted at {mount}{when}")
    assert problem.endswith("is unknown: no host answered")


BIND = "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).bind('daos_agent.sock')"
AGENT = f"rm -f daos_agent.sock; python3 -c {shlex.quote(BIND)}"


@pytest.mark.parametrize(
    ("before", "later", "reported"),
    [
        (AGENT, "", False),
        (AGENT, AGENT, True),
        (AGENT, "rm daos_agent.sock", True),
        ("", AGENT, True),
    ],
    ids=["the same", "restarted", "ended", "began"],
)
def test_an_agent_that_restarts_in_the_run_is_named(
    job: Job, before: str, later: str, *, reported: bool
) -> None:
    failed = step("work", ["sh", "-c", "exit 22"])
    where = "export DAOS_AGENT_DRPC_DIR=$PWD"
    assert job.run(where, before or ":", "same_agent", later or ":", failed.line()) == 1
    (problem,) = problems(job.left, [failed])
    assert problem.startswith("daos_agent restarted or ended during the run: s1;") is reported


def test_nothing_is_measured_where_no_host_says_which_agent_it_has(job: Job) -> None:
    assert job.run("same_agent false", "touch measured") == 1
    assert not (job.stage / "measured").exists()
    assert job.output("refusal").startswith("which daos_agent answers the clients is unknown")


@pytest.mark.parametrize(
    ("ends", "hung"),
    [
        ("exit 1", False),
        ("exit 124", True),
        ("sleep 2; exit 137", True),
        # An MPI launcher ends so if it kills the other ranks after one failed.
        ("exit 137", False),
    ],
)
def test_a_container_in_which_a_step_hung_is_left_alone(job: Job, ends: str, *, hung: bool) -> None:
    # By the library in it find would wait for ever, too.
    asked = stand_in("timeout", '[[ $* != *find* ]] || touch "$RAW/asked"; shift 2; "$@"')
    made = "in_container tank posix /lib/libpil4dfs.so assay.7"
    failed = step("work", ["sh", "-c", ends], limit_s=1).line()
    assert job.run(asked, made, failed) == 1
    assert (job.raw / "asked").exists() is not hung


def test_a_mount_that_is_replaced_is_named_where_a_launcher_kills_the_ranks(
    job: Job, mount: Path
) -> None:
    swap = f'import os; os.setxattr("{mount}", "user.daos", b"DAOS.POSIX://11/44")'
    killed = step("work", ["sh", "-c", f"python3 -c '{swap}'; exit 137"])
    assert job.run(path_of(job), f"on_dfuse {mount} 11 22", killed.line()) == 1
    (problem,) = problems(job.left, [killed])
    assert problem.startswith(
        f"during the run something else was mounted at {mount}: DAOS.POSIX://11/44 on s1"
    )
