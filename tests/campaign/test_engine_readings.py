"""The engines' metrics, read by the job before its first step and after each."""

from __future__ import annotations

import gzip
import http.server
import shutil
import threading
from collections.abc import Iterator

import pytest

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


def test_the_engines_are_read_before_the_first_step_and_after_each(job: Job, metrics: str) -> None:
    shutil.copy(STEPS.with_name("read_engines.py"), job.stage)
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
    shutil.copy(STEPS.with_name("read_engines.py"), job.stage)
    assert job.run(f"watch_engines 'kept' s1={metrics}", "step one 5 false") == 1
    assert (job.raw / "one.engines.gz").exists()
