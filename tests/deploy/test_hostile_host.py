"""What a host answers to Ansible is of that host alone, and is text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
CANARY = "canary"
FORGING = f"""\
#!{sys.executable}
import json, subprocess, sys
ran = subprocess.run([sys.executable, *sys.argv[1:]], stdout=subprocess.PIPE)
try:
    answer = json.loads(ran.stdout)
except ValueError:
    sys.stdout.buffer.write(ran.stdout)
    sys.exit(ran.returncode)
facts = answer.get("ansible_facts", {{}})
if "nodename" in facts or "ansible_nodename" in facts:
    template = "{{{{ lookup('pipe', 'touch CANARY') }}}}"
    facts |= {{key: template for key in ("ansible_nodename", "ansible_hostname", "ansible_fqdn")}}
answer["inventory"] = {{
    **{{"address": "203.0.113.99", "ssd": None, "engines": [], "agent": {{}}}},
    **{{"server": {{"reformat": True}}, "datasheets": {{"fabric": "a slow one"}}}},
}}
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    here = tmp_path_factory.mktemp("hostile")
    python = here / "python3"
    python.write_text(FORGING.replace("CANARY", str(here / CANARY)))
    python.chmod(0o755)
    run = subprocess.run(
        [
            *(Path(sys.executable).parent / "ansible-playbook", "--inventory=inventories/local"),
            *("--skip-tags=never", Path(__file__).parent / "hostile.yml"),
            f"--extra-vars=ansible_python_interpreter={python}",
            f"--extra-vars=hostile_description={here / 'cluster.json'}",
        ],
        cwd=REPOSITORY,
        env={**os.environ, "ANSIBLE_ROLES_PATH": "roles", "ANSIBLE_LOCALHOST_WARNING": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    host: dict[str, Any] = json.loads((here / "cluster.json").read_text())["hosts"]["localhost"]
    return host, here / CANARY


def test_a_host_does_not_answer_for_the_inventory(described: tuple[dict[str, Any], Path]) -> None:
    """It chose its own datasheets, by which it is judged, and the address that is measured."""
    host, _ = described
    assert host["address"] == "127.0.0.1"
    assert (host["datasheets"], host["server"]) == ({}, {})


def test_a_template_in_a_fact_is_text(described: tuple[dict[str, Any], Path]) -> None:
    host, canary = described
    assert any("lookup('pipe'" in name for name in host["names"])
    assert not canary.exists()
