"""A controller of Slurm that does not answer, and jobs of which ReFrame asks meanwhile."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

CHECKS = Path(__file__).parents[2] / "reframe-checks"
sys.path.append(str(CHECKS))
from patient_squeue import PatientSqueue  # noqa: E402 (it is beside settings.py)

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
