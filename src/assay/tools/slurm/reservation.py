"""scontrol show reservation: the nodes that Slurm keeps for some jobs."""

from __future__ import annotations

import re

_NODES = re.compile(r"\bNodes=(?P<nodes>\S+)")
_STATE = re.compile(r"\bState=(?P<state>\S+)")


def command(name: str) -> list[str]:
    """Command line that shows a reservation."""
    return ["scontrol", "show", "reservation", name]


def nodes(text: str) -> str | None:
    """Its nodes, in Slurm's words; None if it has none, or is not shown.

    Args:
        text: standard output.
    """
    match = _NODES.search(text)
    return None if match is None or match["nodes"] == "(null)" else match["nodes"]


def is_active(text: str) -> bool:
    """Whether its jobs may run now.

    Args:
        text: standard output.
    """
    match = _STATE.search(text)
    return match is not None and match["state"] == "ACTIVE"
