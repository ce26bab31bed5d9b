"""The checksums of a bundle: a line for each of its files, as `sha256sum --check` reads them.

The listing beside them has all files and directories with their modes. It has a checksum like every
other file, so a signature of the checksums covers it, too.
"""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.foreign import limits
from assay.foreign.copy import Copy
from assay.foreign.files import Entry, ForeignError, Tree
from assay.foreign.text import quoted

SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
"""The only two files of a bundle without a checksum: the checksums and their signature."""

LISTING = "LISTING"
"""Each file and directory with its mode, in the form of `ls -l`."""

_UNLISTED = (SUMS, SIGNATURE, LISTING)
_LINE = re.compile(r"(\\?)([0-9a-f]{64})  (.+)")
_LISTED = re.compile(r"(\\?)([-d](?:[-r][-w][-xsStT]){3})  (.+)")
_KEPT = 0o7111
"""The bits of a file's mode that are compared: execute, set-ID and sticky bits. Read and write
permissions depend on the umask of the user who unpacked the bundle. For directories, no mode is
compared, only their existence."""


def seal(directory: Path) -> None:
    """Write the listing and the checksums of everything below a directory.

    Raises:
        ForeignError: the directory contains something that is neither a file nor a directory.
        OSError: the directory cannot be read or written.
    """
    (directory / LISTING).write_text(listing(directory), encoding="utf-8")
    (directory / SUMS).write_text(sums(directory), encoding="utf-8")


def listing(directory: Path) -> str:
    """A line for each file and directory below a directory, with its mode."""
    return "".join(
        _line(stat.filemode(entry.mode), entry.name)
        for entry in Tree(directory).walk()
        if entry.name not in _UNLISTED
    )


def sums(directory: Path) -> str:
    """The checksums of every file below a directory."""
    tree = Tree(directory)
    names = (entry.name for entry in tree.walk() if not entry.is_directory)
    return "".join(
        _line(_digest(tree, name), name) for name in names if name not in (SUMS, SIGNATURE)
    )


def read(copy: Copy) -> bytes:
    """Read the checksums of a bundle.

    Raises:
        OSError: the file of checksums is missing.
        ForeignError: it is not a regular file, or too large.
    """
    entry = copy.entries.get(SUMS)
    if entry and not entry.is_file:
        raise ForeignError(f"{quoted(copy.source / SUMS)} is not a regular file")
    return copy.tree.read(SUMS, limits.SUMS_BYTES)


def differences(copy: Copy, content: bytes) -> list[str]:
    """Each file or directory that was changed, is missing or was added since `seal`, in words.

    Args:
        copy: the bundle.
        content: the content of its checksums.

    Raises:
        ForeignError: the listing is too large.
    """
    summed = _parse(content, SUMS, _LINE)
    files = {
        name: entry
        for name, entry in copy.entries.items()
        if not entry.is_directory and name not in (SUMS, SIGNATURE)
    }
    problems = [*summed.problems, *_apart(summed.values, files)]
    for name, digest in summed.values.items():
        if entry := copy.entries.get(name):
            if not entry.is_file:
                problems.append(f"{name} is {entry.kind}, but a bundle holds only regular files")
            elif copy.digests[name] != digest:
                problems.append(f"{name} has changed")
    return problems + _modes(copy)


def _modes(copy: Copy) -> list[str]:
    """Directories and modes of files that differ from the listing."""
    there = copy.entries
    problems = [
        f"{name} is executable ({stat.filemode(there[name].mode)}), and must not be"
        for name in _UNLISTED
        if name in there and there[name].mode & _KEPT
    ]
    if LISTING not in there:
        return [
            *problems,
            f"{LISTING} is missing: its modes and directories cannot be checked",
        ]
    if not there[LISTING].is_file:
        return problems  # its checksum has reported that
    listed = _parse(copy.tree.read(LISTING, limits.SUMS_BYTES), LISTING, _LISTED)
    problems += listed.problems
    directories = {name: mode for name, mode in listed.values.items() if mode[0] == "d"}
    problems += _apart(directories, {n: entry for n, entry in there.items() if entry.is_directory})
    problems += [
        f"{name} is executable ({stat.filemode(entry.mode)}), but not in {LISTING}"
        for name, entry in there.items()
        if entry.is_file
        and entry.mode & _KEPT
        and name not in listed.values
        and name not in _UNLISTED
    ]
    for name, mode in listed.values.items():
        entry = there.get(name)
        if entry is None or not entry.is_file or mode[0] == "d":
            continue
        if _marks(stat.filemode(entry.mode)) != _marks(mode):
            problems.append(f"{name} had the mode {mode}, and now has {stat.filemode(entry.mode)}")
    return problems


def _marks(mode: str) -> str:
    """The three execute letters of a mode such as ``-rwxr-xr-x``, which also show other bits."""
    return mode[3] + mode[6] + mode[9]


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The entry of each name in a list of the bundle, and the lines that cannot be read."""

    values: dict[str, str]
    problems: list[str]


def _parse(content: bytes, name: str, pattern: re.Pattern[str]) -> _Parsed:
    text = content.decode("utf-8", "replace")
    parsed = _Parsed({}, [])
    # Only a line feed ends a line: `str.splitlines` would also cut a name at U+2028, say.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        entry = pattern.fullmatch(line)
        path = entry and _plain(entry[3], escaped=bool(entry[1]))
        if not entry or not path or PurePosixPath(path).is_absolute() or ".." in path.split("/"):
            parsed.problems.append(f"{name}, line {number}, names no file of the bundle")
        elif path in parsed.values:
            parsed.problems.append(f"{path} is in {name} twice")
        else:
            parsed.values[path] = entry[2]
    if not parsed.values:
        parsed.problems.append(f"{name} is empty")
    return parsed


def _apart(listed: Mapping[str, str], there: Mapping[str, Entry]) -> Iterator[str]:
    yield from (f"{name} is missing" for name in listed if name not in there)
    yield from (f"{name} was added" for name in there if name not in listed)


def _digest(tree: Tree, name: str) -> str:
    with tree.open(name) as file:
        digest = hashlib.sha256()
        while some := file.read(2**20):
            digest.update(some)
    return digest.hexdigest()


def _line(value: str, name: str) -> str:
    # As in sha256sum: a name that would break the line is escaped and marked by a backslash.
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    mark = "" if escaped == name else "\\"
    return f"{mark}{value}  {escaped}\n"


def _plain(name: str, *, escaped: bool) -> str:
    if not escaped:
        return name
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r"}.get(m[1], m[1]), name)
