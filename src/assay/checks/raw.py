"""The raw outputs of a check: what its job left of each subject, below a directory `raw/`.

They are read when the job has ended, and once more when its bundle is verified.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.foreign.files import Tree
from assay.foreign.limits import OUTPUT_BYTES
from assay.foreign.text import without_huge_numbers
from assay.subject import Subject

RAW_DIRECTORY = "raw"

_DONE = re.compile(r"([^\t]+)\t(\d{1,3})\t(\d{1,12}\.\d{1,9})\t(\d{1,12}\.\d{1,9})")
"""A line of the record."""


def directory_of(subject: Subject) -> str:
    """The name of a subject's directory under `raw/`: ``a>b`` is no name to give to a shell."""
    return str(subject).replace(">", "-to-")


@dataclass(frozen=True, slots=True)
class Done:
    """A step that came to an end: its exit status, and when it ran, in seconds since the epoch."""

    name: str
    status: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SubjectOutputs:
    """What a job left of one subject."""

    tree: Tree
    place: str = "."
    """Where, below the root of the tree."""

    def content(self, name: str) -> str:
        """What is in a file; nothing where there is none.

        Raises:
            ForeignError: it is no regular file, or larger than any output.
            OSError: it cannot be read.
        """
        return self.packed(name).decode("utf-8", errors="replace")

    def packed(self, name: str) -> bytes:
        """What is in a file that is no text; nothing where there is none.

        Raises:
            ForeignError: it is no regular file, or larger than any output.
            OSError: it cannot be read.
        """
        try:
            return self.tree.read(f"{self.place}/{name}", OUTPUT_BYTES)
        except FileNotFoundError:
            return b""

    def text(self, name: str, kind: str) -> str:
        """What a step left in a file of some kind, such as ``out``; nothing where there is none."""
        return without_huge_numbers(self.content(f"{name}.{kind}"))

    def printed(self, name: str) -> str:
        """What a step printed, then what it printed as errors."""
        return self.text(name, "out") + self.text(name, "err")

    def steps(self) -> list[Done]:
        """The steps that came to an end, in order; none if the job never came so far."""
        done = []
        for record in self.content("steps.tsv").splitlines():
            # A host that loses its power, or a full disk, may leave part of the last one.
            if match := _DONE.fullmatch(record):
                name, status, start, end = match.groups()
                done.append(Done(name, int(status), float(start), float(end)))
        return done


@dataclass(frozen=True, slots=True)
class RawOutputs:
    """What a job left of all subjects, and what DAOS answered before and after it."""

    tree: Tree
    place: str = RAW_DIRECTORY
    """Where, below the root of the tree."""

    def of(self, subject: Subject) -> SubjectOutputs:
        """What it left of one subject."""
        return SubjectOutputs(self.tree, f"{self.place}/{directory_of(subject)}")

    def answer(self, name: str) -> str:
        """What dmg or daos answered; nothing if it was not asked."""
        return SubjectOutputs(self.tree, f"{self.place}/system").content(f"{name}.json")
