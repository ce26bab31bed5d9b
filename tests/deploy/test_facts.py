"""A host of which Ansible lacks facts is refused before anything asks for one."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


def test_a_missing_fact_is_a_sentence_with_host_and_remedy() -> None:
    run = subprocess.run(
        [
            Path(sys.executable).parent / "ansible-playbook",
            "--inventory=inventories/local",
            Path(__file__).parent / "facts.yml",
        ],
        cwd=REPOSITORY,
        env={**os.environ, "ANSIBLE_LOCALHOST_WARNING": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    output = " ".join(run.stdout.split())
    assert run.returncode == 2, run.stdout + run.stderr
    assert (
        "localhost: Ansible's facts; should have interfaces, memtotal_mb, processor_cores, "
        in output
    )
    assert "install the package" in output
    assert "run playbooks/facts.yml" in output
    assert "/proc/meminfo" in output
    assert "Traceback" not in run.stdout + run.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can hide a program")
def test_a_cluster_of_one_host_without_ip_has_its_table() -> None:
    """Nobody else is left to print it."""
    program = Path(shutil.which("ip") or "/sbin/ip").resolve()
    command = [
        Path(sys.executable).parent / "ansible-playbook",
        "--inventory=inventories/local",
        "playbooks/preflight.yml",
    ]
    hidden = f"mount --bind /dev/null {program} && exec {shlex.join(map(str, command))}"
    run = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hidden],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2, run.stdout + run.stderr
    (problem,) = re.findall(r"^    error: (.*\n(?:        .*\n)+)", run.stdout, re.MULTILINE)
    assert problem.startswith("localhost: Ansible's facts\n")
    assert "install the package" in " ".join(problem.split())
