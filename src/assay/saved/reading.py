"""Reads saved outputs: files and directories become runs, each with its samples and problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from assay.foreign import files, limits
from assay.foreign.files import ForeignError, Tree
from assay.foreign.text import without_huge_numbers
from assay.saved import recognition
from assay.tools import PARSERS, io500
from assay.tools.launcher_output import without_prefixes
from assay.tools.output import Parsed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run in a file."""

    path: Path
    number: int
    """Its place in the file, from 1."""
    count: int
    """Runs in the file."""
    parsed: Parsed

    @property
    def where(self) -> str:
        """The file, with the number of the run if there are several."""
        return f"{self.path} run {self.number}" if self.count > 1 else str(self.path)


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file that was named and cannot be read, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class SavedOutputs:
    """What files and directories have."""

    runs: tuple[SavedRun, ...]
    not_read: tuple[NotRead, ...]
    passed_over: int
    """Files in the directories that no known program wrote."""


def read(
    paths: Sequence[Path],
    tool: str | None = None,
    run: int | None = None,
    stonewall_s: int = io500.RULED_S,
) -> SavedOutputs:
    """Read files, and all files below directories that a known program wrote.

    Args:
        paths: files and directories.
        tool: the program that wrote them; by default found out for each.
        run: the run to read of each file, from 1; by default all.
        stonewall_s: stonewall that a run of IO500 must have had, in seconds.
    """
    found: list[SavedRun] = []
    not_read: list[NotRead] = []
    passed_over = 0
    for path in paths:
        for file, text in _texts(path):
            if isinstance(text, NotRead):
                not_read.append(text)
                continue
            of = tool or recognition.program(text) or recognition.program(without_prefixes(text))
            if of is None and path.is_dir():
                passed_over += 1
            elif of is None:
                known = ", ".join(sorted(PARSERS))
                not_read.append(NotRead(file, f"no known program wrote it ({known})"))
            else:
                try:
                    found += _runs(file, text, of, run, stonewall_s)
                except ValueError as error:
                    not_read.append(NotRead(file, str(error)))
    return SavedOutputs(tuple(found), tuple(not_read), passed_over)


def _texts(path: Path) -> Iterator[tuple[Path, str | NotRead]]:
    """The files of a path, each with its text or why it has none."""
    if not path.is_dir():
        yield path, _text(path, files.read, path)
        return
    tree = Tree(path)
    try:
        entries = [entry for entry in tree.walk() if entry.is_file]
    except (OSError, ForeignError) as error:
        yield path, NotRead(path, _why(path, error))
        return
    for entry in entries:
        yield path / entry.name, _text(path / entry.name, tree.read, entry.name)


def _text(path: Path, content: Callable[[T, int], bytes], name: T) -> str | NotRead:
    try:
        return without_huge_numbers(content(name, limits.OUTPUT_BYTES).decode("utf-8", "replace"))
    except (OSError, ForeignError) as error:
        return NotRead(path, _why(path, error))


def _why(path: Path, error: OSError | ForeignError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return files.wrong_with(path, error)


def _runs(
    path: Path, text: str, tool: str, wanted: int | None, stonewall_s: int
) -> Iterator[SavedRun]:
    plain = text if tool == "fdb_hammer" else without_prefixes(text)
    parts = recognition.runs(plain, whole_unless_complete=wanted is None)
    if wanted is not None and wanted > len(parts):
        raise ValueError(f"it has {len(parts)} runs, and no run {wanted}")
    for number, part in enumerate(parts, start=1):
        if wanted in (None, number):
            its = (recognition.program(part) or tool) if len(parts) > 1 else tool
            parsed = (
                io500.parse(part, stonewall_s=stonewall_s)
                if its == io500.TOOL
                else PARSERS[its](part)
            )
            yield SavedRun(path, number, len(parts), parsed)
