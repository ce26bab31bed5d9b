"""What kills the agent of a client, and what the controller keeps of it; systemd is a stand-in."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from losing import asked, begin, is_whole, line, plan, run_load, stand_in, wait_for
from run_reframe import CHECKS

from assay.tools.daos.losses import AGENT

SYSTEMCTL = """#!/bin/bash
# What systemd says of a unit is in files; what it is asked to do is written down.
cd {directory} || exit
case "$*" in
    "show --property="*" daos_agent")
        name=${{2#*=}}
        ! value=$(cat "$name" 2>/dev/null) || echo "$name=$value"
        ;;
    *) echo "systemctl $*" >>asked ;;
esac
"""

CONNECT = """#!/bin/bash
# A new process of DAOS connects while the agent runs.
kill -0 "$(<{directory}/MainPID)" || {{ echo "no agent" >&2; exit 1; }}
"""


class Unit:
    """An agent that a service manager starts again 2 s after it ended."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.over = directory, threading.Event()
        self.restarts = True
        self.start()
        threading.Thread(target=self.tend, daemon=True).start()

    def start(self) -> None:
        self.agent = subprocess.Popen(["sleep", "600"])
        (self.directory / "MainPID.new").write_text(str(self.agent.pid))
        (self.directory / "MainPID.new").rename(self.directory / "MainPID")

    def tend(self) -> None:
        self.agent.wait()
        if not self.over.wait(2) and self.restarts:
            self.start()

    def end(self) -> None:
        self.over.set()
        self.agent.kill()


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host whose agent systemd starts again, and the stage directory of a job on it."""
    (tmp_path / "bin").mkdir()
    for name, text in {"systemctl": SYSTEMCTL, "connect": CONNECT}.items():
        program = tmp_path / "bin" / name
        program.write_text(text.format(directory=tmp_path))
        program.chmod(0o755)
    (tmp_path / "Restart").write_text("always")
    (tmp_path / "ActiveState").write_text("failed")
    (tmp_path / "asked").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("SLURMD_NODENAME", "c2")
    return tmp_path


@pytest.fixture
def unit(client: Path) -> Iterator[Unit]:
    unit = Unit(client)
    yield unit
    unit.end()


def lose(client: Path, limit_s: int = 20) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["bash", CHECKS / "lose_agent.sh", "1", str(limit_s), client / "bin/connect"],
        cwd=client,
        text=True,
    )


def seen(client: Path) -> list[dict[str, object]]:
    return [json.loads(each) for each in (client / "agent.1.seen").read_text().splitlines()]


def test_an_agent_is_killed_and_what_connects_again_is_noted(client: Path, unit: Unit) -> None:
    first = unit.agent.pid
    running = lose(client)
    time.sleep(1.5)
    # Nothing happens until somebody asks for it.
    assert unit.agent.poll() is None
    (client / "agent.1.end").touch()
    assert running.wait(timeout=30) == 0
    assert unit.agent.pid != first
    lost, *refused, again = seen(client)
    assert lost["event"] == "lost"
    assert refused
    assert {each["connects"] for each in refused} == {False}
    assert again["connects"] is True
    assert float(str(again["time"])) - float(str(lost["time"])) >= 2
    # Attempts before count against it, and whatever happens systemd is asked to have one.
    assert (client / "asked").read_text().splitlines() == [
        "systemctl reset-failed daos_agent",
        "systemctl start daos_agent",
    ]


def test_a_load_that_ends_before_ends_the_wait(client: Path, unit: Unit) -> None:
    running = lose(client)
    (client / "lost.1.end").touch()
    assert running.wait(timeout=30) == 0
    assert unit.agent.poll() is None
    assert not (client / "agent.1.seen").exists()


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("Restart", "no", "systemd would not start daos_agent of c2 again (Restart=no)"),
        ("Restart", "on-success", "systemd would not start daos_agent of c2 again (Restart=on-s"),
        ("MainPID", "0", "systemd runs no daos_agent on c2, so nobody would start it again"),
        ("MainPID", None, "systemd runs no daos_agent on c2, so nobody would start it again"),
    ],
)
def test_an_agent_that_nobody_would_start_again_is_not_killed(
    client: Path, unit: Unit, name: str, value: str | None, why: str
) -> None:
    (client / name).unlink()
    if value is not None:
        (client / name).write_text(value)
    (client / "agent.1.end").touch()
    assert lose(client).wait(timeout=30) == 0
    (only,) = seen(client)
    assert only["event"] == "failed"
    assert str(only["why"]).startswith(why)
    assert str(only["why"]).endswith("its agent was not ended")
    assert unit.agent.poll() is None


def test_where_nothing_connects_before_no_agent_is_killed(client: Path, unit: Unit) -> None:
    (client / "bin/connect").write_text("#!/bin/bash\nexit 1\n")
    (client / "agent.1.end").touch()
    assert lose(client).wait(timeout=30) == 0
    (only,) = seen(client)
    assert str(only["why"]).startswith("no new process of c2 connects even before its agent ends")
    assert unit.agent.poll() is None


def test_an_agent_that_does_not_return_is_said_and_asked_for(client: Path, unit: Unit) -> None:
    unit.restarts = False
    (client / "agent.1.end").touch()
    assert lose(client, limit_s=3).wait(timeout=30) == 0
    assert seen(client)[-1]["why"] == (
        "no new process of c2 connected within 3 s after its agent ended: systemd has daos_agent"
        " failed; see agent.1.err, and journalctl -u daos_agent there"
    )
    assert (client / "asked").read_text().splitlines()[-1] == "systemctl start daos_agent"


def test_nobody_tries_any_more_when_the_controller_has_ended_the_load(
    client: Path, unit: Unit
) -> None:
    unit.restarts = False
    (client / "agent.1.end").touch()
    running = lose(client, limit_s=600)
    wait_for(client / "agent.1.seen")
    (client / "lost.1.end").touch()
    assert running.wait(timeout=30) == 0
    assert {each.get("connects") for each in seen(client)} == {None, False}
    assert (client / "asked").read_text().splitlines()[-1] == "systemctl start daos_agent"


def test_a_job_that_is_cancelled_does_not_leave_the_agent_away(client: Path, unit: Unit) -> None:
    unit.restarts = False
    (client / "agent.1.end").touch()
    running = lose(client, limit_s=60)
    wait_for(client / "agent.1.seen")
    time.sleep(1)
    running.terminate()
    assert running.wait(timeout=30) == 143
    assert (client / "asked").read_text().splitlines()[-1] == "systemctl start daos_agent"


# The controller.


def agent_plan(system: Path, *, losses: int = 1, limit_s: int = 20) -> str:
    document = json.loads(plan(system, losses=losses, limit_s=limit_s, kind="agent"))
    document["lost"]["client"] = "c2"
    return json.dumps(document)


def note(system: Path, number: int, *entries: dict[str, object]) -> None:
    """As lose_agent.sh does when it is asked, with the beginning of another line."""
    wait_for(system / "stage" / f"agent.{number}.end")
    with (system / "stage" / f"agent.{number}.seen").open("a") as file:
        for each in entries:
            file.write(json.dumps({"time": time.time(), **each}) + "\n")
            file.flush()
            time.sleep(0.1)
        file.write('{"time": 17')


def test_the_controller_keeps_what_the_client_noted_and_touches_no_rank(tmp_path: Path) -> None:
    system = stand_in(tmp_path)
    director = begin(system, agent_plan(system, losses=2))
    kept = json.loads((system / "failure.json").read_text())
    assert (kept["kind"], kept["client"]) == ("agent", "c2")
    for number in (1, 2):
        load = threading.Thread(target=run_load, args=[system, f"lost.{number}"])
        load.start()
        note(system, number, {"event": "lost"}, {"connects": False}, {"connects": True})
        load.join(timeout=30)
        run_load(system, f"back.{number}")
    printed, _ = director.communicate(timeout=60)
    assert director.returncode == 0, printed
    for number in (1, 2):
        assert list(AGENT.moments(line(system, number))) == ["agent ended", "connected again"]
        assert line(system, number).problems == ()
    for never in ("system stop", "system start", "reintegrate", "pool exclude"):
        assert asked(system, never) == 0
    assert is_whole(system)
    assert not (system / "failure.json").exists()


def test_what_the_client_could_not_do_ends_the_check_at_once(tmp_path: Path) -> None:
    system = stand_in(tmp_path)
    director = begin(system, agent_plan(system, limit_s=600))
    load = threading.Thread(target=run_load, args=[system, "lost.1"])
    load.start()
    note(system, 1, {"event": "failed", "why": "systemd runs no daos_agent on c2"})
    load.join(timeout=30)
    run_load(system, "back.1")
    director.communicate(timeout=60)
    assert line(system).problems == ("systemd runs no daos_agent on c2",)
    assert is_whole(system)
    assert not (system / "failure.json").exists()
