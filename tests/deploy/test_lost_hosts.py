"""A host that is lost before or during a campaign: the play goes on to its end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
HERE = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}


def test_a_host_that_does_not_answer_does_not_end_the_play(tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\nexit 255\n")
    ssh.chmod(0o755)
    gone = {"ansible_connection": "ssh", "ansible_ssh_executable": str(ssh)}
    hosts = {"n1": HERE, "n2": gone}
    inventory = {
        "all": {"vars": {"ansible_become": False}, "children": {"clients": {"hosts": hosts}}}
    }
    file = tmp_path / "hosts.json"
    file.write_text(json.dumps(inventory))
    program = Path(sys.executable).parent / "ansible-playbook"
    command = [program, f"--inventory={file}", "playbooks/validate.yml"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("unreachable: [n2]") == 2
