"""`tethered.sh`: what runs over ssh ends with the connection."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "reframe-checks/tethered.sh"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory as a host has it for the time of a job; `sleep` takes a tenth of a second."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sleep").write_text("#!/bin/sh\nexec /bin/sleep 0.1\n")
    (tmp_path / "bin/sleep").chmod(0o755)
    there = tmp_path / "there"
    (there / "raw").mkdir(parents=True)
    return there


def start(place: Path, script: str) -> subprocess.Popen[str]:
    """Run a script there; the connection is its standard input."""
    return subprocess.Popen(
        ["bash", str(SCRIPT), "bash", "-c", script],
        cwd=place,
        env={**os.environ, "PATH": f"{place.parent}/bin:{os.environ['PATH']}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("inside", [".", "raw"])
def test_what_has_a_session_of_its_own_ends_too(place: Path, inside: str) -> None:
    """As a job of fio has; this one heeds no SIGTERM."""
    (place / "stray.sh").write_text("trap '' TERM\necho runs\nexec /bin/sleep 300\n")
    stray = f"{place}/stray.sh"
    running = start(place, f"cd {inside}; setsid --fork bash {stray}; exec /bin/sleep 300")
    assert running.stdout is not None
    assert running.stdout.readline() == "runs\n"
    # All have the other end of this pipe: it is closed when the last of them has ended.
    assert running.communicate(timeout=30) == ("", None)
    end = time.monotonic() + 30
    while place.exists():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_command_that_ends_gives_its_status_and_leaves_the_directory(place: Path) -> None:
    running = start(place, "exit 7")
    assert running.wait(30) == 7
    assert place.exists()
    assert running.stdin is not None
    running.stdin.close()
