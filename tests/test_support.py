"""The tests' own helpers, where much hangs on them."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from needs import without
from signals import own_dispositions


@pytest.fixture(
    params=[signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM],
    ids=["SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"],
)
def ignored(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    """A signal that whoever started the tests ignores."""
    before = signal.signal(request.param, signal.SIG_IGN)
    yield request.param
    signal.signal(request.param, before)


def test_what_tests_start_can_be_ended_though_they_run_in_the_background(
    ignored: signal.Signals, tmp_path: Path
) -> None:
    own_dispositions()
    started = subprocess.Popen(["sleep", "60"], cwd=tmp_path)
    started.send_signal(ignored)
    assert started.wait(30) == -ignored


@pytest.mark.parametrize(("ci", "outcome"), [("true", "Failed"), ("", "Skipped")])
def test_what_ci_lacks_fails_and_elsewhere_is_skipped(
    ci: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(BaseException, match="no such tool") as raised:
        without("no such tool")
    assert type(raised.value).__name__ == outcome
