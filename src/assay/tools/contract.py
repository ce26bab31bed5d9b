"""The releases and forms of a program's output that its parser knows.

An output of another release or form is no bad measurement: its parser does not know it, and says
so. Without the release, no figure is read whose unit depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.cluster.releases import names
from assay.tools.output import Parsed

OF_DAOS = f"DAOS {names()[0]} to {names()[-1]}"
"""The releases of DAOS's own programs: those that this project supports."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a parser knows of one program."""

    program: str
    releases: str
    """The releases whose outputs were read, in words."""
    forms: str
    """The forms of output, in words."""

    def unread(self, what: str, needed: str) -> Parsed:
        """The result for an output that is not known: what it is, and what would be needed."""
        why = f"not known: {what} (known: {self.forms}, of {self.releases}; needed: {needed})"
        return Parsed(self.program, (), (why,), unread=True)
