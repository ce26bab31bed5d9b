"""Unpack what a host under test returns, trusting nothing in it.

    python -I -m assay.campaign.unpack HOST RAW SUBJECT... <ARCHIVE

The archive is unpacked into a new directory of its own, and moved to RAW only when all of it was
found to be ordinary: regular files and directories, below ``raw/`` and there below the directories
of the host's own subjects, within the limits below. Otherwise nothing of it is kept, and each
subject has a refusal that says why.

Exit status: 0 when there is evidence or a refusal, 1 when the archive is no complete archive (the
connection was lost), with a reason on standard error.
"""

from __future__ import annotations

import io
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Self

from assay.foreign.text import one_line

MAX_BYTES = 64 * 2**20
"""Most that a host may return, headers included, in bytes: a run prints kilobytes (this project's
own choice)."""

MAX_FILES = 10_000
"""Most files and directories that a host may return (this project's own choice)."""

MAX_HEADER = 2**16
"""Most that a header of PAX or GNU may hold, in bytes; a path has 4096 at most."""

MAX_CPU_S = 30
"""Seconds of CPU time that an archive may take: headers can be made so that each one takes longer
to read than the last. 10,000 files take about two (this project's own choice)."""

MAX_NAME, MAX_DEPTH = 500, 16
"""Most characters and parts of a path: what is accepted here has to fit into a bundle, too, and
must not keep the others from their sign-off (this project's own choice)."""

MAX_NAMED = 3
"""How many problems a refusal names."""

HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
"""Members that say something of those after them, which the library reads into memory."""

KINDS = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a FIFO",
}


class RefusedError(Exception):
    """The host returned what it must not."""


class ArchiveMember(tarfile.TarInfo):
    """A member of an archive, which ends with `RefusedError` where it is a long header."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read the first block of a member."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in HEADERS and header.size > MAX_HEADER:
            raise RefusedError(f"a header of {header.size:,} bytes")
        return header


class Limited(io.RawIOBase):
    """A stream that ends with `RefusedError` once it is longer, or took longer, than it may."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        super().__init__()
        self._stream = stream
        self._left = limit
        self._until = time.process_time() + MAX_CPU_S

    def read(self, size: int = -1) -> bytes:
        """Read as much as a file would; never more than the limit in all."""
        read = self._stream.read(size)
        self._left -= len(read)
        if self._left < 0:
            raise RefusedError(f"more than {MAX_BYTES // 2**20} MiB")
        if time.process_time() > self._until:
            raise RefusedError(f"what takes more than {MAX_CPU_S} s to unpack")
        return read


def unpack(stream: IO[bytes], host: str, raw: Path, subjects: Sequence[str]) -> None:
    """Put what a host returned for its subjects where evidence is read, or a refusal there.

    Args:
        stream: the archive.
        host: its name, for the refusal.
        raw: the directory of raw output; it holds nothing of these subjects yet.
        subjects: the directories below `raw` that are the host's.

    Raises:
        tarfile.TarError: the archive is damaged or ends early.
    """
    raw.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".incoming.", dir=raw.parent) as name:
        incoming = Path(name)
        try:
            _extract(stream, incoming, subjects)
        except RefusedError as why:
            refuse(raw, subjects, f"{host} returned {why}; nothing that it returned is kept")
            return
        for subject in subjects:
            if (unpacked := incoming / "raw" / subject).is_dir():
                (raw / subject).parent.mkdir(parents=True, exist_ok=True)
                unpacked.rename(raw / subject)


def refuse(raw: Path, subjects: Sequence[str], sentence: str) -> None:
    """Leave a sentence that says why a host's subjects have no evidence."""
    for subject in subjects:
        directory = raw / subject
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "refusal").write_text(f"{sentence}\n", encoding="utf-8")


def _extract(stream: IO[bytes], directory: Path, subjects: Sequence[str]) -> None:
    """Extract every member that a host may return; the first others end in `RefusedError`."""
    limited = Limited(stream, MAX_BYTES)
    bytes_left, seen = MAX_BYTES, 0
    problems: list[str] = []
    # As a stream: nothing is looked up again, and it is not decompressed.
    with tarfile.open(fileobj=limited, mode="r|", errorlevel=2, tarinfo=ArchiveMember) as archive:
        for member in archive:
            seen += 1
            if seen > MAX_FILES:
                raise RefusedError(f"more than {MAX_FILES} files")
            # A sparse file is small in the archive and large outside.
            bytes_left -= member.size
            if bytes_left < 0:
                raise RefusedError(f"more than {MAX_BYTES // 2**20} MiB")
            problems += _problems(member, subjects)
            if len(problems) >= MAX_NAMED:
                break
            if not problems:
                try:
                    archive.extract(member, directory, set_attrs=False, filter="data")
                except (OSError, tarfile.FilterError) as error:
                    problems.append(f"{_shown(member.name)} ({type(error).__name__})")
    if problems:
        raise RefusedError("; ".join(problems))


def _problems(member: tarfile.TarInfo, subjects: Sequence[str]) -> Iterator[str]:
    """What a host must not return of a member, in words."""
    name = _shown(member.name)
    if not (member.isreg() or member.isdir()):
        yield f"{KINDS.get(member.type, 'no ordinary file')} ({name})"
    elif member.isreg() and member.mode & 0o7000:
        yield f"a file that is setuid, setgid or sticky ({name})"
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts:
        yield f"a path that leads outside ({name})"
    elif len(member.name) > MAX_NAME or len(path.parts) > MAX_DEPTH:
        yield f"a path of more than {MAX_NAME} characters or {MAX_DEPTH} parts ({name})"
    elif not member.name.isprintable() or one_line(member.name) != member.name:
        yield f"a name that is not printable ({name})"
    elif not any(_belongs(path, member.isdir(), PurePosixPath("raw", each)) for each in subjects):
        yield f"what belongs to none of its subjects ({name})"


def _belongs(path: PurePosixPath, is_directory: bool, own: PurePosixPath) -> bool:
    """Whether a path is within a subject's directory, or a directory on the way to it."""
    return own in path.parents or (is_directory and (path == own or path in own.parents))


def _shown(name: str) -> str:
    """A name that can be printed, and not too much of it."""
    return repr(name[:100].encode("ascii", "backslashreplace").decode())


def main(arguments: Sequence[str]) -> int:
    """Unpack standard input."""
    host, raw, *subjects = arguments
    try:
        unpack(sys.stdin.buffer, host, Path(raw), subjects)
    except (tarfile.TarError, ValueError, RecursionError) as error:
        # Of a host that returned nothing ssh says why.
        if str(error) != "empty file":
            print(f"what {host} returned is no complete archive: {error}"[:200], file=sys.stderr)
        return 1
    finally:
        # The sender gets an error, rather than waiting.
        sys.stdin.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
