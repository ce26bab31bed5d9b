"""Where a job finds the command `module`, be it submitted by cron or from a login shell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assay.cluster.slurm import Slurm
from assay.survey.foreign_slurm import Question, script
from jobs import STEPS

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")

MODULE = "module() { LOADEDMODULES=${LOADEDMODULES:-}:$2; export LOADEDMODULES; }\n"
INHERITED = {"BASH_FUNC_module%%": "() { LOADEDMODULES=$2; }"}
"""What a login shell exports."""


@pytest.fixture
def profiles(tmp_path: Path) -> Path:
    """What is mounted at /etc/profile.d."""
    directory = tmp_path / "profile.d"
    directory.mkdir()
    return directory


def bash(profiles: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    mounted = f'mount --bind {profiles} /etc/profile.d && exec bash -c "$1"'
    return subprocess.run(
        ["unshare", "--mount", "bash", "-c", mounted, "bash", text],
        cwd=profiles.parent,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def job(profiles: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    loads = 'load_modules ior/4; echo "loaded $LOADEDMODULES"'
    return bash(profiles, f". {STEPS}\nsubject s1\n{loads}", **environment)


def probe(profiles: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words = {"partitions": {"clients": "batch"}, "modules": ["ior/4"]}
    asked = Question(profiles, None, None, ["fio"])
    return bash(profiles, script(Slurm.model_validate(words), asked), **environment)


@pytest.mark.parametrize("name", ["modules.sh", "z00_lmod.sh"])
def test_a_job_finds_it_where_a_login_shell_does(profiles: Path, name: str) -> None:
    (profiles / name).write_text(MODULE)
    assert job(profiles).stdout == "loaded :ior/4\n"
    assert "assay-probe " in probe(profiles).stdout


def test_a_job_takes_what_it_has_inherited(profiles: Path) -> None:
    (profiles / "modules.sh").write_text("touch read\n")
    assert job(profiles, **INHERITED).stdout == "loaded ior/4\n"
    assert not (profiles.parent / "read").exists()


def test_what_only_a_login_shell_has_is_nothing_to_be_described(profiles: Path) -> None:
    done = probe(profiles, **INHERITED)
    assert done.returncode == 1
    assert done.stderr.startswith("there is no command module; pass the shell file that defines it")
