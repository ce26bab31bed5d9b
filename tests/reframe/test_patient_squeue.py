"""A controller of Slurm that does not answer, and jobs of which ReFrame asks meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.tools.slurm.squeue import IN_VAIN

CHECKS = Path(__file__).parents[2] / "reframe-checks"
sys.path.append(str(CHECKS))
from patient_squeue import ON_EACH_NODE, PatientSqueue, done_by  # noqa: E402 (it is beside settings.py)

LOST = "slurm_load_jobs error: Zero bytes were transmitted or received"
FORGOTTEN = "slurm_load_jobs error: Invalid job id specified"


def state(directory: Path, monkeypatch: pytest.MonkeyPatch, squeue: str) -> str:
    """What ReFrame takes job 7 for, where squeue is this script."""
    for name, script in {"squeue": squeue, "sleep": "exit 0"}.items():
        program = directory / name
        program.write_text(f"#!/bin/bash\necho >>{directory}/{name}.asked\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
    monkeypatch.setattr(PatientSqueue, "get_option", lambda *_: [])
    job = SimpleNamespace(
        jobid="7", submit_time=0, is_cancelling=False, max_pending_time=None, state=""
    )
    PatientSqueue().poll(job)
    return str(job._state)


def cancelled(directory: Path, monkeypatch: pytest.MonkeyPatch, *, left: str, done: str) -> bool:
    """Whether job 7 is cancelled.

    It began on n1, where its script runs, to n3; `left` of these it has, and `done` have ended.
    """
    squeue = f"""
        case "$*" in
            *--format=%B*) echo n1;;
            *) echo '7|RUNNING|{left}|None';;
        esac"""
    hostnames = "for node in ${*: -1}; do eval echo ${node//,/ }; done | tr ' ' '\\n'"
    scripts = {"squeue": squeue, "scontrol": hostnames, "scancel": "echo $1 >cancelled"}
    for name, script in scripts.items():
        program = directory / name
        program.write_text(f"#!/bin/bash\ncd {directory}\n{script}\n")
        program.chmod(0o755)
    for node in done.split():
        (directory / f"{node}.done").touch()
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
    monkeypatch.setattr(
        PatientSqueue, "get_option", lambda _, name: None if "timeout" in name else []
    )
    monkeypatch.setattr(PatientSqueue, "log", lambda *_: None)
    job = SimpleNamespace(
        jobid="7",
        submit_time=0,
        is_cancelling=False,
        max_pending_time=None,
        state="RUNNING",
        workdir=directory,
        launcher=SimpleNamespace(registered_name="srun"),
    )
    scheduler = PatientSqueue()
    scheduler._nodes_at_start["7"] = "n1,n2,n3"
    scheduler.poll(job)
    return (directory / "cancelled").exists()


def asked(directory: Path) -> int:
    return len((directory / "squeue.asked").read_text().splitlines())


def test_a_job_runs_on_while_the_controller_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = f"""
    (($(wc -l <{tmp_path}/squeue.asked) > 3)) || {{ echo '{LOST}' >&2; exit 1; }}
    echo '7|RUNNING|n1|None'"""
    assert state(tmp_path, monkeypatch, answer) == "RUNNING"
    assert asked(tmp_path) == 4


def test_a_job_that_slurm_has_forgotten_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state(tmp_path, monkeypatch, f"echo '{FORGOTTEN}' >&2; exit 1") == "COMPLETED"
    assert asked(tmp_path) == 1


def test_a_job_that_squeue_does_not_list_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state(tmp_path, monkeypatch, "exit 0") == "COMPLETED"


def test_a_controller_that_is_gone_is_not_asked_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state(tmp_path, monkeypatch, f"echo '{LOST}' >&2; exit 1") == "COMPLETED"
    assert asked(tmp_path) == 11


@pytest.mark.parametrize(
    ("left", "done", "ends"),
    [
        pytest.param("n2,n3", "n2 n3", True, id="the others are done"),
        pytest.param("n2,n3", "n2", False, id="one of the others measures"),
        pytest.param("n3", "n3", True, id="a second one is lost"),
        pytest.param("n1,n3", "n1 n3", False, id="its script runs"),
        pytest.param("n1,n2,n3", "n1 n2 n3", False, id="no node is lost"),
    ],
)
def test_a_job_is_ended_that_waits_for_a_script_whose_node_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str, done: str, *, ends: bool
) -> None:
    assert ends is cancelled(tmp_path, monkeypatch, left=left, done=done)


@pytest.mark.parametrize("end", ["exit 3", "kill -KILL $$"])
def test_a_node_records_the_end_of_its_script(tmp_path: Path, end: str) -> None:
    (tmp_path / "n1.sh").write_text(end)
    environment = {**os.environ, "SLURMD_NODENAME": "n1"}
    done = subprocess.run(["bash", "-c", ON_EACH_NODE], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == (3 if "exit" in end else 128 + signal.SIGKILL)
    assert (tmp_path / done_by("n1")).exists()


@pytest.mark.parametrize(
    ("reason", "ended"),
    [
        ("Job's account not permitted to use this partition (staff allows ops not ocean)", True),
        ("Resources", False),
    ],
)
def test_a_job_that_waits_in_vain_is_cancelled_although_details_follow_in_brackets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, ended: bool
) -> None:
    for name, script in {"squeue": f'echo "7|PENDING||{reason}"', "scancel": "exit 0"}.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    options = {"slurm_job_cancel_reasons": [*IN_VAIN], "job_submit_timeout": None}
    monkeypatch.setattr(PatientSqueue, "get_option", lambda _, name: options.get(name, []))
    monkeypatch.setattr(PatientSqueue, "log", lambda *_: None)
    job = Pending()
    PatientSqueue().poll(job)
    assert ("Job's account not permitted" in str(job._exception)) == ended


class Pending(SimpleNamespace):
    """A job that waits, in as much as ReFrame asks of it."""

    def __init__(self) -> None:
        super().__init__(
            jobid="7", submit_time=0, is_cancelling=False, max_pending_time=None, state="PENDING"
        )
        self._exception: Exception | None = None

    def __hash__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("launcher", "printed", "told"),
    [
        ("local", "", ["--batch --signal=TERM 7", "asked", "asked", "7"]),
        # With SLURM_CLUSTERS, squeue prints this line even where no job runs.
        ("local", "echo CLUSTER: cm4;", ["--batch --signal=TERM 7", "asked", "asked", "7"]),
        ("srun", "", ["7"]),
    ],
)
def test_the_script_that_starts_all_programs_is_told_before_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launcher: str, printed: str, told: list[str]
) -> None:
    """So mpirun ends its daemons in order; the script has ended at the second question."""
    squeue = f"echo asked >>said; {printed} (($(grep --count asked said) > 1)) || echo 7"
    for name, script in {"squeue": squeue, "scancel": 'echo "$*" >>said'}.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/bash\ncd {tmp_path}\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(
        PatientSqueue, "get_option", lambda _, name: None if "timeout" in name else []
    )
    job = SimpleNamespace(
        jobid="7", state="RUNNING", launcher=SimpleNamespace(registered_name=launcher)
    )
    PatientSqueue().cancel_many([job])
    assert (tmp_path / "said").read_text().splitlines() == told
