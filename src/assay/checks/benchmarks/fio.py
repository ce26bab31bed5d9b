"""fio: the scratch disk and the file system on it, a tmpfs in place of SCM, and DAOS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import median

from assay.checks import from_disk
from assay.checks.backends import backend_of
from assay.checks.bounds import Limit
from assay.checks.bounds.devices import IO, MEBIBYTE, Direction, memory
from assay.checks.daos_path import DaosPath
from assay.checks.entry import (
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Run,
    credible,
)
from assay.checks.estimates import DISK_MIB_S, FABRIC_MIB_S, SRUN_S, START_S, busiest
from assay.checks.figures import nothing, standing_on
from assay.checks.load import of_scale
from assay.checks.memory import MemoryRules
from assay.checks.raw import RawOutputs
from assay.checks.ssd import SsdRules
from assay.checks.subjects import (
    each_disk,
    each_engine,
    each_host,
    each_mount_backend,
    each_ram_engine,
    each_scratch,
)
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.daos.interception import problems as not_intercepted
from assay.tools.fio import TOOL, parse
from assay.tools.output import Parsed, Sample, merged
from assay.units import Quantity

# How a run is read: each subject has one job file, whose phases have the names of the metrics.


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FioMetric(Metric):
    """A metric, and how fio measures it: the job file, the time that it takes, and its reading."""

    random: bool = False
    """Whether the blocks are in random order."""
    timed_by: str | None = None
    """The variable with its seconds; None: until the file is covered once."""
    fsync: bool = False
    """Whether it ends with fsync, within the measured time."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The size of the file, and the time of what does not cover it."""
        return ("file_mib", self.timed_by) if self.timed_by else ("file_mib",)

    def step(self, figure: float, sizes: Mapping[str, int]) -> float:
        """What one millisecond changes: fio divides what it moved by whole milliseconds."""
        if self.timed_by or self.unit != "MiB/s" or not sizes.get("file_mib"):
            return 0.0
        return figure**2 / (sizes["file_mib"] * 1000)


def phases(check: Check) -> Iterator[FioMetric]:
    """The phases of a check of fio, in order."""
    return (metric for metric in check.metrics if isinstance(metric, FioMetric))


STEP = "fio"
"""The only step of a subject."""

_FIGURES: Mapping[str, str] = {"MiB/s": "bandwidth", "IO/s": "rate", "us": "latency"}
"""The name of fio's figure by its unit."""


def _parsed(_: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse every figure of the run; reading data that the run did not write is a problem."""
    return parse(raw.of(subject).text(STEP, "json"), written_here=True)


def _parsed_intercepted(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the figures, and check that the library intercepted calls."""
    figures, library = _parsed(run, subject, raw), backend_of(subject).library
    if library is None:
        return figures
    problems = tuple(not_intercepted(raw.of(subject).printed(STEP), library, processes=1))
    return merged(TOOL, [figures, Parsed(TOOL, (), problems)])


def _parsed_from_disk(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the figures, and check that what was read came from the disk."""
    figures = _parsed(run, subject, raw)
    read = sum(
        int(each.labels["bytes"]) for each in figures.samples if each.metric == "read_bandwidth"
    )
    problems = from_disk.problems(raw.of(subject), STEP, read)
    return merged(TOOL, [figures, Parsed(TOOL, (), problems)])


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match a sample with a metric by phase and figure."""
    figure = f"{metric.direction}_{_FIGURES[metric.unit]}"
    return (sample.labels["phase"], sample.metric) == (metric.name, figure)


def _steps(_: Run, __: Subject) -> tuple[str]:
    return (STEP,)


_READING = Reading(_parsed, _steps, _is_sample_of)
_READING_DISK = Reading(_parsed_from_disk, _steps, _is_sample_of, counts_reads=True)


def _each(run: Run, covered_s: float) -> float:
    """The time of one sample of every metric, if covering the files takes `covered_s`."""
    return sum(run.sizes[p.timed_by] if p.timed_by else covered_s for p in phases(run.check))


def _takes(run: Run) -> float:
    """The time to lay out and then cover files at the speed of a disk, and of timed phases."""
    covered = run.sizes["file_mib"] / DISK_MIB_S
    samples = run.repetitions * _each(run, covered)
    return busiest(run.subjects) * (START_S + covered + samples)


def _takes_in_daos(run: Run) -> float:
    """All clients run at once, each with one file per process."""
    mib = run.sizes["file_mib"] * of_scale(PROCESSES, run.scale) * len(run.hosts)
    engines = max(1, len(each_engine(run.cluster, "clients")))
    covered = mib / (FABRIC_MIB_S * min(engines, len(run.hosts)))
    samples = run.repetitions * _each(run, covered)
    return busiest(run.subjects) * (SRUN_S + covered + samples)


# The scratch disk.

_DISK = SsdRules(
    lambda host: host.scratch.ssd if host.scratch else None,
    "no SSD is named for the scratch directory",
)


def _on_the_disk(name: str, direction: Direction, size: Quantity) -> FioMetric:
    """Bandwidth of the whole file in order, or rate of small blocks in random order."""
    random = size == IO
    return FioMetric(
        name,
        "IO/s" if random else "MiB/s",
        _DISK.rate if random else _DISK.bandwidth,
        direction=direction,
        transfer=size,
        in_flight=64 if random else 16,
        in_chain=size == MEBIBYTE,
        random=random,
        timed_by="random_s" if random else None,
    )


DISK = Check(
    "SsdFio",
    "ssd",
    "raw",
    ("disk", "fio"),
    each_disk,
    (
        _on_the_disk("write_1m", "write", MEBIBYTE),
        _on_the_disk("read_1m", "read", MEBIBYTE),
        _on_the_disk("randwrite_4k", "write", IO),
        _on_the_disk("randread_4k", "read", IO),
    ),
    scales={
        "quick": {"repetitions": 5, "file_mib": 512, "random_s": 1},
        "acceptance": {"repetitions": 11, "file_mib": 16384, "random_s": 30},
    },
    reading=_READING_DISK,
    takes=_takes,
)


# What uses that disk: the file system of this module, and the programs of other modules on it.


def stands_on(cluster: Cluster, requirement: Requirement) -> Requirement | None:
    """The requirement of direct I/O in the same direction on the same disk, if the plan has it."""
    host = cluster.hosts[requirement.host]
    if host.scratch is None or cluster.benchmarks.fio is None:
        return None
    assert requirement.metric.direction
    below = DISK.in_chain(requirement.metric.direction)
    partition: Partition = "servers" if requirement.host in cluster.servers else "clients"
    return Requirement(DISK.name, DISK.layer, partition, below, Subject(requirement.host))


DISK_CEILING = 5.0
"""Allowed ratio of a file's bandwidth to the best direct I/O on its disk (own choice).

An idle virtual disk gave up to 2.3 times as much through the page cache as to direct I/O of 16 MiB
in flight, and 3.3 times while other work came and went. Memory gave 4.6 to 8 times as much; what
comes from there is recognised by other means, and this is for a wrong unit.
"""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """The rule of a bandwidth that is limited by direct I/O on the same disk."""

    program_limit: Callable[[Cluster, Requirement], Limit | None] = lambda *_: None
    """The limit of the program itself, only for the floor, since a faster core is plausible."""

    def bandwidth(
        self, cluster: Cluster, requirement: Requirement, measured: Measured
    ) -> Expectation:
        """Bound the bandwidth by the measured figure of the disk, and require nearly as much."""
        unit, below = requirement.unit, stands_on(cluster, requirement)
        if below is None:
            why = f"direct I/O on {requirement.host}'s scratch disk is not in the plan"
            return nothing(requirement, why)
        lower = measured.own(below)
        if lower is None:
            return nothing(requirement, f"{below.key} has not been measured")
        samples = lower.samples
        best, usual, usually = max(credible(samples)), median(samples), "their median"
        program = self.program_limit(cluster, requirement)
        if program is not None and program.value.to(unit).value < usual:
            usual, usually = program.value.to(unit).value, program.made_of
        where = lower.instead or "on the same disk"
        made_of = f"best of {len(samples)} samples of direct I/O {where}"
        disk = Limit("the disk", Quantity(best, unit), made_of, lower.key)
        reach = Limit(usually, Quantity(usual, unit), usually, lower.key)
        return standing_on(cluster, requirement, [disk], reach, DISK_CEILING)


POSIX = Check(
    "PosixFio",
    "endtoend",
    "raw",
    ("client", "fio"),
    each_scratch,
    (
        FioMetric(
            "write_1m",
            "MiB/s",
            OnDisk().bandwidth,
            direction="write",
            transfer=MEBIBYTE,
            in_chain=True,
            fsync=True,
        ),
        FioMetric(
            "read_1m",
            "MiB/s",
            OnDisk().bandwidth,
            direction="read",
            transfer=MEBIBYTE,
            in_chain=True,
        ),
    ),
    scales={
        "quick": {"repetitions": 5, "file_mib": 512},
        "acceptance": {"repetitions": 11, "file_mib": 16384},
    },
    reading=_READING_DISK,
    takes=_takes,
)


# A tmpfs in place of SCM, written and read by the CPU.

_DRAM = MemoryRules(lambda cluster, requirement: memory(cluster, cluster.hosts[requirement.host]))


def _in_dram(name: str, direction: Direction, size: Quantity) -> FioMetric:
    """For a fixed time, over a complete file, since memory is fast."""
    small = size == IO
    return FioMetric(
        name,
        "IO/s" if small else "MiB/s",
        _DRAM.rate if small else _DRAM.bandwidth,
        direction=direction,
        transfer=size,
        random=small,
        timed_by="phase_s",
    )


TMPFS = Check(
    "ScmFio",
    "scm",
    "scm",
    ("server", "ram_tier", "fio"),
    each_ram_engine,
    (
        _in_dram("write_1m", "write", MEBIBYTE),
        _in_dram("read_1m", "read", MEBIBYTE),
        _in_dram("write_4k", "write", IO),
        _in_dram("read_4k", "read", IO),
    ),
    scales={
        "quick": {"repetitions": 5, "file_mib": 256, "phase_s": 1},
        "acceptance": {"repetitions": 11, "file_mib": 768, "phase_s": 10},
    },
    reading=_READING,
    takes=_takes,
)


# DAOS, by fio's own engine and on a dfuse mount.

PROCESSES: Mapping[str, int] = {"quick": 2, "acceptance": 16}
"""Processes of fio on each client of DAOS, by scale."""


def _processes(_: Cluster, scale: str) -> int:
    return of_scale(PROCESSES, scale)


_DAOS = DaosPath(processes=_processes)
_MOUNT = DaosPath(processes=_processes, threads=True)


def _through_daos(path: DaosPath, in_flight: int) -> tuple[FioMetric, ...]:
    """The metrics of processes with `in_flight` I/Os in flight; for the latency it is one.

    1 MiB over the whole file, then 4 KiB for a fixed time, then one at a time for latency.
    """

    def phase(name: str, direction: Direction, size: Quantity) -> FioMetric:
        small = size == IO
        return FioMetric(
            name,
            "IO/s" if small else "MiB/s",
            path.rate if small else path.bandwidth,
            direction=direction,
            transfer=size,
            in_flight=in_flight,
            in_chain=not small,
            random=small,
            timed_by="small_s" if small else None,
        )

    return (
        phase("write_1m", "write", MEBIBYTE),
        phase("read_1m", "read", MEBIBYTE),
        phase("randwrite_4k", "write", IO),
        phase("randread_4k", "read", IO),
        FioMetric(
            "latency_4k",
            "us",
            path.latency,
            better="lower",
            direction="read",
            transfer=IO,
            in_flight=1,
            random=True,
            timed_by="small_s",
        ),
    )


_DAOS_SCALES = {
    "quick": {"repetitions": 3, "file_mib": 64, "small_s": 2},
    "acceptance": {"repetitions": 5, "file_mib": 4096, "small_s": 30},
}
"""Each process has a file, which it writes completely before it reads."""

DFS = Check(
    "FioDfs",
    "endtoend",
    "system",
    ("client", "fio_dfs"),
    each_host,
    _through_daos(_DAOS, 16),
    scales=_DAOS_SCALES,
    reading=replace(_READING, watches_engines=True),
    takes=_takes_in_daos,
)

DFUSE = Check(
    "FioDfuse",
    "endtoend",
    "system",
    ("client", "fio", "mount"),
    each_mount_backend,
    _through_daos(_MOUNT, 1),
    scales=_DAOS_SCALES,
    reading=Reading(_parsed_intercepted, _steps, _is_sample_of, watches_engines=True),
    takes=_takes_in_daos,
)
