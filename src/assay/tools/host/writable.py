"""Programs that other users than root can change, directly or through a directory on their paths.

The module `cluster_hardware` runs this on the hosts, so it may use only the standard library of
Python 3.9.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path


def writable(programs: Iterable[str], root: Path = Path("/")) -> list[dict[str, str]]:
    """The programs, and the directories and links on their paths, that others than root may change.

    In a directory of root with the sticky bit, others can only add their own files: root's files
    stay, but a missing file, or one of another user, may become a link.

    Returns:
        For each of them, in order of the path: `path`, `owner`, and `mode` in octal.
    """
    changeable = {}
    for program in programs:
        steps = [(step, _status(step)) for step in _steps(root, Path(program))]
        for (step, status), (_, following) in zip(steps, [*steps[1:], (None, None)]):
            if status is None:
                break
            by_group = status.st_mode & stat.S_IWGRP and (status.st_gid != 0 or _has_acl(step))
            by_others = status.st_mode & stat.S_IWOTH
            sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
            held = sticky and following is not None and following.st_uid == 0
            is_open = (by_group or by_others) and not held and not stat.S_ISLNK(status.st_mode)
            if is_open or status.st_uid != 0:
                path = "/" + str(step.relative_to(root))
                mode = f"{stat.S_IMODE(status.st_mode):04o}"
                changeable[path] = {"path": path, "owner": _name(status.st_uid), "mode": mode}
    return [changeable[path] for path in sorted(changeable)]


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _has_acl(path: Path) -> bool:
    """Whether the group's bits are the mask of an access control list (acl(5))."""
    try:
        return "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False)
    except OSError:  # a file system without such lists
        return False


def _steps(root: Path, program: Path) -> Iterator[Path]:
    """Every directory and link on the path of a program, from the root to the file itself.

    Each directory is followed by the entry that is looked up in it.
    """
    at, ahead, links = root, list(reversed(program.parts[1:])), 0
    yield at
    while ahead:
        part = ahead.pop()
        at = at.parent if part == ".." else at / part
        yield at
        if at.is_symlink():
            links += 1
            if links > MOST_LINKS:
                return
            target = at.readlink()
            at = root if target.is_absolute() else at.parent
            yield at
            ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)


MOST_LINKS = 40
"""Maximum number of links that the kernel follows (path_resolution(7))."""


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
