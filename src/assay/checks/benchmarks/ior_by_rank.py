"""Each rank of a DAOS system alone, measured with IOR in a pool of its own.

A figure of all engines together shows that one is slow, at most; this one shows which. A pool on
one rank keeps all data there, as in DAOS's own `ior_per_rank`
(src/tests/ftest/deployment/ior_per_rank.py): an object class could not choose the rank.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.benchmarks.ior import VERIFIED, repetitions, transferred
from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.daos_path import DaosPath, objects
from assay.checks.entry import Check, Metric, Reading, Run
from assay.checks.estimates import FABRIC_MIB_S, RPCS_S, SRUN_S
from assay.checks.load import ranks_per_node
from assay.checks.pairs import clients_by_rank
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_engine
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.daos.pools import size_bytes
from assay.tools.ior import TOOL, parse
from assay.tools.output import Parsed, Sample, merged
from assay.units import Quantity

LABEL = "assay-rank-"
"""The beginning of the labels of these pools; the number of the rank follows."""

ROOM = 12
"""The size of a pool in multiples of what a run writes. All runs together then fill about half of
it: nothing must be removed between them, which DAOS would do later, during another run, and no
target gets so full that DAOS slows writes down (60 %). This project's own choice."""

SMALLER = 16
"""A run of large transfers writes so many times as much as one of 4 KiB (own choice). Runs of
smaller transfers have as many operations as that one."""

_PATH = DaosPath(stored=objects)

INLINE = Quantity(256, "B")
"""Values that stay in SCM, so that engine and fabric are measured without the SSDs.

Source: the small transfers of DAOS's own `ior_per_rank`.
"""

LARGE = (
    Metric("write_1m", "MiB/s", _PATH.bandwidth, direction="write", transfer=MEBIBYTE),
    Metric("read_1m", "MiB/s", _PATH.bandwidth, direction="read", transfer=MEBIBYTE),
)
SMALL = (
    Metric("write_4k", "IO/s", _PATH.rate, direction="write", transfer=IO, in_flight=1),
    Metric("read_4k", "IO/s", _PATH.rate, direction="read", transfer=IO, in_flight=1),
    Metric("write_256b", "IO/s", _PATH.rate, direction="write", transfer=INLINE, in_flight=1),
    Metric("read_256b", "IO/s", _PATH.rate, direction="read", transfer=INLINE, in_flight=1),
)


def pool_of(rank: int) -> str:
    """The label of a rank's pool."""
    return f"{LABEL}{rank}"


def is_possible(cluster: Cluster) -> bool:
    """Whether the site has IOR with DFS; it must also allow a pool on each rank."""
    return cluster.benchmarks.ior is not None and "DFS" in cluster.benchmarks.ior_apis


def each_rank(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for every engine, if the site allows a pool on each rank."""
    if cluster.daos is None or cluster.daos.rank_pool_size is None:
        return ()
    return each_engine(cluster, partition)


def block_bytes(run: Run, subject: Subject, metric: Metric) -> int:
    """What each process writes for a sample: whole transfers, the same for all ranks."""
    assert run.cluster.daos
    assert metric.transfer
    size = size_bytes(run.cluster.daos.rank_pool_size)
    assert size
    transfer = int(metric.transfer.to("B").value)
    share = size / ROOM
    if metric in SMALL:
        share *= transfer / IO.to("B").value / SMALLER
    return max(1, int(share / processes(run, subject) / transfer)) * transfer


def processes(run: Run, subject: Subject) -> int:
    """The processes of a rank's clients together."""
    clients = clients_by_rank(run.cluster).partners[subject]
    return len(clients) * ranks_per_node(run.cluster, run.hosts, run.scale)


def names(run: Run) -> Iterator[tuple[str, Metric]]:
    """The steps with IOR of a rank, and the metric of each; the last two verify their data."""
    for number in repetitions(run.repetitions):
        for metric in LARGE if number == VERIFIED else (*LARGE, *SMALL):
            yield f"{metric.name}.{number}", metric


def read(run: Run, subject: Subject, metric: Metric, text: str) -> Parsed:
    """Parse a run of IOR; its sample has the metric's name and unit."""
    parsed = parse(
        text,
        expected_tasks=processes(run, subject),
        expected_nodes=len(clients_by_rank(run.cluster).partners[subject]),
    )
    each = 1.0
    if metric in SMALL:
        assert metric.transfer
        each = Quantity(1, "MiB").to("B").value / metric.transfer.to("B").value
    samples = tuple(
        Sample(metric.name, sample.value * each, metric.unit, sample.labels)
        for sample in parsed.samples
        if sample.metric == f"{metric.direction}_bandwidth"
    )
    return Parsed(TOOL, samples, parsed.problems)


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    left = raw.of(subject)
    runs = []
    for name, metric in names(run):
        text = "".join(left.text(name, kind) for kind in ("out", "err", "json"))
        parsed = read(run, subject, metric, text)
        counts = not name.endswith(VERIFIED)
        runs.append(parsed if counts else Parsed(TOOL, (), parsed.problems))
    return merged(TOOL, runs)


def _steps(run: Run, _: Subject) -> Iterator[str]:
    yield "container"
    yield from (name for name, _ in names(run))


POOL_S = 3.0
"""Time in which dmg makes a pool, or destroys it."""

AT_ONCE = 8
"""Number of pools that dmg makes at once."""


def _takes(run: Run) -> float:
    """The pools come and go, and the ranks of a round run at once."""
    design = clients_by_rank(run.cluster)
    first = run.subjects[0]
    seconds = 2 * POOL_S * len(run.subjects) / AT_ONCE
    for _, metric in names(run):
        assert metric.transfer
        moved = block_bytes(run, first, metric) * processes(run, first)
        rate = RPCS_S * metric.transfer.to("MiB").value if metric in SMALL else FABRIC_MIB_S
        seconds += len(design.rounds) * (SRUN_S + moved / 2**20 / rate)
    return seconds


IOR_BY_RANK = Check(
    "IorByRank",
    "endtoend",
    "system",
    ("client", "daos", "ior_by_rank"),
    each_rank,
    (*LARGE, *SMALL),
    # Pools on each rank come and go, which a trial in minutes does not do.
    scales={"acceptance": {"repetitions": 5}},
    reading=Reading(_parsed, _steps, watches_engines=True, of_one_rank=True, moved=transferred),
    takes=_takes,
)
