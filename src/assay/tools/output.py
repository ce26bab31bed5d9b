"""What every parser returns: the samples of an output, and its problems."""

from __future__ import annotations

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


LEAST, MOST = 1e-9, 1e15
"""Between which a figure is one, in any unit: seconds, operations or MiB a second. Nothing that is
measured comes near, and what is worked out from such figures stays finite (this project's own
choice)."""

ALLOWED = f"a measurement is above zero, from {LEAST:g} to {MOST:g}"


def is_measurement(value: float) -> bool:
    """Whether a figure is plausible: finite, above zero and not absurd."""
    return LEAST <= value <= MOST


def impossible(sample: Sample) -> str | None:
    """Say why a figure cannot be a measurement."""
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
