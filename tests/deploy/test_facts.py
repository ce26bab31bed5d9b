"""A host of which Ansible lacks facts is refused before anything asks for one."""

import os
import subprocess
import sys
from pathlib import Path

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
