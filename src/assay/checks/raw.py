"""The raw outputs of a check: the files that its job wrote for each subject, below `raw/`.

They are read when the job has ended, and again when its bundle is verified.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.foreign.files import Tree
from assay.foreign.limits import OUTPUT_BYTES, STEPS_BYTES
from assay.foreign.text import without_huge_numbers
from assay.subject import Subject

RAW_DIRECTORY = "raw"

_DONE = re.compile(r"([^\t]+)\t([0-9]{1,3})\t([0-9]{1,12}\.[0-9]{1,9})\t([0-9]{1,12}\.[0-9]{1,9})")
"""A line of the record."""


def directory_of(subject: Subject) -> str:
    """The name of a subject's directory under `raw/`, since ``a>b`` is unsafe in a shell."""
    return str(subject).replace(">", "-to-")


def source_of(subject: Subject) -> str:
    """Who wrote a subject's outputs, as the first directory under `raw/`: a host, or several."""
    return directory_of(subject).partition("/")[0]


@dataclass(frozen=True, slots=True)
class Done:
    """A finished step: its exit status, its start and its end, in seconds since the epoch."""

    name: str
    status: int
    start: float
    end: float


def _done(line: str) -> Done | None:
    match = _DONE.fullmatch(line)
    return match and Done(match[1], int(match[2]), float(match[3]), float(match[4]))


@dataclass(frozen=True, slots=True)
class SubjectOutputs:
    """The outputs of a job for one subject."""

    tree: Tree
    place: str = "."
    """Where, below the root of the tree."""
    refused: bool = False
    """Whether they count as none."""

    def content(self, name: str) -> str:
        """The text of a file; empty if there is none.

        Raises:
            ForeignError: it is not a regular file, or larger than any output.
            OSError: it cannot be read.
        """
        return self.packed(name, OUTPUT_BYTES).decode("utf-8", errors="replace")

    def packed(self, name: str, most: int = OUTPUT_BYTES) -> bytes:
        """The bytes of a file; empty if there is none.

        Raises:
            ForeignError: it is not a regular file, or larger than any such output.
            OSError: it cannot be read.
        """
        if self.refused:
            return b""
        try:
            return self.tree.read(f"{self.place}/{name}", most)
        except FileNotFoundError:
            return b""

    def text(self, name: str, kind: str) -> str:
        """A step's file of some kind, such as ``out``; empty if there is none."""
        return without_huge_numbers(self.content(f"{name}.{kind}"))

    def printed(self, name: str) -> str:
        """The standard output of a step, then its standard error."""
        return self.text(name, "out") + self.text(name, "err")

    def steps(self) -> list[Done]:
        """The finished steps, in order; empty if the job did not get that far."""
        return [done for done in self.record() if done]

    def record(self) -> list[Done | None]:
        """Each line of the record of steps; None for one that cannot be read.

        After a power loss or on a full disk, the last line may be incomplete.
        """
        text = self.packed("steps.tsv", STEPS_BYTES).decode("utf-8", "replace").removesuffix("\n")
        return [_done(line) for line in text.split("\n")] if text else []


@dataclass(frozen=True, slots=True)
class RawOutputs:
    """The outputs of a job for all subjects, and DAOS's answers before and after it."""

    tree: Tree
    place: str = RAW_DIRECTORY
    """Where, below the root of the tree."""
    refused: frozenset[str] = frozenset()
    """The sources whose outputs count as none; with "", all of them."""

    def of(self, subject: Subject) -> SubjectOutputs:
        """The outputs of one subject."""
        refused = not self.refused.isdisjoint(("", source_of(subject)))
        return SubjectOutputs(self.tree, f"{self.place}/{directory_of(subject)}", refused)

    def answer(self, name: str) -> str:
        """The kept answer of dmg or daos; empty if it was not asked."""
        answers = SubjectOutputs(self.tree, f"{self.place}/system", "" in self.refused)
        return answers.content(f"{name}.json")
