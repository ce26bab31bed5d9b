"""Warns root before it reads files that another user owns or can write."""

from __future__ import annotations

import os
import pwd
import shlex
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from assay.foreign.text import quoted

WARNED = Path("/run/daos-assay/warned")
"""Directory with a file for each owner of whom root was warned since this host started."""


def warning(paths: Iterable[Path]) -> str | None:
    """The warning for root before it reads these files; None for other users.

    Root is warned of an owner once until the host restarts: on a host that measures, most files
    belong to the account that does.
    """
    if os.geteuid() != 0:
        return None
    for path in paths:
        for place in (path, path.parent):
            try:
                status = place.stat()
            except (OSError, ValueError):
                continue
            if status.st_uid != 0:
                return _of_owner(place, status.st_uid)
            if who := _writers(status):
                return (
                    f"warning: root reads {quoted(place)}, which {who} can write; run this command"
                    " as an ordinary user on files of others"
                )
    return None


def _of_owner(place: Path, owner: int) -> str | None:
    warned = WARNED / str(owner)
    if warned.exists():
        return None
    with suppress(OSError):
        warned.parent.mkdir(parents=True, exist_ok=True)
        warned.touch()
    try:
        name = pwd.getpwuid(owner).pw_name
        who, become = name, ["runuser", f"--user={name}", "--"]
    except KeyError:
        who = f"the user {owner}"
        become = ["setpriv", f"--reuid={owner}", f"--regid={owner}", "--clear-groups"]
    return (
        f"warning: root reads {quoted(place)}, which {quoted(who)} owns; as that user:"
        f" {shlex.join(become + sys.argv)}"
    )


def _writers(status: os.stat_result) -> str | None:
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return None  # like /tmp: others can add files, but not remove any
    if status.st_mode & stat.S_IWOTH:
        return "everybody"
    if status.st_mode & stat.S_IWGRP and status.st_gid != 0:
        return f"the group {status.st_gid}"
    return None
