"""What the controller asks once before the first check of a session."""

from __future__ import annotations

import http.server
import sys
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from assay.tools.daos import telemetry

CHECKS = Path(__file__).parents[2] / "reframe-checks"
sys.path.append(str(CHECKS))
import asking  # noqa: E402 (it is beside settings.py)

MOVED = 'engine_pool_xferred_update{pool="p",rank="0",target="0"} %d\n'


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server whose engine moves 100 MiB from one reading to the next."""
    monkeypatch.setattr(telemetry, "REST_S", 0.1)
    moved = count(0, 100 * 2**20)

    class Metrics(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'engine_started_at{rank="0"} 5\n' + (MOVED % next(moved)).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Metrics) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"s1=http://127.0.0.1:{server.server_port}/metrics"
        server.shutdown()


def test_load_of_others_is_asked_for_once_in_a_session(loaded: str) -> None:
    (problem,) = asking.unrest((loaded,))
    assert problem.startswith("others use the system: its engines move ")
    assert asking.unrest((loaded,)) is asking.unrest((loaded,))


@pytest.mark.parametrize("servers", [(), ("s1=http://127.0.0.1:1/metrics",)])
def test_what_cannot_be_read_is_no_load(
    servers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "REST_S", 0.01)
    assert asking.unrest(servers) == ()


def test_a_program_is_asked_once_or_each_time(tmp_path: Path) -> None:
    program = tmp_path / "dmg"
    program.write_text(f"#!/bin/sh\necho asked >>{tmp_path}/asked\ncat {tmp_path}/asked\n")
    program.chmod(0o755)
    command = (str(program),)
    assert asking.once(command, "dmg") == asking.once(command, "dmg") == "asked\n"
    assert asking.ask(command, "dmg") == "asked\nasked\n"


def test_a_program_that_does_not_answer_is_named(tmp_path: Path) -> None:
    assert asking.ask(("sleep", "5"), "dmg", 0.1) == "dmg did not end within 0.1 s"
    assert "No such file" in asking.ask((str(tmp_path / "dmg"),), "dmg")
