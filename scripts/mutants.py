#!/usr/bin/env python3
"""Change the source in one place at a time, and check whether a test notices.

    scripts/mutants.py [--sample N] [--seed N] PACKAGE...

A mutant that no test notices shows a hole in the tests, unless it means the same as the original.
The working tree is not changed: mutants are made in a copy of `src`, which shadows it. A package is
tested with its own tests and those of `MORE`: first those that enter the changed function, and if
none of them fails, the others. The first failing test ends the run of a mutant. Every run has a
process of its own, forked from one that has already imported the libraries, and ends with all
processes that it started.

mutmut 3 and cosmic-ray 8 were tried in its place and do not serve: mutmut changes no constants of a
module and no properties, cosmic-ray changes a threshold by no less than one and has one command for
all mutants, and neither draws a sample by a seed or ends a process that left the session of a test.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import multiprocessing
import os
import pickle
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from mutations import Function, Mutant, mutants

REPOSITORY = Path(__file__).parents[1]
MORE = {
    "campaign": ("judge",),
    "checks": ("judge/test_chain.py", "tools/test_fdb_commands.py"),
    "judge": ("campaign/test_results.py", "bundle", "report/test_summary.py"),
    "tools": (
        "checks/test_recorded_samples.py",
        "deploy/test_hardware.py",
        "judge/test_engines.py",
        "judge/test_outliers_of_systems.py",
        "preflight/test_foreign_slurm.py",
    ),
}
"""Tests of other folders that also test a package."""

LIMIT_S = 1200
"""Time limit of a mutant's tests, in seconds; if they take longer, the mutant counts as noticed."""

WHOLE_CPU_S = 600.0
"""CPU time that a process of all tests of a package may take, in seconds; they take about 60."""

MEMORY_BYTES = 8 * 2**30
"""Memory that a process of the tests may have."""

HUNG = -1
"""In place of pytest's status: the tests did not end."""

OPTIONS = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist")

PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h."""

IMPORTED = ("hypothesis", "jinja2", "pydantic", "scipy.special", "typer", "yaml")


def tests_of(package: str) -> list[str]:
    """The files and folders with the tests of a package."""
    return [str(REPOSITORY / "tests" / name) for name in (package, *MORE.get(package, ()))]


class Reach:
    """A plugin of pytest that records which functions each test enters, and its CPU time."""

    def __init__(self, source: Path) -> None:
        self._root = f"{source}/"
        self.entered: dict[str, set[Function]] = {}
        self.cpu_s: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Watch a test, with its fixtures."""
        entered = self.entered[item.nodeid] = set[Function]()

        def trace(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            if code.co_filename.startswith(self._root):
                entered.add((code.co_filename.removeprefix(self._root), code.co_firstlineno))

        began = time.process_time()
        sys.settrace(trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.cpu_s[item.nodeid] = time.process_time() - began

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests that reach a mutant, file by file; first the file with the narrowest test.

        Not all that may notice it: what it changes may come from a cache or a shared fixture.
        """
        function = (str(mutant.module), mutant.function)
        reaching = [test for test, entered in self.entered.items() if function in entered]
        # What is in no function runs on import; what it does is seen in the functions beside it.
        reaching = reaching or [
            test
            for test, entered in self.entered.items()
            if any(module == function[0] for module, _ in entered)
        ]
        narrow_last = sorted(reaching, key=lambda test: -len(self.entered[test]))
        narrowest = {_file(test): len(self.entered[test]) for test in narrow_last}
        return sorted(reaching, key=lambda test: (narrowest[_file(test)], _file(test)))


class Without:
    """A plugin of pytest that leaves out the tests that have already run."""

    def __init__(self, passed: Iterable[str]) -> None:
        self._passed = frozenset(passed)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the others."""
        items[:] = [item for item in items if item.nodeid not in self._passed]


def _file(test: str) -> str:
    return test.partition("::")[0]


def reach(source: Path, tests: list[str]) -> Reach | None:
    """What the tests reach in the source as it is; None if they fail."""
    watched = Reach(source)
    kept = source.parent / "reach"

    def keep() -> int:
        status = pytest.main([*OPTIONS, *tests], [watched])
        kept.write_bytes(pickle.dumps((watched.entered, watched.cpu_s)))
        return status

    if run(source, keep, WHOLE_CPU_S):
        return None
    watched.entered, watched.cpu_s = pickle.loads(kept.read_bytes())  # noqa: S301 - our own
    return watched


def noticed(source: Path, mutant: Mutant, reached: Reach, tests: list[str]) -> bool:
    """Whether a test fails with the mutant, or hangs."""
    path = source / mutant.module
    original = path.read_text()
    path.write_text(mutant.text)
    try:
        narrow = reached.tests(mutant)
        cpu_s = 30 + 5 * sum(reached.cpu_s[test] for test in narrow)
        status = run(source, lambda: pytest.main([*OPTIONS, *narrow]), cpu_s) if narrow else 0
        # A parameter in the name of a test may be what changed: then there is no such test.
        if status == pytest.ExitCode.USAGE_ERROR:
            narrow = []
        elif status != pytest.ExitCode.OK:
            return True
        others = Without(narrow)
        status = run(source, lambda: pytest.main([*OPTIONS, *tests], [others]), WHOLE_CPU_S)
        return status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    finally:
        path.write_text(original)


def run(source: Path, tests: Callable[[], int], cpu_s: float) -> int:
    """Run tests in a process of their own, and end whatever they leave running.

    Args:
        source: what takes the place of `src`.
        tests: runs the tests, and returns pytest's status.
        cpu_s: the CPU time that a process of them may take, in seconds.

    Returns:
        pytest's status; not 0 if the tests hang or are killed.
    """
    process = multiprocessing.get_context("fork").Process(
        target=_alone, args=(source, tests, cpu_s)
    )
    process.start()
    try:
        process.join(LIMIT_S)
        return HUNG if process.exitcode is None else process.exitcode
    finally:
        end_children()


def _alone(source: Path, tests: Callable[[], int], cpu_s: float) -> None:
    """Run tests in this process, with the source and within limits."""
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    with open(os.devnull, "w") as nothing:
        for stream in (1, 2):
            os.dup2(nothing.fileno(), stream)
    sys.path.insert(0, str(source))
    scratch = str(source.parent / "tmp")
    os.environ |= {"PYTHONPATH": str(source), "TMPDIR": scratch}
    tempfile.tempdir = scratch
    os._exit(tests())


def adopt_orphans() -> None:
    """Become the parent of whatever a test leaves running, so that it can be ended."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def end_children() -> None:
    """End all child processes, and theirs."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while True:
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def sampled(package: str, source: Path, size: int, seed: int) -> int:
    """Run a sample of a package's mutants; return the number of those that no test noticed.

    Raises:
        ValueError: the tests of the package fail as they are.
    """
    tests = tests_of(package)
    reached = reach(source, tests)
    if reached is None:
        raise ValueError(f"{package}: its tests fail as they are")
    candidates = [
        mutant
        for path in sorted((source / "assay" / package).rglob("*.py"))
        for mutant in mutants(source, path.relative_to(source))
    ]
    sample = random.Random(seed).sample(candidates, min(size, len(candidates)))
    survived = 0
    print(f"{package}: {len(sample)} of {len(candidates)} mutants", flush=True)
    for mutant in sample:
        if not noticed(source, mutant, reached, tests):
            survived += 1
            print(f"  {mutant}", flush=True)
    died = len(sample) - survived
    print(f"{package}: {died} of {len(sample)} died, {died / max(len(sample), 1):.0%}", flush=True)
    return survived


def main() -> int:
    """Run the samples of the command line; return 1 if a mutant survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="+", metavar="PACKAGE")
    parser.add_argument("--sample", type=int, default=60, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    prepare()
    survived = 0
    with copied() as source:
        for package in asked.packages:
            try:
                survived += sampled(package, source, asked.sample, asked.seed)
            except ValueError as error:
                print(error, file=sys.stderr)
                return 2
    return 1 if survived else 0


def prepare() -> None:
    """Prepare this process to start tests."""
    os.chdir(REPOSITORY)
    adopt_orphans()
    # The copy of the source goes when this process gets SIGTERM, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    for name in IMPORTED:
        __import__(name)
    # Bytecode of a mutant could be reused within one second of the file system's clock.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


@contextlib.contextmanager
def copied() -> Iterator[Path]:
    """A copy of `src`, beside which the tests have their scratch directories."""
    with tempfile.TemporaryDirectory(prefix="mutants.") as directory:
        source = Path(directory) / "src"
        shutil.copytree(REPOSITORY / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        (source.parent / "tmp").mkdir()
        yield source


if __name__ == "__main__":
    sys.exit(main())
