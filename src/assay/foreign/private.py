"""Directories that nobody else can enter, for what is read of others and for what is unfinished."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = ".assay."
"""How the names begin of these directories."""


@contextmanager
def directory(parent: Path) -> Iterator[Path]:
    """A new directory that is removed at the end; those of processes that were killed go, too.

    Args:
        parent: an existing directory, which may be one that others write, such as ``/tmp``.

    Raises:
        OSError: it cannot be made, or others could exchange it for a link that root follows.
    """
    _refuse_replaceable(parent)
    _remove_left(parent)
    place, descriptor = _held(parent)
    try:
        yield place
    finally:
        # Locked until it is gone: others would take it for one that was left.
        shutil.rmtree(place, ignore_errors=True)
        os.close(descriptor)


def _refuse_replaceable(parent: Path) -> None:
    status = parent.stat()
    writers = status.st_mode & (0o022 if status.st_gid else 0o002)
    if os.geteuid() == 0 and (status.st_uid or (writers and not status.st_mode & stat.S_ISVTX)):
        why = "others could exchange what root writes there; run this as the user whose it is"
        raise PermissionError(errno.EPERM, why, str(parent))


def _held(parent: Path) -> tuple[Path, int]:
    while True:
        place = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        # Another process may take it for one that was left before it is locked.
        with suppress(FileNotFoundError):
            descriptor = _open(place)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if place.exists():
                return place, descriptor
            os.close(descriptor)


def _remove_left(parent: Path) -> None:
    """Remove the directories of this user that no process holds."""
    for place in parent.glob(f"{PREFIX}*"):
        try:
            descriptor = _open(place)
        except OSError:
            continue
        try:
            status = os.fstat(descriptor)
            if (status.st_uid, stat.S_IMODE(status.st_mode) & 0o777) == (os.geteuid(), 0o700):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(place, ignore_errors=True)
        except OSError:
            continue
        finally:
            os.close(descriptor)


def _open(place: Path) -> int:
    return os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
