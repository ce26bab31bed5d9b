"""The script that runs a daemon on a host without systemd."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rendering import Rendering

from needs import without

NAME = "assay-sleeper"


@pytest.fixture(autouse=True)
def root() -> None:
    if os.geteuid() != 0:
        without("daemons are started by root")


class Service:
    """A daemon that sleeps, and the script that runs it, with all their files below one place."""

    def __init__(self, root: Path) -> None:
        variables = {
            "daos_prefix": str(root),
            "daos_service_name": NAME,
            "daos_service_user": "root",
            "daos_service_arguments": "300",
            "daos_service_description": "a daemon of the tests",
        }
        for directory in ("bin", "run", "log"):
            (root / directory).mkdir()
        program = shutil.which("sleep")
        assert program
        shutil.copy(program, root / "bin" / NAME)
        text = Rendering("daos", variables).text("service.init")
        self.script = root / "script"
        self.script.write_text(
            text.replace("/run/", f"{root}/run/").replace("/var/log/daos/", f"{root}/log/")
        )
        self.pid = root / "run" / f"{NAME}.pid"

    def run(self, action: str) -> int:
        return subprocess.run(["sh", self.script, action], check=False).returncode


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    here = Service(tmp_path)
    yield here
    assert here.run("stop") == 0
    assert here.run("status") == 3


def test_a_daemon_is_started_once(service: Service) -> None:
    assert service.run("status") == 3
    assert service.run("start") == 0
    first = service.pid.read_text()
    assert service.run("start") == 0
    assert service.pid.read_text() == first
    assert service.run("restart") == 0
    assert service.pid.read_text() != first


@pytest.mark.parametrize("which", ["one that ended, and nobody reaped", "another program's"])
def test_a_number_that_is_not_a_daemon_s_does_not_keep_it_from_starting(
    service: Service, which: str
) -> None:
    ended = subprocess.Popen([service.script.parent / "bin" / NAME, "0"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    number = os.getpid() if which.startswith("another") else ended.pid
    service.pid.write_text(f"{number}\n")
    assert service.run("start") == 0
    assert int(service.pid.read_text()) != number
    assert service.run("status") == 0
    ended.wait()
