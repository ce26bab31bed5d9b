"""One run of a check on a partition with the sizes of its scale: its reading, and its time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.output import Parsed, Sample

if TYPE_CHECKING:
    from assay.checks.entry import Check, Metric

IN_FLIGHT = "in_flight."
"""Prefix of the operations in flight of a metric, among the sizes of a run."""


@dataclass(frozen=True, slots=True)
class Run:
    """A check on a partition, with the values of its variables."""

    cluster: Cluster
    check: Check
    partition: Partition
    scale: str
    sizes: Mapping[str, int]
    """Values by variable; operations in flight by ``in_flight.METRIC``."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the partition."""
        return self.cluster.members(self.partition)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The subjects of the check there."""
        return self.check.subjects(self.cluster, self.partition)

    @property
    def repetitions(self) -> int:
        """Samples of each metric."""
        return self.sizes["repetitions"]

    @property
    def times(self) -> range:
        """The numbers of the samples, from 1."""
        return range(1, self.repetitions + 1)

    def names(self, step: str) -> Iterator[str]:
        """The names of a step that is run for each sample: ``run.1``, ``run.2`` ..."""
        return (f"{step}.{number}" for number in self.times)

    def in_flight(self, metric: Metric) -> int:
        """Operations in flight of a metric."""
        return self.sizes.get(IN_FLIGHT + metric.name, metric.in_flight or 1)


def run_of(
    cluster: Cluster,
    check: Check,
    partition: Partition,
    scale: str,
    changed: Mapping[str, int] | None = None,
) -> Run:
    """A run with the sizes of the catalogue, except for the changed variables."""
    in_flight = {IN_FLIGHT + each.name: each.in_flight for each in check.metrics if each.in_flight}
    sizes = {**check.scales[scale], **in_flight, **(changed or {})}
    return Run(cluster, check, partition, scale, sizes)


# Estimates of times, each this project's own choice. They are used for plans, and never for a limit
# or a verdict.

JOB_S = 3.0
"""Time that ReFrame and Slurm add to the steps of a job (2 to 5 s were seen)."""

START_S = 0.3
"""Time to start a program on its own host."""

SRUN_S = 0.7
"""Time to start a program with srun, on hosts that wait for each other."""

DISK_MIB_S = 1000.0
"""Assumed bandwidth of an undescribed disk: an SSD on SATA has half of it, one on PCIe three times
as much."""

RPCS_S = 100_000.0
"""Rate of small RPCs of a client, or of an engine, with many in flight."""

FABRIC_MIB_S = 5_000.0
"""Bandwidth of an engine, or a client, on the network of a storage system."""


def busiest(subjects: Iterable[Subject]) -> int:
    """Maximum number of subjects on one host; the subjects of a host take turns."""
    return max(Counter(subject.host for subject in subjects).values(), default=0)


def by_name(metric: Metric, sample: Sample) -> bool:
    """Whether a sample has the name of a metric."""
    return sample.metric == metric.name


Steps = Callable[[Run, Subject], Iterable[str]]
"""The names of the steps that a job runs for a subject, in their order."""


def each_sample(*steps: str) -> Steps:
    """Steps that are run one after the other for each sample."""
    return lambda run, _: (f"{step}.{number}" for number in run.times for step in steps)


@dataclass(frozen=True, slots=True)
class Reading:
    """How raw outputs become samples."""

    parsed: Callable[[Run, Subject, RawOutputs], Parsed]
    """Parses the outputs of a subject."""
    steps: Steps
    """The steps that left them."""
    is_sample_of: Callable[[Metric, Sample], bool] = by_name
    """Whether a sample is one of a metric."""
    watches_engines: bool = False
    """Whether the job reads the engines' metrics, before its steps and after each."""
    counts_reads: bool = False
    """Whether the kernel counts what its steps read from storage on their own host."""
    of_one_rank: bool = False
    """Whether each subject is an engine that is measured alone. Then only its own rank counts, and
    the ranks of all subjects are compared, step by step."""
    pool: Literal["pool", "perf_pool"] = "pool"
    """The pool that it writes to, by its key in the description of DAOS, with which the names of
    the answers about it begin. One of each rank alone writes to none of these."""
    moved: Callable[[SubjectOutputs, str], Mapping[str, float] | None] | None = None
    """Bytes of its own data that a step reports as moved, by operation (`update`, `fetch`); None if
    it does not report them."""
    own_errors: frozenset[tuple[str, str]] = frozenset()
    """What engines log as errors of a check that is well: a part of DAOS, and what the message
    contains."""

    def expects(self, facility: str, message: str) -> bool:
        """Whether an error in an engine's log is of those."""
        return any(facility == each and words in message for each, words in self.own_errors)
