"""sinfo: which nodes of a partition of Slurm take no jobs, and why."""

from __future__ import annotations

from collections.abc import Mapping

from assay.foreign.limits import SHOWN_REASON
from assay.foreign.text import one_line, shorten

_LOST = ("down", "drain", "drng", "fail", "inval")
"""How the states begin in which a node gets no job until somebody acts (`man sinfo`, NODE STATE
CODES). A node that merely has not answered for a moment has a ``*``: its job waits."""


def command(partition: str) -> list[str]:
    """Command line that prints a node a line, with its state and the reason for it."""
    return ["sinfo", "--noheader", "--Node", f"--partition={partition}", "--format=%N|%T|%E"]


def lost(text: str) -> Mapping[str, str]:
    """The nodes that take no jobs, each with its state and Slurm's reason, in words.

    Args:
        text: standard output.
    """
    found = {}
    for each in text.splitlines():
        node, state, reason = (*each.split("|", 2), "", "")[:3]
        if state.startswith(_LOST):
            why = shorten(one_line(reason.strip()), SHOWN_REASON)
            found[node] = f"{node} is {state.rstrip('*$#~!%@^-')} in Slurm ({why})"
    return found


def states(text: str) -> Mapping[str, str]:
    """The state of each node, as Slurm has it: ``idle``, ``mixed``.

    Args:
        text: standard output.
    """
    fields = (each.split("|") for each in text.splitlines() if "|" in each)
    return {node: state.rstrip("*$#~!%@^-") for node, state, *_ in fields}
