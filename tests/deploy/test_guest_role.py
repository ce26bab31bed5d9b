"""An inventory in which nothing is deployed but ReFrame and the checks, for a normal user."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def site(inventory: object, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            Path(sys.executable).parent / "ansible-playbook",
            f"--inventory={inventory}",
            *options,
            REPOSITORY / "site.yml",
        ],
        cwd=REPOSITORY,  # where ansible.cfg is
        capture_output=True,
        text=True,
        check=False,
    )


def refused(inventory: object, *options: str) -> str:
    done = site(inventory, *options)
    assert done.returncode == 2, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def test_no_play_but_that_of_the_guest_has_a_host() -> None:
    listed = site("inventories/guest", "--list-hosts").stdout
    plays = [play for play in listed.split("\n\n") if "localhost" in play and "guest" in play]
    named = [play.partition("(guest): ")[2].partition("\t")[0] for play in plays]
    assert named == ["Preflight of a guest", "Install ReFrame and the checks for a guest"]


def test_a_guest_becomes_nobody_else_and_hears_all_that_is_wrong_at_once() -> None:
    # What became another user would call this in the place of sudo.
    sudo = ("ansible_become_exe=/nowhere/sudo", "ansible_become_user=nobody")
    wrong = ("guest_python=/bin/false", "guest_prefix=/dev/null/assay")
    printed = refused("inventories/guest", *(f"--extra-vars={each}" for each in (*sudo, *wrong)))
    assert "/nowhere/sudo" not in printed
    assert "guest_prefix is /dev/null/assay; should be where " in printed
    assert "may write; /dev/null is not" in printed
    why = "should be Python 3.11 or newer with the module venv; this one fails: non-zero return"
    assert f"guest_python is /bin/false; {why}" in printed


def test_an_absent_python_is_said_to_be_absent() -> None:
    printed = refused("inventories/guest", "--extra-vars=guest_python=python3.2")
    assert re.search(r"guest_python is python3\.2; .* fails: .*python3\.2: not found", printed)


def test_where_pip_finds_no_wheel_the_directory_of_wheels_is_named(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    printed = refused(
        "inventories/guest",
        f"--extra-vars=guest_prefix={tmp_path / 'assay'}",
        f"--extra-vars=guest_wheelhouse={wheels}",
    )
    assert f"guest_wheelhouse is {wheels}; should be a directory on this host with all" in printed
    assert "pip said: ERROR: No matching distribution found for " in printed


def test_checks_without_hosts_to_measure_are_sent_to_the_group_guest(tmp_path: Path) -> None:
    inventory = tmp_path / "hosts"
    inventory.write_text("[reframe]\nlogin ansible_connection=local\n")
    printed = refused(inventory)
    assert "login: the group reframe is login; should hold a host only if controller" in printed
    assert "put the host into the group guest instead" in printed
