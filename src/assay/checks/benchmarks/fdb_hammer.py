"""ECMWF's FDB, measured with fdb-hammer: on a file system, and in a pool of DAOS."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from assay.checks.benchmarks.fio import OnDisk
from assay.checks.bounds import Limit
from assay.checks.bounds.devices import MEBIBYTE, Direction
from assay.checks.daos_path import DaosPath, objects
from assay.checks.entry import (
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Rule,
    Run,
    each_sample,
)
from assay.checks.estimates import DISK_MIB_S, SRUN_S
from assay.checks.figures import Unrated, within
from assay.checks.load import of_scale
from assay.checks.raw import RawOutputs
from assay.checks.references import OWN
from assay.checks.subjects import each_scratch
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.fdb_hammer import TOOL, Fields, Layout, parse
from assay.tools.output import Parsed, Sample, merged
from assay.units import Quantity

POSIX_PROCESSES = 4
"""Processes on a client: several at once, but no more than a small client can run."""

FIELDS_OF_A_CORE: Mapping[Direction, Quantity] = {
    "write": Quantity(125, "MiB/s"),
    "read": Quantity(333, "MiB/s"),
}
"""The bandwidth of one core with `--full-check`: the MD5 sums of a field of 1 MiB take 8 ms if it
is written and 3 ms if it is read (seen with FDB 5.22)."""

DAOS_PROCESSES: Mapping[str, int] = {"quick": 10, "acceptance": 200}
"""Maximum number of processes on all clients of DAOS together, by scale. From 200 on, opening one
container from all of them was seen to be slow (Jackson and Manubens, DUG'23)."""


def daos_processes(cluster: Cluster, containers: int, scale: str) -> int:
    """Number of processes on all clients of DAOS together, at most one per core.

    Either they share the containers, or each process has the same number of its own.
    """
    cores = min(cluster.hosts[name].cores for name in cluster.clients) * len(cluster.clients)
    most = min(of_scale(DAOS_PROCESSES, scale), cores)
    if containers <= most:
        return most
    return max(count for count in range(1, most + 1) if containers % count == 0)


def each_number_of_containers(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """One figure for all hosts together, by each number of containers."""
    if cluster.daos is None or cluster.daos.pool is None:
        return ()
    if cluster.benchmarks.fdb_hammer_daos is None:
        return ()
    return tuple(
        Subject(partition, containers=count)
        for count in dict.fromkeys(cluster.benchmarks.fdb_containers)
    )


def each_number_of_shared_containers(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The same for fewer containers than processes; with more, no two processes share an index."""
    most = max(DAOS_PROCESSES.values())
    return tuple(
        subject
        for subject in each_number_of_containers(cluster, partition)
        if subject.containers is not None and subject.containers < most
    )


def _checked_fields(cluster: Cluster, requirement: Requirement) -> Limit:
    direction = requirement.metric.direction
    assert direction
    cores = min(cluster.hosts[requirement.host].cores, POSIX_PROCESSES)
    one = FIELDS_OF_A_CORE[direction]
    checked = Quantity(cores * one.value, one.unit)
    return Limit("the cores", checked, f"what {cores} cores check, {checked}", OWN)


_DISK = OnDisk(_checked_fields)


def _on_each_client(cluster: Cluster, scale: str) -> int:
    """The most processes that a client has, whatever the number of containers."""
    return math.ceil(daos_processes(cluster, 1, scale) / len(cluster.clients))


_PATH = DaosPath(_on_each_client, stored=objects)


_OPENED_ALONE = "no lower layer opens a database"


def _opening(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """Require at most the time that loading and opening a database took where it was tried."""
    return within(cluster, requirement, None, _OPENED_ALONE)


def _metrics(moving: Rule, opening: Rule) -> tuple[Metric, ...]:
    """Metrics of fields of almost 1 MiB, and the time until all processes have their databases."""
    return (
        Metric("write", "MiB/s", moving, direction="write", transfer=MEBIBYTE),
        Metric("read", "MiB/s", moving, direction="read", transfer=MEBIBYTE),
        Metric("write_open", "s", opening, better="lower"),
        Metric("read_open", "s", opening, better="lower"),
    )


# How a sample is taken and read.

PHASES = ("write", "read")


def _fields(run: Run) -> Fields:
    """The fields of each process, over all of its databases."""
    return Fields(per_step=run.sizes["fields_per_step"], steps=run.sizes["field_steps"])


def layout(run: Run, subject: Subject, *, separate_index: bool = False) -> Layout:
    """The containers that the processes share, or those that each process has for itself."""
    containers = subject.containers
    assert containers
    processes = daos_processes(run.cluster, containers, run.scale)
    return Layout(containers, separate_index, max(1, containers // processes))


def fields_in_each(run: Run, subject: Subject) -> Fields:
    """The fields of a process in each of its containers."""
    return _fields(run).over(layout(run, subject).of_each)


def _load_on_disk(run: Run, subject: Subject) -> tuple[int, int]:
    del subject
    return POSIX_PROCESSES, _fields(run).bytes


def load_in_daos(run: Run, subject: Subject) -> tuple[int, int]:
    """Number of processes, and the bytes that each moves in a phase."""
    containers = subject.containers
    assert containers
    moved = layout(run, subject).of_each * fields_in_each(run, subject).bytes
    return daos_processes(run.cluster, containers, run.scale), moved


def _reading(load: Callable[[Run, Subject], tuple[int, int]]) -> Reading:
    def parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
        """Parse the global timing of each phase, its time to open, and each process's figures."""
        left = raw.of(subject)
        ran = {step.name: step for step in left.steps()}
        processes, moved = load(run, subject)
        return merged(
            TOOL,
            (
                parse(
                    left.printed(name),
                    expected_processes=processes,
                    expected_bytes=moved,
                    started=ran[name].start,
                    ended=ran[name].end,
                )
                if name in ran
                else Parsed(TOOL, (), (f"{name} left no record",))
                for number in run.times
                for name in (f"{phase}.{number}" for phase in PHASES)
            ),
        )

    return Reading(parsed, each_sample(*PHASES), _is_sample_of)


_FIGURES = {"write": "write_bandwidth", "read": "read_bandwidth"}
"""The parser's name of the bandwidth of a phase, for all processes together."""


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match a sample with a metric by phase, for all processes together."""
    return sample.metric == _FIGURES.get(metric.name, metric.name)


_START_S = 1.0
"""Time to load fdb-hammer and its libraries, and to open its databases."""


def _of_fields(fields: int, processes: int, cores: int) -> float:
    """Time to write and to read fields, by the rate of one core."""
    turns = max(1.0, processes / cores)
    return turns * sum(fields / one.value for one in FIELDS_OF_A_CORE.values())


def _takes_on_disk(run: Run) -> float:
    fields = _fields(run)
    count = fields.per_step * fields.steps
    cores = min(run.cluster.hosts[name].cores for name in run.hosts)
    moved = 2 * POSIX_PROCESSES * count / DISK_MIB_S
    each = 2 * _START_S + _of_fields(count, POSIX_PROCESSES, cores) + moved
    return run.repetitions * each


def _takes_in_daos(run: Run) -> float:
    """Each number of containers is run separately; a sample's containers are destroyed after it."""
    seconds = 0.0
    for subject in run.subjects:
        fields = fields_in_each(run, subject)
        count = fields.per_step * fields.steps * layout(run, subject).of_each
        seconds += 2 * (SRUN_S + _START_S) + _of_fields(count, 1, 1)
        seconds += 0.5 * (subject.containers or 1)
    return run.repetitions * seconds


_OF_DISK = _reading(_load_on_disk)
# Each process makes the container of its database if it finds none, and the engine refuses all but
# the first (src/container/srv_container.c of DAOS 2.8).
_OF_DAOS = replace(
    _reading(load_in_daos),
    watches_engines=True,
    own_errors=frozenset({("container", ": non-unique label: ")}),
)

_DISK_SCALES = {
    "quick": {"repetitions": 5, "fields_per_step": 16, "field_steps": 4},
    "acceptance": {"repetitions": 11, "fields_per_step": 64, "field_steps": 16},
}
_DAOS_SCALES = {
    "quick": {"repetitions": 3, "fields_per_step": 16, "field_steps": 4},
    "acceptance": {"repetitions": 5, "fields_per_step": 64, "field_steps": 16},
}

_ON_DISK = _metrics(_DISK.bandwidth, _opening)
_IN_DAOS = _metrics(_PATH.bandwidth, Unrated(_OPENED_ALONE))

POSIX, POSIX_SEPARATE = (
    Check(
        name,
        "endtoend",
        "raw",
        ("client", "fdb_hammer"),
        each_scratch,
        _ON_DISK,
        scales=_DISK_SCALES,
        reading=_OF_DISK,
        takes=_takes_on_disk,
    )
    for name in ("FdbHammer", "FdbHammerSeparate")
)
DAOS = Check(
    "FdbHammerDaos",
    "endtoend",
    "system",
    ("client", "fdb_daos"),
    each_number_of_containers,
    _IN_DAOS,
    scales=_DAOS_SCALES,
    reading=_OF_DAOS,
    takes=_takes_in_daos,
)
DAOS_SEPARATE = Check(
    "FdbHammerDaosSeparate",
    "endtoend",
    "system",
    ("client", "shared_fdb_daos"),
    each_number_of_shared_containers,
    _IN_DAOS,
    scales=_DAOS_SCALES,
    reading=_OF_DAOS,
    takes=_takes_in_daos,
)
