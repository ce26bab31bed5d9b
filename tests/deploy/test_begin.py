"""Nothing is deployed where it would fail minutes later, or beside a campaign."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
HERE = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}


def played(
    directory: Path, playbook: str, *options: str, **variables: Any
) -> subprocess.CompletedProcess[str]:
    """A playbook on this machine, which has the groups clients and reframe."""
    groups = {group: {"hosts": {"n1": HERE}} for group in ("clients", "reframe")}
    file = directory / "hosts.json"
    prefix = {"reframe_prefix": str(directory), "reframe_user": "root"}
    given = {"ansible_become": False, **prefix, **variables}
    file.write_text(json.dumps({"all": {"children": groups, "vars": given}}))
    program = Path(sys.executable).with_name("ansible-playbook")
    return subprocess.run(
        [program, f"--inventory={file}", *options, f"playbooks/{playbook}"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="it becomes the user whose campaigns these are")
@pytest.mark.parametrize(
    ("playbook", "what"),
    [("begin.yml", "a deployment"), ("validate.yml", "another one")],
)
def test_nothing_disturbs_a_campaign_that_is_running(
    tmp_path: Path, playbook: str, what: str
) -> None:
    (tmp_path / "campaigns").mkdir()
    place = tmp_path / "campaigns/.campaign"
    place.mkdir(mode=0o700)
    (place / "holder").write_text("host n1\nscript 4711 5\nsession 4712 6\ncampaign monday\n")
    with (place / "lock").open("w") as lock:
        assert "which" not in played(tmp_path, playbook).stdout
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = played(tmp_path, playbook)
    assert done.returncode == 2
    said = " ".join(done.stdout.split())
    assert f"n1: a campaign is running in {tmp_path}/campaigns (process 4711 on n1)" in said
    assert f"which {what} would disturb" in said
    assert f"end it with .venv/bin/ansible-playbook -i {tmp_path}/hosts.json playbooks/stop" in said


def test_a_campaign_that_has_not_begun_is_not_resumed(tmp_path: Path) -> None:
    (tmp_path / "campaigns/20261123T111909Z").mkdir(parents=True)
    resumed = ("begin.yml", "--extra-vars=assay_resumed=true")
    done = played(tmp_path, *resumed, "--extra-vars=assay_campaign=20261123T111909Z")
    assert done.returncode == 0, done.stdout
    done = played(tmp_path, *resumed, "--extra-vars=assay_campaign=20261123T111909z")
    assert done.returncode == 2
    said = " ".join(done.stdout.split())
    assert "n1: assay_campaign is 20261123T111909z; should be one of" in said
    assert "campaigns to be resumed: 20261123T111909Z" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="it becomes the user whose campaigns these are")
def test_before_the_first_deployment_there_is_no_campaign_and_no_user(tmp_path: Path) -> None:
    done = played(tmp_path, "begin.yml", reframe_user="nobody-knows")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("method", "status"), [("sudo", 2), ("su", 0)])
def test_a_user_who_is_not_root_where_there_is_no_sudo_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, status: int
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for program in Path("/usr/bin").iterdir():
        if program.name not in ("id", "sudo"):
            (programs / program.name).symlink_to(program)
    (programs / "id").write_text("#!/bin/sh\n[ $1 = -un ] && echo ada || echo 1000\n")
    (programs / "id").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    done = played(tmp_path, "begin.yml", ansible_become_method=method)
    assert done.returncode == status, done.stdout
    said = "n1: ada is not root, and this host has no sudo; run this as root"
    assert (said in " ".join(done.stdout.split())) == (status == 2)


@pytest.mark.parametrize("playbook", ["signoff.yml", "validate.yml"])
def test_where_nothing_is_deployed_nothing_is_measured_or_judged(
    tmp_path: Path, playbook: str
) -> None:
    missing = f"--extra-vars=__assay_program={tmp_path}/assay"
    done = played(tmp_path, playbook, missing, reframe_user="nobody-knows")
    assert done.returncode == 2
    said = " ".join(done.stdout.split())
    assert f"n1: nothing is deployed here: {tmp_path}/assay is missing" in said
