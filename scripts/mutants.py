#!/usr/bin/env python3
"""Change the source in one place at a time, and check whether a test notices.

    scripts/mutants.py [--sample N] [--seed N] PACKAGE...

A mutant that no test notices shows a hole in the tests, unless it means the same as the original.
The working tree is not changed: mutants are made in a copy of `src`, which shadows it. A package is
tested with its own tests, those of the module first, and with those of `MORE`. The first failing
test ends the run of a mutant. Every mutant runs in a separate process, forked from one that has
already imported the libraries.

mutmut is not used, because it only mutates functions, and most thresholds here are constants of a
module.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
MORE = {
    "campaign": ("judge",),
    "checks": ("judge/test_chain.py", "tools/test_fdb_commands.py"),
    "judge": ("campaign/test_results.py", "bundle", "report/test_summary.py"),
}
"""Tests of other folders that also test a package."""

LIMIT_S = 600
"""Time limit of a mutant's tests, in seconds; if they take longer, the mutant counts as noticed."""

IMPORTED = ("hypothesis", "jinja2", "pint", "pydantic", "scipy.special", "typer", "yaml")

OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: Path
    """Relative to `src`."""
    line: int
    before: str
    after: str
    text: str


def changed(node: ast.AST) -> ast.AST | None:
    """The node with another meaning; None if it cannot be changed."""
    node = copy.deepcopy(node)
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in OPPOSITE:
            node.ops = [OPPOSITE[type(operator)]()]  # type: ignore[list-item]
        case ast.BoolOp() | ast.BinOp() if type(node.op) in OPPOSITE:
            node.op = OPPOSITE[type(node.op)]()  # type: ignore[assignment]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return operand
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Constant(value=float(value)):
            node.value = value * 1.1 or 0.1
        case ast.If() if ast.unparse(node.test) == "__name__ == '__main__'":
            # A module that runs as a program is started with -I, from its installation.
            return None
        case ast.If() | ast.IfExp() if not isinstance(node.test, ast.Constant):
            node.test = ast.Constant(False)
        case _:
            return None
    return node


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Each node that may be changed: its parent, the field, and its index if that is a list."""
    for field, value in ast.iter_fields(tree):
        # Annotations are not executed. `frozen` in decorators, and `strict`, only refuse misuse.
        if field in ("annotation", "returns", "decorator_list"):
            continue
        if isinstance(tree, ast.keyword) and tree.arg == "strict":
            continue
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if isinstance(child, ast.AST) and not isinstance(child, ast.Assert):
                yield tree, field, index if isinstance(value, list) else None
                yield from places(child)


def mutants(source: Path, module: Path) -> Iterator[Mutant]:
    """Every mutant of a module."""
    tree = ast.parse((source / module).read_text())
    for parent, field, index in list(places(tree)):
        held = getattr(parent, field)
        node = held if index is None else held[index]
        other = changed(node)
        if other is None:
            continue
        ast.copy_location(other, node)

        _put(parent, field, index, other)
        text = ast.unparse(ast.fix_missing_locations(tree))
        _put(parent, field, index, node)
        before, after = (ast.unparse(part).partition("\n")[0] for part in (node, other))
        yield Mutant(module, node.lineno, before, after, text)


def _put(parent: ast.AST, field: str, index: int | None, part: ast.AST) -> None:
    if index is None:
        setattr(parent, field, part)
    else:
        getattr(parent, field)[index] = part


def tests_of(package: str, module: Path) -> list[str]:
    """The tests of a package; the tests of the module come first."""
    own = REPOSITORY / "tests" / package
    ordered = sorted(own.rglob("test_*.py"), key=lambda path: (module.stem not in path.stem, path))
    return [
        *map(str, ordered),
        *(str(REPOSITORY / "tests" / name) for name in MORE.get(package, ())),
    ]


def noticed(source: Path, tests: list[str]) -> bool:
    """Whether the tests fail with the source, or hang."""
    process = os.fork()
    if not process:
        os.setsid()
        with open(os.devnull, "w") as nothing:
            for stream in (1, 2):
                os.dup2(nothing.fileno(), stream)
        sys.path.insert(0, str(source))
        os.environ["PYTHONPATH"] = str(source)
        import pytest

        options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"]
        os._exit(pytest.main([*options, *tests]))
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return True


def sampled(package: str, source: Path, size: int, seed: int) -> int:
    """Run a sample of a package's mutants; return the number of those that no test noticed."""
    found = [
        mutant
        for path in sorted((source / "assay" / package).rglob("*.py"))
        for mutant in mutants(source, path.relative_to(source))
    ]
    sample = random.Random(seed).sample(found, min(size, len(found)))
    survived = 0
    print(f"{package}: {len(sample)} of {len(found)} mutants", flush=True)
    for mutant in sample:
        path = source / mutant.module
        original = path.read_text()
        path.write_text(mutant.text)
        if not noticed(source, tests_of(package, mutant.module)):
            survived += 1
            print(
                f"  {mutant.module}:{mutant.line}: {mutant.before}  →  {mutant.after}", flush=True
            )
        path.write_text(original)
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
    os.chdir(REPOSITORY)
    for name in IMPORTED:
        __import__(name)
    # Bytecode of a mutant could be reused within one second of the file system's clock.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    survived = 0
    with tempfile.TemporaryDirectory(prefix="mutants.") as directory:
        source = Path(directory) / "src"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / "src", source, ignore=ignore)
        for package in asked.packages:
            if not noticed(source, tests_of(package, Path("none"))):
                survived += sampled(package, source, asked.sample, asked.seed)
            else:
                print(f"{package}: its tests fail as they are", file=sys.stderr)
                return 2
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
