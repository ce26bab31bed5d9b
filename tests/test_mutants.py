"""The script behind `make mutants`: what it changes, which tests it runs, and what it leaves."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "mutants.py"


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        yield importlib.import_module("mutants")
    finally:
        sys.path.remove(str(SCRIPT.parent))


SOURCE = """\
LIMIT: int = 3
if TYPE_CHECKING:
    import typing
CONFIG = ConfigDict(frozen=True)


@cache
def under(value: int, *, strict: bool = True) -> bool:
    assert value != 7
    if value < LIMIT and strict:
        return not value
    return False


if __name__ == "__main__":
    under(1)
"""


def made(script: ModuleType, source: Path) -> dict[str, int]:
    """Each change of the module, with the first line of its function."""
    (source / "module.py").write_text(SOURCE)
    every = script.mutants(source, Path("module.py"))
    return {f"{each.line}: {each.before} -> {each.after}": each.function for each in every}


def test_one_place_changes_at_a_time(script: ModuleType, tmp_path: Path) -> None:
    assert made(script, tmp_path) == {
        "1: 3 -> 4": 0,
        # A function begins with its first decorator.
        "8: True -> False": 7,
        "10: if value < LIMIT and strict: -> if False:": 7,
        "10: value < LIMIT and strict -> value < LIMIT or strict": 7,
        "10: value < LIMIT -> value <= LIMIT": 7,
        "11: not value -> value": 7,
        "12: False -> True": 7,
    }


def test_the_tests_that_reach_least_else_come_first(script: ModuleType) -> None:
    reached = script.Reach(Path("src"))
    reached.entered = {
        "test_broad.py::a": {("module.py", 4), ("module.py", 20), ("other.py", 1)},
        "test_narrow.py::b": {("module.py", 20), ("other.py", 1), ("other.py", 9)},
        "test_narrow.py::c": {("module.py", 4)},
        "test_other.py::d": {("other.py", 1)},
    }
    inside, outside = (script.Mutant(Path("module.py"), 7, at, "", "", "") for at in (4, 0))
    assert reached.tests(inside) == ["test_narrow.py::c", "test_broad.py::a"]
    # What is in no function shows in any of the module.
    assert reached.tests(outside)[0].startswith("test_narrow.py")
    assert len(reached.tests(outside)) == 3


TRIAL = """\
import os, subprocess, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import mutants

scratch = Path(sys.argv[2])
source = scratch / "src"
source.mkdir()
mutants.adopt_orphans()
mutants.LIMIT_S = 1

def busy():
    while True:
        pass

def orphan():
    left = subprocess.Popen(["sleep", "600"], start_new_session=True)
    (scratch / "orphan").write_text(str(left.pid))
    return 0

print(mutants.run(source, lambda: 0, 9), mutants.run(source, lambda: 1, 9))
print(mutants.run(source, lambda: time.sleep(600), 9) == mutants.HUNG)
mutants.LIMIT_S = 60
print(mutants.run(source, busy, 1) != 0, mutants.run(source, orphan, 9))
print(Path("/proc", (scratch / "orphan").read_text()).exists())
"""


def test_what_hangs_is_ended_and_nothing_is_left(tmp_path: Path) -> None:
    """A mutant may sleep or run for ever, or leave a process of its own session."""
    ran = subprocess.run(
        [sys.executable, "-c", TRIAL, str(SCRIPT.parent), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout.splitlines() == ["0 1", "True", "True 0", "False"], ran.stderr
