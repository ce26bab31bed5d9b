"""sinfo: which nodes of a partition of Slurm take no jobs, and why; how long its jobs may run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.foreign.limits import SHOWN_REASON
from assay.foreign.text import one_line, shorten

_LOST = ("down", "drain", "drng", "fail", "inval")
"""How the states begin in which a node gets no job until somebody acts (`man sinfo`, NODE STATE
CODES). A node that merely has not answered for a moment has a ``*``: its job waits."""

_LIMIT = re.compile(r"(?:(?P<days>\d{1,4})-)?(?:(?P<hours>\d{1,2}):)?(?P<minutes>\d{1,2}):\d\d")


def command(partition: str) -> list[str]:
    """Command line that prints a node a line, with its state and the reason for it."""
    return ["sinfo", "--noheader", "--Node", f"--partition={partition}", "--format=%N|%T|%E"]


def lost(text: str) -> Mapping[str, str]:
    """The nodes that take no jobs, each with its state and Slurm's reason, in words.

    Args:
        text: standard output.
    """
    reasons = {}
    for each in text.splitlines():
        node, state, reason = (*each.split("|", 2), "", "")[:3]
        if state.startswith(_LOST):
            why = shorten(one_line(reason.strip()), SHOWN_REASON)
            reasons[node] = f"{node} is {state.rstrip('*$#~!%@^-')} in Slurm ({why})"
    return reasons


def limit_command(partition: str) -> list[str]:
    """Command line that prints how long a job may run in a partition."""
    return ["sinfo", "--noheader", f"--partition={partition}", "--format=%l"]


def limit_min(text: str) -> int | None:
    """How long a job may run, in minutes; None: as long as it likes, or that is not known.

    Args:
        text: standard output, such as ``30:00``, ``4:00:00``, ``1-00:00:00`` or ``infinite``.
    """
    match = _LIMIT.fullmatch(text.strip())
    if match is None:
        return None
    days, hours, minutes = (int(match[name] or 0) for name in ("days", "hours", "minutes"))
    return (days * 24 + hours) * 60 + minutes or None


def states(text: str) -> Mapping[str, str]:
    """The state of each node, as Slurm has it: ``idle``, ``mixed``.

    Args:
        text: standard output.
    """
    fields = (each.split("|") for each in text.splitlines() if "|" in each)
    return {node: state.rstrip("*$#~!%@^-") for node, state, *_ in fields}
