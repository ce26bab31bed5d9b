"""The checksums of a bundle: a line for each of its files, as `sha256sum --check` reads them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
"""The only two files of a bundle that have no checksum: the one holds them, the other signs it."""

_LINE = re.compile(r"(\\?)([0-9a-f]{64})  (.+)")


def of(directory: Path) -> str:
    """The checksums of every file below a directory."""
    return "".join(_line(name, _digest(directory / name)) for name in _names(directory))


def differences(directory: Path) -> list[str]:
    """Each file that was changed, is missing or was added since `of`, in words.

    Raises:
        OSError: there are no checksums, or a file cannot be read.
    """
    sums: dict[str, str] = {}
    found = []
    text = (directory / SUMS).read_text(encoding="utf-8", errors="replace")
    # Only a line feed ends a line: `str.splitlines` would also cut a name at U+2028, say.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        entry = _LINE.fullmatch(line)
        name = entry and _plain(entry[3], escaped=bool(entry[1]))
        if not entry or not name or Path(name).is_absolute() or ".." in Path(name).parts:
            found.append(f"{SUMS}, line {number}, is not a checksum of a file in the bundle")
        elif name in sums:
            found.append(f"{name} has two checksums")
        else:
            sums[name] = entry[2]
    if not sums:
        found.append(f"{SUMS} is empty")
    there = set(_names(directory))
    found += [f"{name} is missing" for name in sums if name not in there]
    found += [f"{name} was added" for name in sorted(there - sums.keys())]
    for name, digest in sums.items():
        if name not in there:
            continue
        if (directory / name).is_symlink():
            found.append(f"{name} is a link; a bundle contains its files")
        elif not (directory / name).is_file():
            found.append(f"{name} is no longer a regular file")
        elif _digest(directory / name) != digest:
            found.append(f"{name} has changed")
    return found


def _names(directory: Path) -> Iterator[str]:
    """All that is not a directory, but for the checksums themselves and their signature."""
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if (path.is_symlink() or not path.is_dir()) and name not in (SUMS, SIGNATURE):
            yield name


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _line(name: str, digest: str) -> str:
    # As sha256sum has it: a name that would break the line is escaped, and a backslash says so.
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    mark = "" if escaped == name else "\\"
    return f"{mark}{digest}  {escaped}\n"


def _plain(name: str, *, escaped: bool) -> str:
    if not escaped:
        return name
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r"}.get(m[1], m[1]), name)
