"""What `make validate` prints: stages, changes and messages a line each, refusals in full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

PLAYBOOK = """
- name: A stage without hosts
  hosts: nobody
  tasks: [{name: Never, ansible.builtin.debug: {msg: never}}]
- name: A stage
  hosts: localhost
  gather_facts: false
  tasks:
    - {name: Stay, ansible.builtin.command: {argv: [echo, hush]}, changed_when: false}
    - {name: Change, ansible.builtin.command: {argv: [echo]}, loop: [1, 2], changed_when: true}
    - {name: Build, ansible.builtin.command: {argv: [echo]}, loop: [3, 4], changed_when: true,
       vars: {stages_items: true}, loop_control: {label: "package {{ item }} of 4"}}
    - {name: Find, ansible.builtin.find: {paths: /nowhere}}
    - name: Go on
      ansible.builtin.shell: "echo x >>COUNT; echo 'begun; '$RANDOM; wc -l <COUNT"
      register: goes_on
      until: goes_on.stdout_lines[-1] == "3"
      retries: 5
      delay: 0
      changed_when: false
      vars: {stages_retries: true}
    - {name: Skip, ansible.builtin.command: {argv: ["true"]}, when: false}
    - {name: Show, ansible.builtin.debug: {msg: ["one", "two"]}}
    - {name: Run, ansible.builtin.command: {argv: ["false"]}, ignore_errors: true}
    - {name: Refuse, ansible.builtin.fail: {msg: [REFUSED, " row  two"]}}
"""
REFUSED = " error  s1  a row of a table that is wider than a terminal" + " and goes on" * 9


def printed(directory: Path, *options: str) -> str:
    """What ansible-playbook prints where ansible.cfg is, with an exit status of 2."""
    playbook = directory / "playbook.yml"
    playbook.write_text(
        PLAYBOOK.replace("REFUSED", json.dumps(REFUSED)).replace("COUNT", str(directory / "count"))
    )
    program = Path(sys.executable).parent / "ansible-playbook"
    python = f"--extra-vars=ansible_python_interpreter={sys.executable}"
    where = ["--inventory=localhost,", "--connection=local", python]
    command = [program, *where, *options, playbook]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    # A directory that is absent holds nothing; with -v Ansible says all it has to say.
    assert "-v" in options or "Skipped" not in done.stderr
    return done.stdout


def test_a_stage_a_change_and_a_message_have_a_line_each(tmp_path: Path) -> None:
    before, _, failures = printed(tmp_path).partition("TASK [Run]")
    command, _, refusal = failures.partition("TASK [Refuse]")
    lines = before.split("\n")
    began = next(line for line in lines if line.startswith("  begun; "))
    assert lines[:12] == [
        "A stage",
        "  changed: [localhost] Change",
        "    [localhost] package 3 of 4",
        "    [localhost] package 4 of 4",
        "  changed: [localhost] Build",
        began,
        "  1",
        "  2",
        "  3",
        "  one",
        "  two",
        "",
    ]
    assert "    rc: 1\n" in command
    assert refusal.splitlines()[1:5] == [
        "fatal: [localhost]: FAILED! => ",
        f"    {REFUSED}",
        "     row  two",
        "",
    ]
    assert "PLAY RECAP" in refusal


WAITING = """
- name: A stage
  hosts: localhost
  gather_facts: false
  tasks:
    - {name: Build, ansible.builtin.command: {argv: [sh, -c, "{{ item.command }}"]},
       loop: [{name: one, command: "true"}, {name: two, command: "read x < FIFO"}],
       loop_control: {label: "{{ item.name }}"}, vars: {stages_items: true}}
    - name: Go on
      ansible.builtin.shell: "if [ -e COUNT ]; then read x < FIFO; fi; echo >> COUNT; wc -l < COUNT"
      register: goes_on
      until: goes_on.stdout == "2"
      retries: 5
      delay: 0
      changed_when: false
      vars: {stages_retries: true}
"""


def test_what_takes_long_is_printed_as_it_goes_on_into_a_pipe_too(tmp_path: Path) -> None:
    fifo, playbook = tmp_path / "fifo", tmp_path / "playbook.yml"
    os.mkfifo(fifo)
    count = str(tmp_path / "count")
    playbook.write_text(WAITING.replace("FIFO", str(fifo)).replace("COUNT", count))
    program = Path(sys.executable).parent / "ansible-playbook"
    python = f"--extra-vars=ansible_python_interpreter={sys.executable}"
    where = ["--inventory=localhost,", "--connection=local", python]
    command = ["timeout", "60", program, *where, playbook]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, env=buffered
    ) as running:
        assert running.stdout
        seen = [running.stdout.readline() for _ in range(2)]
        assert seen == ["A stage\n", "    [localhost] one\n"]
        fifo.write_text("go on\n")
        seen = [running.stdout.readline() for _ in range(3)]
        assert seen == ["    [localhost] two\n", "  changed: [localhost] Build\n", "  1\n"]
        fifo.write_text("go on\n")
        rest = running.stdout.read()
    assert rest.startswith("  2\n")


def test_check_mode_is_named_with_the_stage(tmp_path: Path) -> None:
    assert printed(tmp_path, "--check").startswith("A stage (check mode)\n")


def test_details_come_with_v(tmp_path: Path) -> None:
    shown = printed(tmp_path, "-v")
    for text in ("PLAY [A stage without hosts]", "TASK [Stay]", "stdout: hush", "(item=2)"):
        assert text in shown, shown


ROLE = """
- {name: First, ansible.builtin.set_fact: {first: true}, changed_when: true}
- {name: Second, ansible.builtin.set_fact: {second: true}, changed_when: true}
- {name: Third, ansible.builtin.set_fact: {third: true}, changed_when: inventory_hostname == "s1"}
- {name: Fourth, ansible.builtin.set_fact: {fourth: true}, changed_when: true}
- {name: Fifth, ansible.builtin.set_fact: {fifth: true}, changed_when: true}
- {name: Say, ansible.builtin.debug: {msg: half of it}, run_once: true}
- {name: Sixth, ansible.builtin.set_fact: {sixth: true}, changed_when: true}
"""


def of_a_role(directory: Path, *options: str) -> list[str]:
    """What is printed of a stage with a role that changes two hosts."""
    tasks = directory / "roles/scheduler/tasks"
    tasks.mkdir(parents=True)
    (tasks / "main.yml").write_text(ROLE)
    playbook = directory / "playbook.yml"
    play = {"name": "A stage", "hosts": "all", "gather_facts": False, "roles": ["scheduler"]}
    playbook.write_text(json.dumps([play]))
    program = Path(sys.executable).parent / "ansible-playbook"
    command = [program, "--inventory=s1,s2", *options, playbook]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.partition("\nPLAY RECAP")[0].splitlines()


def test_many_changes_of_a_role_are_a_line_with_their_number(tmp_path: Path) -> None:
    assert of_a_role(tmp_path) == [
        "A stage",
        "  changed: [s[1-2]] scheduler: 4 tasks",
        "  changed: [s1] scheduler : Third",
        "  half of it",
        "  changed: [s[1-2]] scheduler : Sixth",
    ]


def test_check_mode_prints_each_change(tmp_path: Path) -> None:
    lines = of_a_role(tmp_path, "--check")
    assert lines[:4] == [
        "A stage (check mode)",
        "  changed: [s[1-2]] scheduler : First",
        "  changed: [s[1-2]] scheduler : Second",
        "  changed: [s1] scheduler : Third",
    ]
    assert len(lines) == 8


MANY = """
- name: A stage
  hosts: all
  gather_facts: false
  tasks:
    - name: Change
      ansible.builtin.set_fact: {changed_here: true}
      changed_when: inventory_hostname != "s3"
    - name: Refuse
      ansible.builtin.fail: {msg: "{{ inventory_hostname }}: n is 3; allowed is 4"}
      ignore_errors: true
    - name: Refuse one
      ansible.builtin.fail: {msg: "s7: alone"}
      when: inventory_hostname == "s7"
      ignore_errors: true
    - name: Reach
      ansible.builtin.ping:
      vars: {ansible_connection: ssh, ansible_ssh_executable: SSH}
"""


def test_what_many_hosts_say_is_a_line_with_their_range(tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    refused = "ssh: connect to host ${@: -2:1} port 22: No route to host"
    ssh.write_text(f"#!/bin/bash\necho {refused} >&2\nexit 255\n")
    ssh.chmod(0o755)
    playbook = tmp_path / "playbook.yml"
    playbook.write_text(MANY.replace("SSH", str(ssh)))
    program = Path(sys.executable).parent / "ansible-playbook"
    hosts = ",".join(f"s{number}" for number in range(1, 13))
    done = subprocess.run(
        [program, f"--inventory={hosts}", playbook],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert len(lines) < 25, done.stdout
    assert sorted(line for line in lines if line.startswith("unreachable")) == [
        "unreachable: [s[1-12]] Failed to connect to the host via ssh:"
        " ssh: connect to host HOST port 22: No route to host",
    ]
    assert lines[1] == "  changed: [s[1-2,4-12]] Change"
    assert "fatal: [s[1-12]]: FAILED! => " in lines
    assert "    HOST: n is 3; allowed is 4" in lines
    assert "    s7: alone" in lines
    assert lines[-4:] == [
        "s[1-2,4-6,8-12] : changed=1 unreachable=1 failed=0 ignored=1",
        "s3 : changed=0 unreachable=1 failed=0 ignored=1",
        "s7 : changed=1 unreachable=1 failed=0 ignored=2",
        "",
    ]
