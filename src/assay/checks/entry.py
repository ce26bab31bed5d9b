"""An entry of the catalogue: a check, its metrics, and its requirements of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from assay.checks.bounds.devices import Direction
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.units import Quantity

if TYPE_CHECKING:
    from assay.checks.figures import Expectation, Measured
    from assay.checks.run import Reading, Run

Layer = Literal["network", "scm", "ssd", "client", "endtoend", "metadata"]
LAYERS: tuple[Layer, ...] = ("network", "scm", "ssd", "client", "endtoend", "metadata")
"""The layers, from the bottom up; later layers may be judged by figures of earlier ones."""

Phase = Literal["raw", "scm", "system"]
PHASES: tuple[Phase, ...] = ("raw", "scm", "system")
"""The states of a DAOS system that checks need, in the order of a campaign: engines stopped; the
same, with their SCM mounted; all ranks joined. Without DAOS a cluster is in all of them."""

Subjects = Callable[[Cluster, Partition], tuple[Subject, ...]]

Rule = Callable[[Cluster, "Requirement", "Measured"], "Expectation"]
"""The rule that bounds a metric: a pure function of the cluster and of the layers below."""

SCALES = ("quick", "acceptance")

Scales = Mapping[str, Mapping[str, int]]
"""Scale to the variables of a check: `quick` for a trial in minutes, `acceptance` for figures to
sign. A check without `quick` is required at `acceptance` only. `repetitions` is the number of
samples of each metric (this project's own choice; a median of 5 has an interval)."""


# Compared and hashed by identity: a large campaign looks up its requirements a million times.
@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One named figure of a check."""

    name: str
    unit: str
    rule: Rule
    better: Literal["higher", "lower"] = "higher"
    direction: Direction | None = None
    """Whether the benchmark writes to the storage or reads from it; None if it does neither."""
    transfer: Quantity | None = None
    """Size of each operation."""
    in_flight: int | None = None
    """Operations in flight in each process, or in each client of an RPC test."""
    provider: str | None = None
    """The provider of the measurement, if it is not the cluster's; the floor depends on it."""

    def __deepcopy__(self, _: object) -> Metric:
        # ReFrame copies a check before it runs it; a copy would be another metric.
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """One ReFrame check: its metrics, and where they are required."""

    name: str
    """The name of its class in `reframe-checks/`."""
    layer: Layer
    phase: Phase
    needs: tuple[str, ...]
    """The features that a partition must have."""
    subjects: Subjects
    metrics: tuple[Metric, ...]
    scales: Scales
    reading: Reading
    """How its raw outputs become samples."""
    takes: Callable[[Run], float]
    """Estimated time of the steps of its job, in seconds, on idle hosts."""

    def __deepcopy__(self, _: object) -> Check:
        return self  # as a metric

    @property
    def features(self) -> tuple[str, ...]:
        """What a partition must have, including the phase."""
        return (*self.needs, self.phase)

    def has(self, scale: str) -> bool:
        """Whether the check is required at a scale; what is no scale leaves no check out."""
        return scale not in SCALES or scale in self.scales

    def metric(self, name: str) -> Metric:
        """The metric with a name.

        Raises:
            KeyError: the check has no metric with that name.
        """
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One metric of one subject that a cluster must show."""

    check: str
    layer: Layer
    partition: Partition
    metric: Metric
    subject: Subject

    @property
    def name(self) -> str:
        """The name of the metric: ``read_1m``."""
        return self.metric.name

    @property
    def unit(self) -> str:
        """The unit of the metric."""
        return self.metric.unit

    def with_in_flight(self, count: int | None) -> Requirement:
        """The same requirement with the actual number in flight, which the bound must use."""
        return replace(self, metric=replace(self.metric, in_flight=count))

    @property
    def figure(self) -> str:
        """Check and metric, without the subject: ``SsdFio.read_1m``."""
        return f"{self.check}.{self.metric.name}"

    @property
    def key(self) -> str:
        """Its name in reports: ``SsdFio.read_1m on n1``."""
        return f"{self.figure} on {self.subject}"

    @property
    def host(self) -> str:
        """The host of the subject; for a pair, the first host."""
        return self.subject.host
