"""One run of a check on a partition, as its scale has it: how it is read, and how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.checks.raw import RawOutputs
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.output import Parsed, Sample

if TYPE_CHECKING:
    from assay.checks.entry import Check, Metric

IN_FLIGHT = "in_flight."
"""How the operations in flight of a metric are called among the sizes of a run."""


@dataclass(frozen=True, slots=True)
class Run:
    """A check on a partition, with what its variables were set to."""

    cluster: Cluster
    check: Check
    partition: Partition
    scale: str
    sizes: Mapping[str, int]
    """By variable; operations in flight by ``in_flight.METRIC``."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the partition."""
        return self.cluster.members(self.partition)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Of what the check is required there."""
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
    """A run as the catalogue has it, with the variables that were set differently."""
    in_flight = {IN_FLIGHT + each.name: each.in_flight for each in check.metrics if each.in_flight}
    sizes = {**check.scales[scale], **in_flight, **(changed or {})}
    return Run(cluster, check, partition, scale, sizes)


def by_name(metric: Metric, sample: Sample) -> bool:
    """Whether a sample has the name of a metric."""
    return sample.metric == metric.name


@dataclass(frozen=True, slots=True)
class Reading:
    """How raw outputs become samples."""

    parsed: Callable[[Run, Subject, RawOutputs], Parsed]
    """What the outputs of a subject hold."""
    is_sample_of: Callable[[Metric, Sample], bool] = by_name
    """Whether a sample is one of a metric."""
