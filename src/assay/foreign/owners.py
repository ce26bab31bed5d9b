"""Warns root before it reads files that another user owns or can write."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterable
from pathlib import Path

from assay.foreign.text import quoted


def warning(paths: Iterable[Path]) -> str | None:
    """The warning for root before it reads these files; None for other users."""
    if os.geteuid() != 0:
        return None
    for path in paths:
        for place in (path, path.parent):
            try:
                status = place.stat()
            except (OSError, ValueError):
                continue
            if who := _others(status):
                return (
                    f"warning: root reads {quoted(place)}, which {who}; run this command as"
                    " an ordinary user on files of others"
                )
    return None


def _others(status: os.stat_result) -> str | None:
    if status.st_uid != 0:
        try:
            return f"{quoted(pwd.getpwuid(status.st_uid).pw_name)} owns"
        except KeyError:
            return f"the user {status.st_uid} owns"
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return None  # like /tmp: others can add files, but not remove any
    if status.st_mode & stat.S_IWOTH:
        return "everybody can write"
    if status.st_mode & stat.S_IWGRP and status.st_gid != 0:
        return f"the group {status.st_gid} can write"
    return None
