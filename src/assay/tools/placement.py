"""The CPUs on which processes may run and did run, as printed by the checks' `placement.sh`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from assay.foreign.text import quoted
from assay.tools.output import Parsed, Sample

TOOL = "placement"

_LINE = re.compile(
    r"process (?P<number>\d{1,9}): may run on (?P<may>[\d,-]+), ran on (?P<ran>[\d ]+)"
)

CPUS = 8_192
"""CPUs of the largest host (Linux's limit on x86); as many processes may have one each."""


@dataclass(frozen=True, slots=True)
class _Process:
    may: int
    ran: int


def cpus(text: str) -> int:
    """The CPUs of a list in the kernel's spelling, such as ``0-3,36``: bit N is CPU N.

    Raises:
        ValueError: it is none, or has a CPU that no host has.
    """
    mask = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if not low <= high < CPUS:
            raise ValueError(f"no host has the CPUs {quoted(part)}")
        mask |= ((1 << (high - low + 1)) - 1) << low
    return mask


def parse(text: str, *, expected_processes: int | None = None) -> Parsed:
    """Count the processes that had CPUs of their own and ran only there.

    The only sample is `bound_processes`. If some processes are not bound, that is a result; if
    some did not report, that is a problem.
    """
    try:
        processes = [
            _Process(cpus(line["may"]), cpus(line["ran"].strip().replace(" ", ",")))
            for line in islice(_LINE.finditer(text), CPUS + 1)
        ]
    except ValueError as error:
        return Parsed(TOOL, (), (f"a process reported no list of CPUs: {quoted(error)}",))
    if not processes:
        return Parsed(TOOL, (), ("no process reported where it ran",))
    problems = []
    if expected_processes is not None and len(processes) != expected_processes:
        problems.append(
            f"{len(processes)} of {expected_processes} processes reported where they ran"
        )
    claimed = shared = 0
    for process in processes:
        shared |= claimed & process.may
        claimed |= process.may
    bound = sum(
        not process.ran & ~process.may and not process.may & shared for process in processes
    )
    if not bound:
        problems.append(
            f"none of {len(processes)} processes had a core of its own:"
            " does Slurm's TaskPlugin bind (task/affinity or task/cgroup)?"
        )
        return Parsed(TOOL, (), tuple(problems))
    labels = {"processes": str(len(processes))}
    sample = Sample("bound_processes", float(bound), "process", labels)
    return Parsed(TOOL, (sample,), tuple(problems))
