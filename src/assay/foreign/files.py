"""Reads files of others: only regular files, not through their links, and up to a size limit.

`read_file` and `Tree.read_file` give data or the reason why there is none. The other functions
raise, for callers that refuse a whole document.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from assay.foreign.limits import DEPTH, ENTRIES
from assay.foreign.sources import Budget, Meter, Missing, SpentError
from assay.foreign.text import printable, quoted

_CHUNK = 2**20
# Non-blocking, since opening a FIFO would otherwise wait for a writer.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class ForeignError(ValueError):
    """Input of others that is refused: what it is, what is wrong with it, and what is allowed."""


def reason_of(error: Exception) -> str:
    """Why something foreign cannot be read, in words, also where its parser did not expect it."""
    own = isinstance(error, ForeignError | OSError)
    return str(error) if own else f"{type(error).__name__}: {quoted(error)}"


def wrong_with(path: Path, error: ForeignError) -> str:
    """Why a file is refused, for a sentence that begins with its path."""
    return str(error).removeprefix(f"{quoted(path)} ")


def read(path: Path, most: int, *, follow: bool = True) -> bytes:
    """Read a file that is named on the command line.

    Args:
        path: the file.
        most: limit in bytes; a larger file is refused before it is read completely.
        follow: whether the file itself may be a link; pass False for files found by a pattern.

    Raises:
        ForeignError: it is not a regular file, is a link although `follow` is False, or is too
            large.
        OSError: it cannot be read.
    """
    flags = _FILE if follow else _FILE | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if not follow and path.is_symlink():
            raise ForeignError(f"{quoted(path)} is a link; name the file itself") from error
        raise
    with _regular(descriptor, path) as file:
        return _bounded(file, path, most)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file that is no link.

    Raises:
        ForeignError: it is something else.
        OSError: it cannot be opened.
    """
    with _regular(os.open(path, _FILE | os.O_NOFOLLOW), path) as file:
        yield file


def read_file(path: Path, budget: Budget, *, follow: bool = False) -> bytes | Missing:
    """Read a file, or say why it is not read; one that does not exist is missing, too.

    Args:
        path: the file; its directories may be links.
        budget: for the whole file.
        follow: whether the file itself may be a link.
    """

    def read() -> bytes:
        flags = _FILE if follow else _FILE | os.O_NOFOLLOW
        with _regular(os.open(path, flags), path) as file:
            return _metered(file, Meter(budget))

    return _or_missing(read)


def read_stream(stream: BinaryIO, name: str, most: int) -> bytes:
    """Read a stream such as standard input.

    Raises:
        ForeignError: it has more than `most` bytes.
    """
    return _bounded(stream, name, most)


@dataclass(frozen=True, slots=True)
class Copied:
    """A file as it was copied: its size in bytes, and its SHA-256."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a directory, by its path below that directory; `size` is in bytes."""

    name: str
    mode: int
    size: int
    links: int
    owner: int

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.mode)

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def kind(self) -> str:
        """What it is, in words."""
        kinds = {
            stat.S_IFREG: "a file",
            stat.S_IFDIR: "a directory",
            stat.S_IFLNK: "a link",
            stat.S_IFIFO: "a FIFO",
            stat.S_IFSOCK: "a socket",
        }
        return kinds.get(stat.S_IFMT(self.mode), "a device")


class Tree:
    """A directory of others. Its content is opened component by component, never through a link.

    The path of the directory itself may contain links, since our own user named it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def is_directory(self, name: str) -> bool:
        """Whether there is a directory of this name.

        Raises:
            ForeignError: the name is something else, or leads through a link.
            OSError: it cannot be read.
        """
        try:
            with self._directory(name):
                return True
        except FileNotFoundError:
            return False

    def owner(self, name: str) -> int:
        """The owner of a directory in the tree.

        Raises:
            OSError, ForeignError: there is no such directory.
        """
        with self._directory(name) as descriptor:
            return os.fstat(descriptor).st_uid

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Open a regular file in the tree.

        Raises:
            ForeignError: the name leads out of the tree, through a link, or to no regular file.
            OSError: it cannot be opened.
        """
        above, last = str(PurePosixPath(name).parent), PurePosixPath(name).name
        if "\0" in name or last in ("", ".."):
            raise ForeignError(
                f"{quoted(name)} is not the name of a file below {quoted(self.root)}"
            )
        with self._directory(above) as parent:
            entry = os.stat(last, dir_fd=parent, follow_symlinks=False)
            if not stat.S_ISREG(entry.st_mode):
                raise ForeignError(f"{quoted(self.root / name)} is not a regular file")
            descriptor = os.open(last, _FILE | os.O_NOFOLLOW, dir_fd=parent)
        with _regular(descriptor, self.root / name) as file:
            yield file

    def read(self, name: str, most: int) -> bytes:
        """Read a file in the tree, of at most `most` bytes.

        Raises:
            ForeignError: as for `open`, or the file is larger.
            OSError: it cannot be read.
        """
        with self.open(name) as file:
            return _bounded(file, self.root / name, most)

    def read_file(self, name: str, budget: Budget) -> bytes | Missing:
        """Read a file in the tree, or say why it is not read; `read_file` of the module."""

        def read() -> bytes:
            with self.open(name) as file:
                return _metered(file, Meter(budget))

        return _or_missing(read)

    def copy(self, name: str, target: Path, most: int) -> Copied:
        """Copy a file in the tree to a new file, and hash what was copied.

        Raises:
            ForeignError: as for `open`, or the file has more than `most` bytes.
            OSError: it cannot be read, or the target exists or cannot be written.
        """
        digest, size = hashlib.sha256(), 0
        with self.open(name) as file, target.open("xb") as copy:
            while some := file.read(_CHUNK):
                size += len(some)
                _refuse_more(size, self.root / name, most)
                digest.update(some)
                copy.write(some)
        return Copied(size, digest.hexdigest())

    def write(self, name: str, content: bytes) -> None:
        """Write a file in the tree, and the directories above it, in place of whatever is there.

        Raises:
            ForeignError: the name leads out of the tree, or through a link.
            OSError: it cannot be written.
        """
        above, last = str(PurePosixPath(name).parent), PurePosixPath(name).name
        with self._directory(above, make=True) as parent:
            new = f".{last}.{secrets.token_hex(8)}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(new, flags, 0o666, dir_fd=parent), "wb") as file:
                file.write(content)
            os.rename(new, last, src_dir_fd=parent, dst_dir_fd=parent)

    def list(self, below: str = ".") -> list[Entry]:
        """The entries of one directory of the tree, sorted, without those below them.

        Raises:
            ForeignError: the name is no directory, or has too many entries.
            OSError: it cannot be read.
        """
        with self._directory(below) as descriptor:
            return list(self._entries(descriptor, "" if below == "." else below))

    def walk(self, below: str = ".") -> Iterator[Entry]:
        """All entries below a directory of the tree, sorted; a directory comes before its content.

        Raises:
            ForeignError: directories are nested too deeply, or a name cannot be printed.
            OSError: it cannot be read.
        """
        with self._directory(below) as start:
            yield from self._walk(start, "" if below == "." else below)

    def _walk(self, descriptor: int, place: str) -> Iterator[Entry]:
        if len(PurePosixPath(place).parts) > DEPTH:
            raise ForeignError(
                f"{quoted(self.root / place)} has directories nested more than {DEPTH} deep"
            )
        for entry in self._entries(descriptor, place):
            yield entry
            if entry.is_directory:
                base = PurePosixPath(entry.name).name
                inner = os.open(base, _DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
                try:
                    yield from self._walk(inner, entry.name)
                finally:
                    os.close(inner)

    def _entries(self, descriptor: int, place: str) -> Iterator[Entry]:
        with os.scandir(descriptor) as listed:
            bases = [each.name for each in islice(listed, ENTRIES + 1)]
        if len(bases) > ENTRIES:
            raise ForeignError(
                f"{quoted(self.root / place)} has more than {ENTRIES:,} entries, which is the limit"
            )
        for base in sorted(bases):
            try:
                status = os.stat(base, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                continue
            name = f"{place}/{base}" if place else base
            yield Entry(name, status.st_mode, status.st_size, status.st_nlink, status.st_uid)

    @contextmanager
    def _directory(self, name: str, *, make: bool = False) -> Iterator[int]:
        parts = PurePosixPath(name).parts
        if PurePosixPath(name).is_absolute() or ".." in parts or "\0" in name:
            raise ForeignError(f"{quoted(name)} leads out of {quoted(self.root)}")
        descriptor = os.open(self.root, _DIRECTORY)
        try:
            for part in parts:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=descriptor)
                try:
                    inner = os.open(part, _DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
                except NotADirectoryError as error:
                    raise ForeignError(
                        f"{quoted(self.root / name)}: {quoted(part)} is a link or a file, and must"
                        " be a directory"
                    ) from error
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)


def refuse_unprintable(entry: Entry, root: Path) -> None:
    """Refuse a name that lists and terminals cannot show unchanged.

    Raises:
        ForeignError: the entry has such a name.
    """
    if printable(entry.name) != entry.name or "\n" in entry.name or "\t" in entry.name:
        raise ForeignError(
            f"{quoted(root)} has {entry.kind} called {os.fsencode(entry.name)!r}, which is not"
            " printable: rename or remove it"
        )


@contextmanager
def _regular(descriptor: int, path: Path) -> Iterator[BinaryIO]:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ForeignError(f"{quoted(path)} is not a regular file")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _bounded(file: BinaryIO, name: object, most: int) -> bytes:
    """Read to the end, or refuse; the size reported for a file may be wrong or may grow."""
    content = bytearray()
    while len(content) <= most and (some := file.read(min(_CHUNK, most + 1 - len(content)))):
        content += some
    _refuse_more(len(content), name, most)
    return bytes(content)


def _refuse_more(size: int, name: object, most: int) -> None:
    if size > most:
        raise ForeignError(f"{quoted(name)} has more than {most:,} bytes, which is the limit")


def _metered(file: BinaryIO, meter: Meter) -> bytes:
    content = bytearray()
    while some := file.read(_CHUNK):
        meter.left_s()
        meter.add(some)
        content += some
    return bytes(content)


def _or_missing(read: Callable[[], bytes]) -> bytes | Missing:
    try:
        return read()
    except OSError as error:
        return Missing(f"cannot be read: {error.strerror or error}")
    except (ForeignError, SpentError, ValueError) as error:
        return Missing(str(error))
