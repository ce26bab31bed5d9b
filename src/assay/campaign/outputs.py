"""The raw outputs of a campaign: found below its own directory, listed, and copied.

A run report names the directories into which ReFrame has put them. Only the part below the
campaign's directory is used, since a report of others could name any directory of this machine.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.foreign import limits
from assay.foreign.files import Entry, ForeignError, Tree, refuse_unprintable
from assay.foreign.redaction import without_blocks
from assay.foreign.text import quoted

RAW = "raw"
_REFRAMES = ("output", "stage")
"""ReFrame's names for its directories below its prefix."""


class Counted:
    """Counts the files and bytes of all outputs of a campaign, and enforces the limits."""

    def __init__(self) -> None:
        self._files = self._bytes = 0

    def add(self, entry: Entry, root: Path) -> None:
        """Count a file.

        Raises:
            ForeignError: the file is too large, or all files together are too many or too large.
        """
        self._files += 1
        self._bytes += entry.size
        for number, most, what in (
            (entry.size, limits.OUTPUT_BYTES, f"{quoted(root / entry.name)} has %s bytes"),
            (self._files, limits.OUTPUTS, f"{quoted(root)} has %s files"),
            (self._bytes, limits.OUTPUTS_BYTES, f"the files of {quoted(root)} have %s bytes"),
        ):
            if number > most:
                raise ForeignError(
                    f"{what % f'{number:,}'}, and {most:,} is the limit: remove whatever is not"
                    " output of a benchmark"
                )


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of one check: the job script, its output and `raw/`."""

    root: Path
    place: str
    """Their directory, below the root."""
    files: tuple[tuple[str, int], ...]
    """Paths below that directory, sorted, each with its size in bytes."""

    def below(self, directory: str) -> Iterator[str]:
        """The files in a directory of `raw/` that are not empty."""
        start = f"{RAW}/{directory}/"
        for number in range(bisect_left(self.files, (start, 0)), len(self.files)):
            name, size = self.files[number]
            if not name.startswith(start):
                return
            if size:
                yield name

    def copy(self, target: Path) -> None:
        """Copy the listed files, as ordinary files of the current user, without PEM blocks.

        Raises:
            ForeignError: a file is no longer a regular file, or has grown beyond the limit.
            OSError: it cannot be read or written.
        """
        tree = Tree(self.root)
        for name, size in self.files:
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = tree.read(f"{self.place}/{name}", limits.OUTPUT_BYTES)
            if len(content) != size:
                raise ForeignError(
                    f"{quoted(self.root / self.place / name)} had {size:,} bytes when the campaign"
                    f" was judged, and now has {len(content):,}: wait until nothing writes to it"
                )
            with path.open("xb") as copy:
                copy.write(without_blocks(content))


def find(root: Path, named: list[str], counted: Counted) -> Outputs | None:
    """The outputs of a check, from the first of the named directories that has a `raw/`.

    Args:
        root: the directory of the campaign.
        named: directories that a run report names.
        counted: the count of the campaign's outputs so far.

    Raises:
        ForeignError: a directory is not below the root, or contains too much, or something other
            than directories and regular files.
        OSError: it cannot be read.
    """
    tree = Tree(root)
    for name in named:
        for place in _places(root, name):
            if tree.is_directory(f"{place}/{RAW}"):
                return Outputs(root, place, tuple(sorted(_list(tree, place, counted))))
    return None


def _places(root: Path, name: str) -> list[str]:
    """Possible paths, below the root, of a directory that a report names.

    A campaign that was moved, or came from elsewhere, names directories of the machine that
    measured; the path below `output` or `stage` is the same here.
    """
    path = PurePosixPath(name)
    if ".." in path.parts or "\0" in name:
        raise ForeignError(f"{quoted(name)} is not a directory of ReFrame: it contains .. or NUL")
    if not path.is_absolute():
        return [name]
    if path.is_relative_to(os.path.abspath(root)):
        return [str(path.relative_to(os.path.abspath(root)))]
    tails = [path.parts[n:] for n, part in enumerate(path.parts) if part in _REFRAMES]
    if tails:
        return [str(PurePosixPath(*tail)) for tail in tails]
    raise ForeignError(
        f"{quoted(name)} must be below {quoted(os.path.abspath(root))}, where the outputs of these"
        " reports are; --outputs names another directory"
    )


def _list(tree: Tree, place: str, counted: Counted) -> Iterator[tuple[str, int]]:
    owner = tree.owner(place)
    for entry in tree.walk(place):
        refuse_unprintable(entry, tree.root)
        if entry.is_directory:
            continue
        if not entry.is_file:
            raise ForeignError(
                f"{quoted(tree.root / entry.name)} is {entry.kind}, but a bundle holds"
                " only regular files: remove it"
            )
        if entry.links > 1 and entry.owner != owner:
            raise ForeignError(
                f"{quoted(tree.root / entry.name)} is a hard link to a file of another user:"
                " remove it"
            )
        counted.add(entry, tree.root)
        yield str(PurePosixPath(entry.name).relative_to(place)), entry.size
