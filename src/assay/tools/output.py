"""What every parser gives back: the samples of an output, and what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement as the tool printed it.

    `unit` is the unit that the tool means, in the spelling of `assay.units` (fi_pingpong's
    "MB/sec" is ``MB/s``, IOR's is ``MiB/s``). `labels` say what was measured: the job, the
    transfer size, the repetition, the process.
    """

    metric: str
    value: float
    unit: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The samples in one output and the problems that make the run invalid, in words.

    An output with a problem is never a slow run: it is no measurement, whatever figures it printed.
    """

    tool: str
    samples: tuple[Sample, ...]
    problems: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """What `assay parse` prints."""
        return {
            "tool": self.tool,
            "samples": [asdict(sample) for sample in self.samples],
            "problems": list(self.problems),
        }


def impossible(sample: Sample) -> str | None:
    """Say why a figure cannot be a measurement: not a number, infinite, zero or negative."""
    if math.isfinite(sample.value) and sample.value > 0:
        return None
    return f"{sample.metric} is {sample.value:g} {sample.unit}; a measurement is above zero"


def merged(tool: str, runs: Iterable[Parsed]) -> Parsed:
    """What several runs of a tool hold together."""
    samples: list[Sample] = []
    problems: list[str] = []
    for run in runs:
        samples += run.samples
        problems += run.problems
    return Parsed(tool, tuple(samples), tuple(problems))
