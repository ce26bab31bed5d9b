"""`make` before it starts anything: setup without `venv`, help, and what validate refuses."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from jobs import stand_in

SCRIPT = Path(__file__).parents[1] / "scripts" / "python-venv.sh"
NOBODY = 65534


def test_a_user_whom_sudo_asks_for_a_password_is_told_what_to_ask_for() -> None:
    lines = (
        stand_in("python3", "[[ $2 != *ensurepip* ]]"),
        stand_in("apt-get", "echo $*"),
        stand_in("sudo", "[[ $1 == --non-interactive ]] || echo password; return 1"),
        SCRIPT.read_text(),
    )
    done = subprocess.run(
        ["bash"],
        input="\n".join(lines),
        user=NOBODY if os.geteuid() == 0 else None,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("python3-venv is needed: ask an administrator for it\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One with a complete `.venv`, whose ansible-playbook prints its arguments."""
    shutil.copy(SCRIPT.parents[1] / "Makefile", tmp_path)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / "requirements").mkdir()
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT.parents[1] / "scripts/fit.py", tmp_path / "scripts")
    for name in ("requirements/all.txt", "pyproject.toml", ".venv/.complete"):
        (tmp_path / name).touch()
    playbook = tmp_path / ".venv/bin/ansible-playbook"
    playbook.write_text('#!/bin/sh\necho "played $*"\n')
    playbook.chmod(0o755)
    tmp_path.chmod(0o777)
    return tmp_path


def make(checkout: Path, *arguments: str, user: int | None = None) -> tuple[int, str]:
    done = subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=checkout,
        user=user,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_second_validate_in_a_checkout_is_refused_at_once(checkout: Path) -> None:
    site = ("validate", "INVENTORY=site")
    assert make(checkout, *site) == (0, "played -i site site.yml\n")
    with (checkout / "build/validate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, said = make(checkout, *site)
    assert status != 0
    assert said.startswith("make validate is running in this checkout; wait for it\n")
    assert "played" not in said


def test_a_campaign_is_resumed_by_its_name(checkout: Path) -> None:
    resumed = make(checkout, "validate", "INVENTORY=site", "CAMPAIGN=monday")
    given = "-e assay_campaign=monday -e assay_resumed=true"
    assert resumed == (0, f"played -i site site.yml {given}\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody whom sudo refuses")
@pytest.mark.parametrize(
    "spelling", ["inventories/local", "inventories/local/", "./inventories/local"]
)
def test_who_cannot_become_root_downloads_nothing_for_this_machine(
    checkout: Path, spelling: str
) -> None:
    (checkout / ".venv/.complete").unlink()
    status, said = make(checkout, "validate", f"INVENTORY={spelling}", user=NOBODY)
    assert status != 0
    assert said.startswith(f"{spelling} deploys on this machine: run make as root, or ")


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_help_fits_the_terminal(checkout: Path, columns: int) -> None:
    inner, outer = os.openpty()
    fcntl.ioctl(outer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    with subprocess.Popen(
        ["make", f"--directory={checkout}", "--no-print-directory", "help"],
        stdout=outer,
        env=environment | {"TERM": "xterm"},
    ):
        os.close(outer)
        printed = b""
        with contextlib.suppress(OSError):  # which ends what a terminal has
            while some := os.read(inner, 4096):
                printed += some
        os.close(inner)
    said = printed.decode().replace("\r\n", "\n")
    assert max(map(len, said.splitlines())) <= columns
    assert " ".join(said.split()) == " ".join(make(checkout)[1].split())


def test_help_is_grouped_and_names_the_variables(checkout: Path) -> None:
    status, said = make(checkout)
    groups = [group.splitlines() for group in said.split("\n\n")[1:]]
    assert (status, groups[0][0].split()[0]) == (0, "Measure")
    assert "INVENTORY=DIRECTORY" in groups[0][0]
    assert [line.split()[0] for line in groups[0][1:]] == ["validate", "plan", "teardown"]
    assert max(len(lines) for lines in groups) < 12
