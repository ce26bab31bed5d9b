"""Signals to the command `assay`, from its first moment to its last."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay import cli

LOADING = """
import importlib.abc, importlib.machinery, sys, time
class Slow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "assay.cli" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        print("ready", flush=True)
        time.sleep(60)
sys.meta_path.insert(0, Slow())
"""

RUNNING = """
import sys, time, types
from pathlib import Path
from assay.foreign import private
def main():
    with private.directory(Path(sys.argv[1])):
        print("ready", flush=True)
        time.sleep(60)
sys.modules["assay.cli"] = types.SimpleNamespace(main=main)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("what", [LOADING, RUNNING], ids=["loading", "running"])
def test_a_signal_ends_it_without_a_traceback_and_leaves_nothing(
    tmp_path: Path, what: str, number: signal.Signals
) -> None:
    """A traceback was printed while modules were loaded, and a sign-off left its directory."""
    with subprocess.Popen(
        [sys.executable, "-c", f"{what}\nfrom assay.start import main\nmain()", tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    # A shell reports a process that a signal ended with the same status.
    assert process.returncode in (-number, 128 + number)
    assert (errors, list(tmp_path.iterdir())) == (b"", [])


@pytest.mark.parametrize(
    ("signalled", "status"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143)]
)
def test_a_signal_that_a_module_wraps_is_one(
    signalled: BaseException, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comparison that was ended while numpy was loaded printed a traceback, with status 2."""

    def loads() -> None:
        try:
            raise signalled
        except BaseException as error:
            raise ImportError("a module of C failed") from error

    monkeypatch.setattr(cli, "app", loads)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == status


def test_a_signal_that_is_ignored_stays_so() -> None:
    """As SIGHUP is below nohup."""
    code = (
        "import signal, sys, types\n"
        "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        "def main(): print(*map(signal.getsignal, (1, 2, 15)))\n"
        "sys.modules['assay.cli'] = types.SimpleNamespace(main=main)\n"
        "from assay.start import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(int(signal.SIG_IGN))] * 3
