"""The raw outputs of a campaign: found below its own directory, listed, and copied.

A run report names the directories into which ReFrame has put them. Only the part below the
campaign's directory is used, since a report of others could name any directory of this machine.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path, PurePosixPath

from assay.checks.raw import RawOutputs
from assay.foreign import limits
from assay.foreign.files import Entry, ForeignError, Tree, refuse_unprintable
from assay.foreign.redaction import without_blocks
from assay.foreign.sources import Missing, text_of
from assay.foreign.text import one_line, quoted, shorten

RAW = "raw"
_REFRAMES = ("output", "stage")
"""ReFrame's names for its directories below its prefix."""


class Counted:
    """Counts files, directories and bytes of all outputs of a campaign, and enforces the limits."""

    def __init__(self) -> None:
        self._files = self._bytes = 0
        self._of_source = 0, 0

    def begin(self) -> None:
        """Begin with the next source."""
        self._of_source = self._files, self._bytes

    def add(self, entry: Entry, root: Path) -> None:
        """Count a file or a directory.

        Raises:
            ForeignError: the file is too large, or the files of its source or all files together
                are too many or too large.
        """
        self._files += 1
        self._bytes += entry.size
        files, size = self._of_source
        here = quoted(root / entry.name)
        for number, most, what in (
            (entry.size, limits.OUTPUT_BYTES, f"{here} has %s bytes"),
            (
                self._files - files,
                limits.SOURCE_FILES,
                f"{here} is one of %s files and directories of its host",
            ),
            (
                self._bytes - size,
                limits.SOURCE_BYTES,
                f"the files of its host up to {here} have %s bytes",
            ),
            (self._files, limits.OUTPUTS, f"{quoted(root)} has %s files"),
            (self._bytes, limits.OUTPUTS_BYTES, f"the files of {quoted(root)} have %s bytes"),
        ):
            if number > most:
                raise ForeignError(
                    f"{what % f'{number:,}'}, and {most:,} is the limit: remove whatever is not"
                    " output of a benchmark"
                )


EVERYTHING = ""
"""The source of what is in no directory of a subject: the job, and DAOS's answers."""

_SENT = ".outgoing."
"""How the directory begins of what everywhere.sh sends; it remains only if that was killed."""

REFUSED = "refused.tsv"
"""A file of the bundle beside `raw/`: the sources whose outputs were refused, each with the reason.
"""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of one check: the job script, its output and `raw/`."""

    root: Path
    place: str
    """Their directory, below the root."""
    files: tuple[tuple[str, int], ...]
    """Paths below that directory, sorted, each with its size in bytes."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Sources whose outputs are none, each with the reason; their files are left out."""

    @property
    def raw(self) -> RawOutputs:
        """What they say, without that of refused sources."""
        return RawOutputs(Tree(self.root), f"{self.place}/{RAW}", frozenset(self.refused))

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
        if self.refused:
            target.mkdir(parents=True, exist_ok=True)
            lines = (f"{source}\t{why}\n" for source, why in self.refused.items())
            (target / REFUSED).write_text("".join(lines), encoding="utf-8")


def find(
    root: Path, named: list[str], sources: Collection[str], counted: Counted
) -> Outputs | None:
    """The outputs of a check, from the first of the named directories that has a `raw/`.

    A source is refused if what it left is not of directories and regular files, is too much, or
    cannot be read. The others are not affected.

    Args:
        root: the directory of the campaign.
        named: directories that a run report names.
        sources: the sources of the check, as `source_of` names them.
        counted: the count of the campaign's outputs so far.

    Raises:
        ForeignError: a directory is not below the root.
    """
    tree = Tree(root)
    for name in named:
        for place in _places(root, name):
            try:
                if tree.is_directory(f"{place}/{RAW}") or _all_refused(tree, place):
                    return listed(tree, place, sources, counted)
            except (ForeignError, OSError) as error:
                return Outputs(root, place, (), {EVERYTHING: _why(error, root / place)})
    return None


def _all_refused(tree: Tree, place: str) -> bool:
    """Whether a bundle has no outputs of a check because all of them were refused."""
    if not tree.is_directory(place):
        return False
    return any(entry.name == f"{place}/{REFUSED}" for entry in tree.list(place))


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


def listed(tree: Tree, place: str, sources: Collection[str], counted: Counted) -> Outputs:
    """The outputs in a directory, source by source.

    Raises:
        ForeignError, OSError: the directory itself, or `raw/`, cannot be read.
    """
    files: list[tuple[str, int]] = []
    refused: dict[str, str] = {}
    owner = tree.owner(place)
    raw = str(PurePosixPath(place, RAW))
    beside = (entry for entry in tree.list(place) if entry.name != raw)
    for entry in [*beside, *(tree.list(raw) if tree.is_directory(raw) else ())]:
        path = PurePosixPath(entry.name).relative_to(place)
        if path.parts[0].startswith(_SENT):
            continue
        source = path.name if path.parts[0] == RAW and path.name in sources else EVERYTHING
        if str(path) == REFUSED:
            refused |= _refused_before(tree, entry.name, sources)
        elif source == EVERYTHING or source not in refused:
            counted.begin()
            try:
                own = list(_regular_files(tree, entry, owner, counted))
            except (ForeignError, OSError) as error:
                refused.setdefault(source, _why(error, tree.root / entry.name))
            else:
                files += ((str(PurePosixPath(n).relative_to(place)), size) for n, size in own)
    return Outputs(tree.root, place, tuple(sorted(files)), refused)


def _regular_files(
    tree: Tree, top: Entry, owner: int, counted: Counted
) -> Iterator[tuple[str, int]]:
    """The files of a source, each with its size.

    Raises:
        ForeignError, OSError: one of them is not to be copied.
    """
    for entry in chain([top], tree.walk(top.name) if top.is_directory else ()):
        refuse_unprintable(entry, tree.root)
        if entry.is_directory:
            counted.add(replace(entry, size=0), tree.root)
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
        if entry.owner != os.geteuid() or not entry.mode & stat.S_IRUSR:
            with tree.open(entry.name):
                pass  # it can be read
        yield entry.name, entry.size


def _refused_before(tree: Tree, name: str, sources: Collection[str]) -> dict[str, str]:
    """The sources that were refused when these outputs were copied into a bundle."""
    content = tree.read_file(name, limits.REFUSED)
    text = content if isinstance(content, Missing) else text_of(content)
    if isinstance(text, Missing):
        return {EVERYTHING: f"{REFUSED} {text}"}
    lines = (line.partition("\t") for line in text.split("\n"))
    return {
        source: shorten(one_line(why), limits.SHOWN_REASON)
        for source, tab, why in lines
        if tab and source in {*sources, EVERYTHING}
    }


def _why(error: OSError | ForeignError, path: Path) -> str:
    if isinstance(error, ForeignError):
        return str(error)
    return f"{quoted(path)} cannot be read: {error.strerror or error}"
