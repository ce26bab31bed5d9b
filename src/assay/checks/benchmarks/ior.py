"""Bandwidth of all clients together, measured with IOR by every backend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.checks.backends import backend_of, limit_of_share
from assay.checks.daos_path import DaosPath
from assay.checks.entry import Check, Metric, Reading, Run
from assay.checks.estimates import SRUN_S
from assay.checks.load import ranks_per_node
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.checks.subjects import each_ior_backend
from assay.subject import Subject
from assay.tools.io500 import HARD_TRANSFER_BYTES
from assay.tools.ior import TOOL, moved, parse
from assay.tools.output import Parsed, Sample, merged
from assay.units import Quantity

EASY_TRANSFER = Quantity(2, "MiB")
"""IOR's transfer size in the easy pattern, which suits every storage."""

HARD_TRANSFER = Quantity(HARD_TRANSFER_BYTES, "B")
"""IOR's transfer size in the hard pattern, which is not aligned."""

_PATH = DaosPath()


def write(name: str, unit: str, transfer: Quantity) -> Metric:
    """The bandwidth of a phase in which IOR writes."""
    return Metric(name, unit, _PATH.bandwidth, direction="write", transfer=transfer)


def read(name: str, unit: str, transfer: Quantity) -> Metric:
    """The bandwidth of a phase in which IOR reads."""
    return Metric(name, unit, _PATH.bandwidth, direction="read", transfer=transfer)


VERIFIED = "verified"
"""The repetition that verifies its data; its figures are ignored, since comparing takes time."""


SIGNATURE = 271
"""Seed of the verified data, that of IO500."""


def repetitions(count: int) -> Iterator[str]:
    """The names of the repetitions: one for each sample, then the one that verifies its data."""
    yield from map(str, range(1, count + 1))
    yield VERIFIED


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the samples, and the problems of all runs, including the one that verifies its data."""
    left = raw.of(subject)
    runs = {
        name: [_read(run, subject, left, f"{access}.{name}") for access in ("write", "read")]
        for name in repetitions(run.repetitions)
    }
    verified = merged(TOOL, runs.pop(VERIFIED))
    counted = merged(TOOL, (each for pair in runs.values() for each in pair))
    return merged(TOOL, [counted, Parsed(TOOL, (), verified.problems)])


def _steps(run: Run, _: Subject) -> Iterator[str]:
    return (
        f"{step}.{name}"
        for name in repetitions(run.repetitions)
        for step in ("write", "read", "clean")
    )


def _read(run: Run, subject: Subject, left: SubjectOutputs, name: str) -> Parsed:
    """Parse the summary of a phase, and the warnings in its other output."""
    return parse(
        "".join(left.text(name, kind) for kind in ("out", "err", "json")),
        expected_tasks=ranks_per_node(run.cluster, run.hosts, run.scale) * len(run.hosts),
        expected_nodes=len(run.hosts),
        intercepted_by=backend_of(subject).library,
        limit=limit_of_share(run.cluster, subject),
    )


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match a sample with a metric by phase: `write` and `read`."""
    return sample.metric == f"{metric.name}_bandwidth"


def _takes(run: Run) -> float:
    """Each repetition writes until the deadline, reads the same data, and cleans up."""
    each = 3 * SRUN_S + 2 * run.sizes["stonewall_s"]
    return len(run.subjects) * len(list(repetitions(run.repetitions))) * each


def transferred(left: SubjectOutputs, step: str) -> dict[str, float] | None:
    """The bytes that a step wrote and read, by the engines' names of these operations."""
    by_direction = moved(left.text(step, "json"))
    return by_direction and {"update": by_direction["write"], "fetch": by_direction["read"]}


_READING = Reading(_parsed, _steps, _is_sample_of, watches_engines=True, moved=transferred)

EASY = Check(
    "IorEasy",
    "endtoend",
    "system",
    ("client", "ior"),
    each_ior_backend,
    (
        replace(write("write", "MiB/s", EASY_TRANSFER), in_chain=True),
        replace(read("read", "MiB/s", EASY_TRANSFER), in_chain=True),
    ),
    scales={
        "quick": {"repetitions": 3, "stonewall_s": 2, "scratch_mib": 8192},
        # 30 s as in DAOS's own runs of IO500; the rules of IO500 require 300 s.
        "acceptance": {"repetitions": 5, "stonewall_s": 30, "scratch_mib": 65536},
    },
    reading=_READING,
    takes=_takes,
)

HARD = Check(
    "IorHard",
    "endtoend",
    "system",
    ("client", "ior"),
    each_ior_backend,
    (write("write", "MiB/s", HARD_TRANSFER), read("read", "MiB/s", HARD_TRANSFER)),
    scales={
        "quick": {"repetitions": 3, "stonewall_s": 2, "scratch_mib": 4096},
        "acceptance": {"repetitions": 5, "stonewall_s": 30, "scratch_mib": 32768},
    },
    reading=_READING,
    takes=_takes,
)
