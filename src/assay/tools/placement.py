"""The CPUs on which processes may run and did run, as printed by the checks' `placement.sh`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from assay.tools.output import Parsed, Sample

TOOL = "placement"

_LINE = re.compile(r"process (?P<number>\d+): may run on (?P<may>[\d,-]+), ran on (?P<ran>[\d ]+)")


@dataclass(frozen=True, slots=True)
class _Process:
    number: int
    may: frozenset[int]
    ran: frozenset[int]


def cpus(text: str) -> frozenset[int]:
    """The CPUs of a list in the kernel's spelling, such as ``0-3,36``."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def parse(text: str, *, expected_processes: int | None = None) -> Parsed:
    """Count the processes that had CPUs of their own and ran only there.

    The only sample is `bound_processes`. If some processes are not bound, that is a result; if
    some did not report, that is a problem.
    """
    processes = [
        _Process(int(line["number"]), cpus(line["may"]), cpus(line["ran"].replace(" ", ",")))
        for line in _LINE.finditer(text)
    ]
    if not processes:
        return Parsed(TOOL, (), ("no process reported where it ran",))
    problems = []
    if expected_processes is not None and len(processes) != expected_processes:
        problems.append(
            f"{len(processes)} of {expected_processes} processes reported where they ran"
        )
    claims = Counter(cpu for process in processes for cpu in process.may)
    bound = sum(
        process.ran <= process.may and all(claims[cpu] == 1 for cpu in process.may)
        for process in processes
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
