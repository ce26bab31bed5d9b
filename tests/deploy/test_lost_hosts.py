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
    # Nobody measures here, which the guard would refuse.
    command = [program, f"--inventory={file}", "-e__guard_passed=true", "playbooks/validate.yml"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("unreachable: [n2]") == 2


def test_where_no_host_answers_mistakes_that_need_none_are_reported(tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\nexit 255\n")
    ssh.chmod(0o755)
    given = {
        "ansible_ssh_executable": str(ssh),
        "slurm_node_timeout_s": "text",
        "cluster_provider": "tcp",
    }
    hosts = {"n1": {}, "n2": {}}
    groups = {"controller": {"n1": {}}, "clients": hosts, "slurm": hosts}
    children = {group: {"hosts": members} for group, members in groups.items()}
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"vars": given, "children": children}}))
    command = [Path(sys.executable).with_name("ansible-playbook")]
    command += [f"--inventory={tmp_path / 'hosts.json'}", "playbooks/deploy.yml"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    assert "error: n[1-2] should be reachable by ssh" in said
    assert "error: n[1-2]: slurm_node_timeout_s = text should be a whole" in said
    assert "error: daos_provider = tcp should be a DAOS provider" in said
    assert max(map(len, done.stdout.partition("    error: ")[2].splitlines())) <= 80


def test_a_host_that_cannot_be_examined_says_what_failed(tmp_path: Path) -> None:
    python = tmp_path / "python"
    fails = "echo Traceback: >&2; echo 'OSError: No space left on device' >&2; exit 1"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *cluster_hardware*) {fails};; esac\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    here = {**HERE, "ansible_python_interpreter": str(python), "ansible_pipelining": False}
    hosts = {"n1": here, "n2": {**here, "__preflight_refusals": ["was refused before"]}}
    (tmp_path / "hosts.json").write_text(
        json.dumps(
            {
                "all": {
                    "children": {"clients": {"hosts": hosts}, "controller": {"hosts": {"n1": {}}}}
                }
            }
        )
    )
    role = {"name": "cluster", "rolespec_validate": False}
    given = {
        "slurm_address": "192.0.2.1",
        "cluster_scratch": str(tmp_path),
        **{f"__cluster_{name}": [] for name in ("programs", "directories")},
        **{f"__cluster_{name}": {} for name in ("ports", "inventory")},
        "__cluster_given": {"devices": [], "directories": [], "superblocks": []},
    }
    tasks = [{"ansible.builtin.import_role": role}]
    play = {"hosts": "all", "any_errors_fatal": False, "tasks": tasks}
    (tmp_path / "playbook.json").write_text(json.dumps([play]))
    program = Path(sys.executable).parent / "ansible-playbook"
    options = [f"--inventory={tmp_path}/hosts.json", f"--extra-vars={json.dumps(given)}"]
    command = [program, *options, tmp_path / "playbook.json"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    table = " ".join(done.stdout.partition("Refuse an impossible cluster")[2].split())
    assert (
        "could not be examined, since the task Inspect the hardware failed: OSError: No space left"
        " on device. Correct that, or remove the host from the inventory"
    ) in table, done.stdout + done.stderr
    assert table.count("could not be examined") == 1
    assert "n2 was refused before" in table
    assert "reachable by ssh" not in table
