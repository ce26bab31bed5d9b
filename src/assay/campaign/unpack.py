"""Unpack the archive that a host under test returns, without trusting it.

    python -I -m assay.campaign.unpack HOST RAW SUBJECT... <ARCHIVE

The archive is unpacked into a new directory. It is moved to RAW only if all of it is ordinary:
regular files and directories, below ``raw/`` and there below the directories of the host's own
subjects, within the limits below. Otherwise, nothing of it is kept, and each subject gets a refusal
that says why.

Exit status: 0 if there is evidence or a refusal; 1 if the archive is incomplete (the connection was
lost), with a reason on standard error.
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
"""Maximum size of an archive in bytes, including headers; a run prints kilobytes (this project's
own choice)."""

MAX_FILES = 10_000
"""Maximum number of files and directories in an archive (this project's own choice)."""

MAX_HEADER = 2**16
"""Maximum size of a PAX or GNU header, in bytes; a path has 4096 at most."""

MAX_CPU_S = 30
"""Limit of CPU time in seconds: headers can be made so that each takes longer to read than the one
before. 10,000 files take about two seconds (this project's own choice)."""

MAX_NAME, MAX_DEPTH = 500, 16
"""Maximum number of characters and parts of a path: an accepted path must also fit into a bundle,
and must not prevent the sign-off of other hosts (this project's own choice)."""

MAX_NAMED = 3
"""Maximum number of problems that a refusal names."""

HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
"""Members that describe the next ones; the library reads them into memory."""

KINDS = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a FIFO",
}


class RefusedError(Exception):
    """The host returned something that is not allowed."""


class ArchiveMember(tarfile.TarInfo):
    """A member of an archive; a long header raises `RefusedError`."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read the first block of a member."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in HEADERS and header.size > MAX_HEADER:
            raise RefusedError(f"a header of {header.size:,} bytes")
        return header


class Limited(io.RawIOBase):
    """A stream that raises `RefusedError` if it is too long or takes too much CPU time."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        super().__init__()
        self._stream = stream
        self._left = limit
        self._until = time.process_time() + MAX_CPU_S

    def read(self, size: int = -1) -> bytes:
        """Read like a file, up to the limit in total."""
        read = self._stream.read(size)
        self._left -= len(read)
        if self._left < 0:
            raise RefusedError(f"more than {MAX_BYTES // 2**20} MiB")
        if time.process_time() > self._until:
            raise RefusedError(f"an archive that takes more than {MAX_CPU_S} s to unpack")
        return read


def unpack(stream: IO[bytes], host: str, raw: Path, subjects: Sequence[str]) -> None:
    """Unpack the outputs of a host's subjects into their directories, or a refusal instead.

    Args:
        stream: the archive.
        host: the name of the host, for the refusal.
        raw: the directory of raw output, which has nothing of these subjects yet.
        subjects: the directories of the host's subjects, below `raw`.

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
    """Write a sentence that says why a host's subjects have no outputs."""
    for subject in subjects:
        directory = raw / subject
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "refusal").write_text(f"{sentence}\n", encoding="utf-8")


def _extract(stream: IO[bytes], directory: Path, subjects: Sequence[str]) -> None:
    """Extract all members; raise `RefusedError` if some are not allowed."""
    limited = Limited(stream, MAX_BYTES)
    bytes_left, seen = MAX_BYTES, 0
    problems: list[str] = []
    # As a stream, so that nothing is read twice, and without decompression.
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
    """Why a member is not allowed, in words."""
    name = _shown(member.name)
    if not (member.isreg() or member.isdir()):
        yield f"{KINDS.get(member.type, 'something other than a regular file')} ({name})"
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
        yield f"a path that belongs to none of its subjects ({name})"


def _belongs(path: PurePosixPath, is_directory: bool, own: PurePosixPath) -> bool:
    """Whether a path is within a subject's directory, or a directory on the way to it."""
    return own in path.parents or (is_directory and (path == own or path in own.parents))


def _shown(name: str) -> str:
    """A name made printable and shortened."""
    return repr(name[:100].encode("ascii", "backslashreplace").decode())


def main(arguments: Sequence[str]) -> int:
    """Unpack standard input."""
    host, raw, *subjects = arguments
    try:
        unpack(sys.stdin.buffer, host, Path(raw), subjects)
    except (tarfile.TarError, ValueError, RecursionError) as error:
        # If a host returned nothing, ssh reports why.
        if str(error) != "empty file":
            print(f"what {host} returned is not a complete archive: {error}"[:200], file=sys.stderr)
        return 1
    finally:
        # The sender gets an error, rather than waiting.
        sys.stdin.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
