"""The wait for a daemon of DAOS, which ends at once where the daemon has ended for good."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "roles/daos/files/await.sh"

STAND_INS = {
    # Its answers are files: `active`, `failed` and `pid`.
    "systemctl": """
        case $1 in
            is-active) [ -e active ] ;;
            is-failed) [ -e failed ] ;;
            show) cat pid ;;
        esac
    """,
    "journalctl": "echo 'bind: address already in use'",
    "ss": "cat sockets",
    # Each wait changes what is there next.
    "sleep": "[ ! -e next ] || { sh ./next; rm next; }",
}


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for name, body in STAND_INS.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    (tmp_path / "sockets").write_text(
        'LISTEN 0 9 *:10001 *:* users:(("daos_server",pid=42,fd=3))\n'
    )
    (tmp_path / "pid").write_text("42\n")
    return tmp_path


def wait(host: Path, limit_s: int = 600, port: str = "10001") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PATH": f"{host}:{os.environ['PATH']}"}
    argv = ["bash", str(SCRIPT), "unit", "daos_server", str(limit_s), "/none", port]
    return subprocess.run(
        argv, cwd=host, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_daemon_that_runs_and_listens_is_not_waited_for(host: Path) -> None:
    (host / "active").touch()
    assert wait(host).returncode == 0


def test_a_daemon_is_waited_for_until_it_listens(host: Path) -> None:
    (host / "active").touch()
    (host / "sockets").rename(host / "later")
    (host / "sockets").touch()
    (host / "next").write_text("mv later sockets\n")
    assert wait(host).returncode == 0


def test_what_systemd_has_given_up_is_not_waited_for_and_its_last_messages_are_shown(
    host: Path,
) -> None:
    (host / "failed").touch()
    ended = wait(host)
    assert (ended.returncode, ended.stdout) == (3, "bind: address already in use\n")


def test_another_program_at_its_port_is_not_taken_for_it(host: Path) -> None:
    (host / "active").touch()
    (host / "pid").write_text("43\n")
    late = wait(host, limit_s=0)
    assert (late.returncode, late.stdout) == (1, "bind: address already in use\n")


def test_a_daemon_without_a_port_has_to_run_alone(host: Path) -> None:
    (host / "active").touch()
    (host / "sockets").write_text("")
    assert wait(host, port="").returncode == 0


@pytest.mark.parametrize("status", [0, 3])
def test_without_systemd_the_init_script_says_whether_it_runs(host: Path, status: int) -> None:
    script = host / "daemon"
    script.write_text(f"#!/bin/sh\nexit {status}\n")
    script.chmod(0o755)
    (host / "output").write_text("one\ntwo\n")
    from_init_d = f"../..{script}"
    argv = ["bash", str(SCRIPT), "init", from_init_d, "600", str(host / "output")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == ((3, "one\ntwo\n") if status else (0, ""))
