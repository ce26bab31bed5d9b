"""sinfo: which nodes of a partition of Slurm take no jobs, and why; how long its jobs may run."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.foreign.limits import SHOWN_REASON
from assay.foreign.text import one_line, shorten

_LOST = ("down", "drain", "drng", "fail", "inval")
"""How the states begin in which a node gets no job until somebody acts (`man sinfo`, NODE STATE
CODES). A node that merely has not answered for a moment has a ``*``: its job waits."""

_OFF = {
    "*": "not responding",
    "~": "powered off",
    "#": "being powered up or configured",
    "!": "to be powered down",
    "%": "being powered down",
    "@": "to be rebooted",
    "^": "rebooting",
}
"""What the mark behind a state says of a node on which a job would not start at once (`man sinfo`,
NODE STATE CODES). A job there would power it up, which costs minutes, and in a cloud money."""

_LIMIT = re.compile(r"(?:(?P<days>\d{1,4})-)?(?:(?P<hours>\d{1,2}):)?(?P<minutes>\d{1,2}):\d\d")


@dataclass(frozen=True)
class Nodes:
    """The question for the nodes of a partition, a line each, with state and reason.

    Reasons are anybody's text, and may have line feeds. So a line counts only if it begins with a
    mark, which nobody knows who wrote a reason before.
    """

    partition: str
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def command(self) -> list[str]:
        """Its command line."""
        asked = f"--format={self.mark}|%N|%T|%E"
        return ["sinfo", "--noheader", "--Node", f"--partition={self.partition}", asked]

    def lost(self, text: str) -> Mapping[str, str]:
        """The nodes that take no jobs, each with its state and Slurm's reason, in words.

        Args:
            text: standard output.
        """
        return {
            node: f"{node} is {_plain(state)} in Slurm"
            f" ({shorten(one_line(reason.strip()), SHOWN_REASON)})"
            for node, state, reason in self._fields(text)
            if state.startswith(_LOST)
        }

    def states(self, text: str) -> Mapping[str, str]:
        """The state of each node, as Slurm has it: ``idle``, ``mixed``.

        Args:
            text: standard output.
        """
        return {node: _plain(state) for node, state, _ in self._fields(text)}

    def off(self, text: str) -> Mapping[str, str]:
        """The nodes on which no job starts at once, each with the reason, in words.

        Args:
            text: standard output.
        """
        return {
            node: f"{node} is {_plain(state)}, but {why}"
            for node, state, _ in self._fields(text)
            if (why := next((_OFF[mark] for mark in state if mark in _OFF), None)) is not None
        }

    def silent(self, text: str) -> Mapping[str, str]:
        """The nodes that do not respond, each with its state, in words.

        Args:
            text: standard output.
        """
        return {
            node: f"{node} is {_plain(state)}, but {_OFF['*']}"
            for node, state, _ in self._fields(text)
            if "*" in state
        }

    def _fields(self, text: str) -> Iterator[tuple[str, str, str]]:
        for line in text.split("\n"):
            fields = line.split("|", 3)
            if len(fields) == 4 and fields[0] == self.mark:
                yield fields[1], fields[2], fields[3]


_HEADER = re.compile(r"^CLUSTER: \S+ *\n", re.MULTILINE)


def of_one_cluster(text: str) -> str:
    """What a program of Slurm printed, without the name of the cluster above it.

    With SLURM_CLUSTERS or --clusters, they print one even where no header is wanted.
    """
    return _HEADER.sub("", text)


def sharing_command(partition: str) -> list[str]:
    """Command line that prints whether the jobs of a partition share its nodes (OverSubscribe)."""
    return ["sinfo", "--noheader", f"--partition={partition}", "--format=%h"]


def is_shared_by_force(text: str) -> bool:
    """Whether a node runs several jobs at once, whatever these ask for: FORCE, but not FORCE:1."""
    kind, _, jobs = of_one_cluster(text).strip().upper().partition(":")
    return kind == "FORCE" and jobs != "1"


def is_exclusive(text: str) -> bool:
    """Whether every job has its nodes for itself."""
    return of_one_cluster(text).strip().upper() == "EXCLUSIVE"


def _plain(state: str) -> str:
    return state.rstrip("*$#~!%@^-")


def limit_command(partition: str) -> list[str]:
    """Command line that prints how long a job may run in a partition."""
    return ["sinfo", "--noheader", f"--partition={partition}", "--format=%l"]


def limit_min(text: str) -> int | None:
    """How long a job may run, in minutes; None: as long as it likes, or that is not known.

    Args:
        text: standard output, such as ``30:00``, ``4:00:00``, ``1-00:00:00`` or ``infinite``.
    """
    match = _LIMIT.fullmatch(of_one_cluster(text).strip())
    if match is None:
        return None
    days, hours, minutes = (int(match[name] or 0) for name in ("days", "hours", "minutes"))
    return (days * 24 + hours) * 60 + minutes or None
