"""Links where root makes or gives away files in directories that others may write."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from rendering import ROLES
from test_given_away import run


def test_a_link_in_the_place_of_munges_key_is_refused(tmp_path: Path) -> None:
    """The directory is the user munge's, and root gave what the link led to away to munge."""
    victim, key = tmp_path / "shadow", tmp_path / "munge.key"
    victim.write_text("secret")
    key.symlink_to(victim)
    variables = {"__munge_key": str(key), "__munge_ledger": str(tmp_path)}
    ran = run(tmp_path, "munge", "validate.yml", munge_foreign_key="replace", **variables)
    assert ran.returncode != 0
    # Ansible breaks the lines of its YAML.
    printed = " ".join((ran.stdout + ran.stderr).split())
    assert f"{key} is a link to {victim}" in printed


def strange_ways(*directories: Path) -> list[str]:
    """What the role daos_server refuses on the way to directories of emulated SSDs."""
    path = ROLES / "daos_server/tasks/validate.yml"
    tasks = DataLoader().load_from_file(str(path), trusted_as_template=True)
    (task,) = (task for task in tasks if task["name"].startswith("Inspect the path"))
    variables = {"__daos_server_emulated_ssds": [str(directory) for directory in directories]}
    script = Templar(loader=DataLoader(), variables=variables).template(
        task["ansible.builtin.shell"]["cmd"]
    )
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_emulated_ssds_lie_where_nobody_else_can_turn_the_way(tmp_path: Path) -> None:
    opened = tmp_path / "open"
    opened.mkdir()
    opened.chmod(0o777)
    (tmp_path / "link").symlink_to(opened)
    assert str(opened) in strange_ways(opened / "ssds")
    assert str(tmp_path / "link") in strange_ways(tmp_path / "link")
    assert "/tmp" in strange_ways(Path("/tmp/ssds"))
    assert strange_ways() == strange_ways(Path("/opt/none/ssds"), Path("/usr")) == []
