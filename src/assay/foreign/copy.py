"""A private copy of a directory of others, so that what is judged is what was read, once.

What is hashed and opened by its name again could have been exchanged in between. In the copy nobody
can: its files were hashed while they were copied, and only they are judged.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.foreign import limits, private
from assay.foreign.files import Entry, ForeignError, Tree
from assay.foreign.text import quoted


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the regular files of a directory."""

    source: Path
    tree: Tree
    """The copy. Nobody else reaches it, and it is gone after the `with` that made it."""
    entries: Mapping[str, Entry]
    """All that was in the directory, by name, also what is no regular file and not in the copy."""
    digests: Mapping[str, str]
    """The SHA-256 of each copied file."""

    def as_named(self, sentence: str) -> str:
        """A sentence with the name of the directory in the place of the copy's."""
        return sentence.replace(str(self.tree.root), str(self.source))


@contextmanager
def copied(source: Path) -> Iterator[Copy]:
    """Copy a directory of others to the directory of temporary files (TMPDIR).

    Raises:
        ForeignError: it holds too much, is nested too deeply, changes meanwhile, or there is no
            room for it.
        OSError: it cannot be read.
    """
    tree, entries = Tree(source), {}
    most = limits.OUTPUTS_BYTES
    total = 0
    for entry in tree.walk():
        entries[entry.name] = entry
        total += entry.size if entry.is_file else 0
        if total > most or len(entries) > limits.OUTPUTS:
            raise ForeignError(
                f"{quoted(source)} holds more than {most // 2**30:,} GiB or {limits.OUTPUTS:,}"
                " files, which are the limits"
            )
    parent = Path(tempfile.gettempdir())
    _refuse_without_room(parent, total)
    with private.directory(parent) as place:
        digests = {}
        for name, entry in entries.items():
            try:
                if entry.is_directory:
                    (place / name).mkdir()
                elif entry.is_file:
                    digests[name] = tree.copy(name, place / name, entry.size).sha256
            except (ForeignError, FileNotFoundError) as error:
                raise ForeignError(f"{quoted(source / name)} changed while it was read") from error
            except OSError as error:
                if error.filename and Path(error.filename) != place / name:
                    raise
                raise ForeignError(
                    f"{quoted(source)} cannot be copied to {parent}: {error.strerror}"
                ) from error
        yield Copy(source, Tree(place), entries, digests)


def _refuse_without_room(parent: Path, size: int) -> None:
    there = os.statvfs(parent)
    free = there.f_bavail * there.f_frsize
    if size > free:
        raise ForeignError(
            f"{parent} has room for {free / 2**30:.1f} GiB, but {size / 2**30:.1f} GiB are needed"
            " for a copy: free some, or name another directory in TMPDIR"
        )
