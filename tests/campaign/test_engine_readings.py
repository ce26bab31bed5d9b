"""The engines' metrics, read by the job before its first step and after each."""

from __future__ import annotations

import gzip
import http.server
import importlib
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType

import pytest

from assay.foreign import limits, sources
from assay.foreign.sources import Budget
from jobs import STEPS, Job


class _Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'kept{rank="0"} 3\nkept{rank="1"} 0\nother{rank="0"} 5\n')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def metrics() -> Iterator[str]:
    with http.server.HTTPServer(("127.0.0.1", 0), _Metrics) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/metrics"
        server.shutdown()


def bring_the_program(job: Job) -> None:
    """As a check does."""
    shutil.copy(STEPS.with_name("read_engines.py"), job.stage)
    (job.stage / "assay/foreign").mkdir(parents=True)
    shutil.copy(sources.__file__, job.stage / "assay/foreign")


def test_the_engines_are_read_before_the_first_step_and_after_each(job: Job, metrics: str) -> None:
    bring_the_program(job)
    assert (
        job.run(f"watch_engines 'kept' s1={metrics} s2=http://127.0.0.1:1/", "step one 5 true") == 0
    )
    for name in ("start", "one"):
        kept = gzip.decompress((job.raw / f"{name}.engines.gz").read_bytes()).decode()
        first, figure, silent = kept.splitlines()
        assert (first, figure) == ("# server s1", 'kept{rank="0"} 3')
        assert silent.startswith("# no answer of s2: ")
        assert "refused" in silent


def test_no_step_fails_where_the_engines_cannot_be_read(job: Job) -> None:
    assert job.run("watch_engines 'kept' s1=http://127.0.0.1:1/", "step one 5 true") == 0
    assert "read_engines.py" in (job.raw / "one.engines.err").read_text()
    assert [step.name for step in job.left.steps()] == ["one"]


def test_a_step_that_fails_is_read_too(job: Job, metrics: str) -> None:
    bring_the_program(job)
    assert job.run(f"watch_engines 'kept' s1={metrics}", "step one 5 false") == 1
    assert (job.raw / "one.engines.gz").exists()


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, as ReFrame imports it."""
    monkeypatch.syspath_prepend(str(STEPS.parent))
    return importlib.import_module("read_engines")


SOUND = b'HTTP/1.1 200 OK\r\n\r\nkept{rank="0"} 3\n'
HOSTILE = {
    "status": b"no HTTP\r\n\r\n",
    "chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "headers": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 300 + b"\r\n",
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
    "bytes": b"HTTP/1.1 200 OK\r\n\r\nkept \xff\n",
    "flood": b"HTTP/1.1 200 OK\r\n\r\n" + b"kept 1\n" * 300_000,
    "empty": b"HTTP/1.1 200 OK\r\n\r\n" + b"\n" * 400_001,
    "nothing": b"",
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_one_hostile_port_costs_nobody_else_a_reading(answer: bytes, reader: ModuleType) -> None:
    with saying(SOUND) as sound, saying(answer) as hostile:
        read = reader.answers("kept", [f"s1={hostile}", f"s2={sound}"])
    first, *rest = read.splitlines()
    assert first.startswith("# no answer of s1: ")
    assert rest == ["# server s2", 'kept{rank="0"} 3']


def test_a_port_that_never_ends_costs_nobody_else_a_reading(
    reader: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte every five seconds was waited for without end."""
    monkeypatch.setattr(reader, "ANSWER", Budget(0.5, 10_000, 100))
    with saying(SOUND) as sound, saying(SOUND, slowly=True) as hostile:
        read = reader.answers("kept", [f"s1={hostile}", f"s2={sound}"])
    assert read.splitlines()[0] == "# no answer of s1: did not end within 0.5 s"
    assert read.splitlines()[1] == "# server s2"


def test_all_servers_together_have_a_deadline(
    reader: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "ALL_S", 0)
    assert reader.answers("kept", ["s1=http://127.0.0.1:1/"]) == (
        "# no answer of s1: was not asked in time\n"
    )


def test_what_is_kept_fits_what_is_read(reader: ModuleType) -> None:
    assert (limits.READING.bytes, limits.READING.lines) == (reader.KEPT_BYTES, reader.KEPT_LINES)


@contextmanager
def saying(answer: bytes, *, slowly: bool = False) -> Iterator[str]:
    """A server that answers each connection alike."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection, suppress(OSError):
                        connection.recv(10_000)
                        connection.sendall(answer)
                        while slowly:
                            connection.sendall(b"x")
                            time.sleep(0.05)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/metrics"
        listening.shutdown(socket.SHUT_RDWR)
