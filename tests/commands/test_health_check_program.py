"""The script of docs/health.md for Slurm's `HealthCheckProgram`, which every node runs as root."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

HEALTH = Path(__file__).parents[2] / "docs" / "health.md"


@pytest.fixture
def drained(tmp_path: Path) -> Callable[[str], list[str]]:
    """Runs the script on a node, and returns what it asked Slurm for."""
    (script,) = re.findall(r"```sh\n(#!/bin/bash\nalarms=.*?)```", HEALTH.read_text(), re.DOTALL)
    script = script.replace("/var/lib/assay/shared/health", str(tmp_path))
    script = script.replace("/run/assay-health", str(tmp_path / "seen"))
    (tmp_path / "bin").mkdir()
    stand_in = tmp_path / "bin" / "scontrol"
    stand_in.write_text(f"#!/bin/sh\nprintf '%s|' \"$@\" >>{tmp_path}/asked\n")
    stand_in.chmod(0o755)

    def run(node: str) -> list[str]:
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        environment = {"PATH": path, "SLURMD_NODENAME": node}
        done = subprocess.run(
            ["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        asked = tmp_path / "asked"
        return asked.read_text().split("|")[:-1] if asked.exists() else []

    return run


Drained = Callable[[str], list[str]]


def test_a_node_that_an_alarm_names_is_drained_once(tmp_path: Path, drained: Drained) -> None:
    (tmp_path / "alarms").write_text("n1 ALARM: \x1b[2Jslow\nn2 ALARM\n")
    words = ["update", "NodeName=n1", "State=DRAIN", "Reason=ALARM: [2Jslow"]
    assert drained("n1") == words
    assert drained("n1") == words


@pytest.mark.parametrize("node", ["n.1", "n", "*", "n1 ALARM", ".*"])
def test_a_node_is_named_letter_by_letter(tmp_path: Path, drained: Drained, node: str) -> None:
    """`n.1` took the line of `nx1`."""
    (tmp_path / "alarms").write_text("nx1 ALARM\nn1 ALARM\n")
    assert drained(node) == []


def fifo(path: Path) -> None:
    """It hung until Slurm killed it."""
    os.mkfifo(path)


def link(path: Path) -> None:
    path.with_name("other").write_text("n1 ALARM\n")
    path.symlink_to("other")


def old(path: Path) -> None:
    path.write_text("n1 ALARM\n")
    os.utime(path, (time.time() - 40 * 3600,) * 2)


def of_the_future(path: Path) -> None:
    path.write_text("n1 ALARM\n")
    os.utime(path, (4e9, 4e9))


def directory(path: Path) -> None:
    path.mkdir()
    (path / "x").write_text("n1 ALARM\n")


@pytest.mark.parametrize("put", [fifo, link, old, of_the_future, directory])
def test_nothing_else_is_read(
    tmp_path: Path, drained: Drained, put: Callable[[Path], object]
) -> None:
    put(tmp_path / "alarms")
    assert drained("n1") == []
