"""The whole logs of servers, as `dmg support collect-log` copied them, for the bundle.

Each log is bounded, and without keys and passwords. DAOS names a directory after each server.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.foreign import limits
from assay.foreign.files import Entry, ForeignError, Tree, refuse_unprintable
from assay.foreign.redaction import without_secrets
from assay.foreign.text import printable, quoted

DIRECTORY = "support-logs"
"""Their directory in a bundle."""

_CUT = "Cut here: the end of a log of {:,} bytes follows.\n"
_ROOM = 100
"""Bytes for that line."""


@dataclass(frozen=True, slots=True)
class SupportLog:
    """A log of a server."""

    name: str
    """Its path below the directory: ``s1/EngineLogs/daos_engine.0.log``."""
    content: bytes

    @property
    def host(self) -> str:
        """The server, by its name without a domain."""
        return self.name.partition("/")[0].partition(".")[0]

    @property
    def is_cut(self) -> bool:
        """Whether only its end is here."""
        return self.content.startswith(_CUT.partition("{")[0].encode())


def read(root: Path, below: str = ".") -> tuple[SupportLog, ...]:
    """Read all logs below a directory; none if there is no such directory.

    Read again from a bundle, they are the same.

    Raises:
        ForeignError: there are too many files, or one is not a text.
        OSError: one cannot be read.
    """
    tree = Tree(root)
    if not tree.is_directory(below):
        return ()
    logs: list[SupportLog] = []
    for file in tree.walk(below):
        refuse_unprintable(file, root)
        if file.is_directory:
            continue
        if len(logs) == limits.SUPPORT_LOGS:
            raise ForeignError(
                f"{quoted(root / below)} has more than {limits.SUPPORT_LOGS:,} files, which is the"
                " limit: keep the logs of the servers that the report names"
            )
        name = file.name if below == "." else file.name.removeprefix(f"{below}/")
        logs.append(SupportLog(name, _end(tree, file)))
    return tuple(logs)


def _end(tree: Tree, entry: Entry) -> bytes:
    """The end of a log, by whole lines, without secrets."""
    most = limits.SUPPORT_LOG_BYTES
    with tree.open(entry.name) as file:
        skipped = max(entry.size - most, 0)
        file.seek(skipped)
        content = file.read(most)
    if b"\0" in content:
        raise ForeignError(
            f"{quoted(tree.root / entry.name)} is not a text, so keys in it could not be removed:"
            " unpack it, or leave it out"
        )
    clean = printable(without_secrets(content.decode("utf-8", "replace"))).encode()
    if not skipped and len(clean) <= most:
        return clean
    lines = clean[-(most - _ROOM) :].partition(b"\n")[2]
    return _CUT.format(entry.size).encode() + lines


def files(logs: tuple[SupportLog, ...]) -> Iterator[tuple[str, bytes]]:
    """Each log with its path within the bundle."""
    yield from ((f"{DIRECTORY}/{log.name}", log.content) for log in logs)
