"""The result of every parser: the samples of an output, and its problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement as the tool printed it.

    `unit` is the actual unit, in the spelling of `assay.units`: fi_pingpong's "MB/sec" is ``MB/s``,
    but IOR's is ``MiB/s``. `labels` identify the measurement: the job, the transfer size, the
    repetition, the process.
    """

    metric: str
    value: float
    unit: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The samples in one output, and the problems that make the run invalid, in words.

    An output with a problem is not a slow run. It is no measurement, even if it has figures.
    """

    tool: str
    samples: tuple[Sample, ...]
    problems: tuple[str, ...] = ()
    unread: bool = False
    """Whether the parser does not know this release or form. Then the problem says nothing about
    the measurement."""

    def as_dict(self) -> dict[str, Any]:
        """The samples and problems, for JSON."""
        return {
            "tool": self.tool,
            "samples": [asdict(sample) for sample in self.samples],
            "problems": list(self.problems),
            "unread": self.unread,
        }


LEAST, MOST = 1e-9, 1e15
"""Limits of a valid figure in any unit: seconds, operations or MiB a second. No real measurement
comes near them, and everything computed from such figures stays finite (this project's own choice).
"""

ALLOWED = f"a measurement is above zero, from {LEAST:g} to {MOST:g}"


def is_measurement(value: float) -> bool:
    """Whether a figure is finite, above zero and within `LEAST` and `MOST`."""
    return LEAST <= value <= MOST


def impossible(sample: Sample) -> str | None:
    """Say why a sample cannot be a measurement; None if it can."""
    if is_measurement(sample.value):
        return None
    return f"{sample.metric} is {sample.value:g} {sample.unit}; {ALLOWED}"


def merged(tool: str, runs: Iterable[Parsed]) -> Parsed:
    """The samples and problems of several runs of a tool."""
    samples: list[Sample] = []
    problems: list[str] = []
    for run in runs:
        samples += run.samples
        problems += run.problems
    return Parsed(tool, tuple(samples), tuple(problems))
