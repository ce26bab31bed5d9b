"""The effect of a client's page cache on figures: IOR, with one more option against it each time.

No figure of this ladder is judged: its reason says whether it can be trusted, and why (after the
tutorial in IOR's documentation).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.checks.backends import ior_backends
from assay.checks.bounds.devices import MEBIBYTE, Direction
from assay.checks.entry import Check, Metric, Reading, Run
from assay.checks.estimates import DISK_MIB_S, SRUN_S
from assay.checks.figures import Unrated
from assay.checks.load import ranks_per_node
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.ior import TOOL, parse
from assay.tools.output import Parsed, merged


def each_cached_backend(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """One figure for all hosts together, by each backend that uses the kernel's page cache.

    There is none if engines or jobs of others run on the hosts: it would take memory from them.
    """
    if not cluster.jobs.exclusive:
        return ()
    system = cluster.daos
    if system is not None and set(system.servers) & set(cluster.members(partition)):
        return ()
    return tuple(
        Subject(partition, backend=backend.name)
        for backend in ior_backends(cluster)
        if backend.name in ("posix", "dfuse")
    )


def _metric(rung: str, direction: Direction, believed: str) -> Metric:
    rule = Unrated(believed)
    return Metric(f"{rung}_{direction}", "MiB/s", rule, direction=direction, transfer=MEBIBYTE)


_UNSYNCED = "not credible: what was written may still be in the client's memory"
_OWN_CACHE = "not credible: a process reads what its own client still has in memory"
_OTHERS = "not read by the client that wrote it; credible with two clients or more"
_SYNCED = "credible: its time includes fsync"

RUNGS = ("naive", "files", "shifted", "synced", "squeezed", "direct")
"""The ladder, which begins with IOR's defaults."""

_PHASES = {"write_bandwidth": "write", "read_bandwidth": "read"}


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse every run; samples are named after their rung: `naive_write` and `naive_read`."""
    left = raw.of(subject)
    return merged(
        TOOL, (_rung(run, left, rung, name) for rung in RUNGS for name in run.names(rung))
    )


def _steps(run: Run, _: Subject) -> Iterator[str]:
    return (name for rung in RUNGS for name in run.names(rung))


def _rung(run: Run, left: SubjectOutputs, rung: str, name: str) -> Parsed:
    output = "".join(left.text(name, kind) for kind in ("out", "err", "json"))
    tasks = ranks_per_node(run.cluster, run.hosts, run.scale) * len(run.hosts)
    parsed = parse(output, expected_tasks=tasks, expected_nodes=len(run.hosts))
    samples = tuple(
        replace(sample, metric=f"{rung}_{_PHASES[sample.metric]}") for sample in parsed.samples
    )
    return replace(parsed, samples=samples)


def _takes(run: Run) -> float:
    """Every rung writes and reads the data of all ranks."""
    mib = run.sizes["block_mib"] * ranks_per_node(run.cluster, run.hosts, run.scale)
    each = SRUN_S + 2 * mib / DISK_MIB_S
    return len(run.subjects) * len(RUNGS) * run.repetitions * each


PAGE_CACHE = Check(
    "PageCacheHonesty",
    "client",
    "system",
    ("client", "ior", "page_cache"),
    each_cached_backend,
    (
        _metric("naive", "write", _UNSYNCED),
        _metric("naive", "read", _OWN_CACHE),
        _metric("files", "write", _UNSYNCED),
        _metric("files", "read", _OWN_CACHE),
        _metric("shifted", "write", _UNSYNCED),
        _metric("shifted", "read", _OTHERS),
        _metric("synced", "write", _SYNCED),
        _metric("synced", "read", _OTHERS),
        _metric("squeezed", "write", _SYNCED),
        _metric(
            "squeezed",
            "read",
            "credible as far as the files are larger than the remaining memory",
        ),
        _metric("direct", "write", _SYNCED),
        _metric(
            "direct",
            "read",
            "credible: past the page cache (O_DIRECT), but few programs read like this",
        ),
    ),
    scales={
        "quick": {"repetitions": 3, "block_mib": 32},
        "acceptance": {"repetitions": 5, "block_mib": 4096},
    },
    reading=Reading(_parsed, _steps),
    takes=_takes,
)
