"""Filters are loaded once a run, and not once for each task of each host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

FILTER = """
from pathlib import Path
with Path({loaded!r}).open("a") as file:
    file.write("loaded\\n")

class FilterModule:
    def filters(self):
        return {{"shout": str.upper}}
"""
PLAYBOOK = """
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.assert: {that: "inventory_hostname | shout in ['A', 'B', 'C']"}
    - ansible.builtin.assert: {that: "inventory_hostname | shout == inventory_hostname | upper"}
"""


def test_a_filter_is_loaded_before_ansible_forks(tmp_path: Path) -> None:
    loaded = tmp_path / "loaded"
    (tmp_path / "filter_plugins").mkdir()
    (tmp_path / "filter_plugins/shout.py").write_text(FILTER.format(loaded=str(loaded)))
    playbook = tmp_path / "playbook.yml"
    playbook.write_text(PLAYBOOK)
    command = [Path(sys.executable).parent / "ansible-playbook", "--inventory=a,b,c", playbook]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert loaded.read_text() == "loaded\n"
