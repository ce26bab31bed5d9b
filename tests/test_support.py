"""The tests' own helpers, where much hangs on them."""

import signal
import subprocess
from collections.abc import Iterator

import pytest

from needs import without
from signals import own_dispositions


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """Signals as a shell without job control leaves them to what it starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("in_the_background")
def test_what_tests_start_can_be_interrupted_though_they_run_in_the_background() -> None:
    own_dispositions()
    started = subprocess.Popen(["sleep", "60"])
    started.send_signal(signal.SIGINT)
    assert started.wait(30) == -signal.SIGINT


@pytest.mark.parametrize(("ci", "outcome"), [("true", "Failed"), ("", "Skipped")])
def test_what_ci_lacks_fails_and_elsewhere_is_skipped(
    ci: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(BaseException, match="no such tool") as raised:
        without("no such tool")
    assert type(raised.value).__name__ == outcome
