"""Directories that root makes and gives to the account that measures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rendering import ROLES

as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give directories away")
NOBODY = 65534


def run(
    tmp_path: Path, role: str, tasks: str, **variables: object
) -> subprocess.CompletedProcess[str]:
    """Run tasks of a role on this machine, as root."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [{"include_role": {"name": role, "tasks_from": tasks}}],
    }
    playbook = tmp_path / "play.yml"
    playbook.write_text(json.dumps([play]))
    program = str(Path(sys.executable).parent / "ansible-playbook")
    extra = json.dumps({"ansible_python_interpreter": sys.executable} | variables)
    return subprocess.run(
        [program, "--inventory=localhost,", "--connection=local", "-e", extra, str(playbook)],
        cwd=ROLES.parent,  # where ansible.cfg is
        capture_output=True,
        text=True,
        check=False,
    )


def make_results(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    return run(
        tmp_path,
        "reframe",
        "prefix.yml",
        reframe_prefix=str(tmp_path / "new/shared"),
        reframe_user="nobody",
        reframe_group=str(NOBODY),
        __reframe_ledger=str(tmp_path / "ledger/results"),
    )


@as_root
def test_the_parents_of_campaigns_stay_roots(tmp_path: Path) -> None:
    ran = make_results(tmp_path)
    assert ran.returncode == 0, ran.stdout
    assert (tmp_path / "new/shared/campaigns").stat().st_uid == NOBODY
    assert [(tmp_path / path).stat().st_uid for path in ("new", "new/shared")] == [0, 0]


@as_root
def test_a_link_in_the_place_of_campaigns_gives_nothing_away(tmp_path: Path) -> None:
    assert make_results(tmp_path).returncode == 0
    victim = tmp_path / "victim"
    victim.mkdir()
    (tmp_path / "new/shared/campaigns").rmdir()
    (tmp_path / "new/shared/campaigns").symlink_to(victim)
    ran = make_results(tmp_path)
    assert ran.returncode != 0
    assert "campaigns" in ran.stdout
    assert victim.stat().st_uid == 0


def test_no_link_is_followed_to_what_the_account_that_measures_is_given() -> None:
    given = 0
    for path in [*ROLES.glob("benchmarks/tasks/*.yml"), *ROLES.glob("reframe/tasks/*.yml")]:
        for task in tasks_of(yaml.safe_load(path.read_text())):
            file = task.get("ansible.builtin.file", {})
            if file.get("state") == "directory" and file.get("owner", "root") != "root":
                given += 1
                assert file.get("follow") is False, task["name"]
    assert given > 0


def tasks_of(tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All tasks, also those in blocks."""
    for task in tasks:
        yield task
        for part in ("block", "rescue", "always"):
            yield from tasks_of(task.get(part, []))
