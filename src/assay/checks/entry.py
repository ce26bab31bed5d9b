"""What an entry of the catalogue is: a check, its metrics, and what it requires of a cluster."""

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
"""From the bottom up: what is measured later may be judged against what was measured before."""

Phase = Literal["raw", "scm", "system"]
PHASES: tuple[Phase, ...] = ("raw", "scm", "system")
"""The states of a DAOS system that checks need, in the order of a campaign: engines stopped; the
same, with their SCM mounted; all ranks joined. Without DAOS a cluster is in all of them."""

Subjects = Callable[[Cluster, Partition], tuple[Subject, ...]]

Rule = Callable[[Cluster, "Requirement", "Measured"], "Expectation"]
"""What bounds a metric: a pure function of the cluster and of the layers below."""

Scales = Mapping[str, Mapping[str, int]]
"""Scale to what it sets the variables of a check to: `quick` for a look in minutes, `acceptance`
for figures to sign. `repetitions` are the samples of each metric (this project's own choice; a
median of 5 has an interval)."""


# Compared and hashed by identity: a large campaign looks up its requirements a million times.
@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One named figure of a check."""

    name: str
    unit: str
    rule: Rule
    better: Literal["higher", "lower"] = "higher"
    direction: Direction | None = None
    """Whether the benchmark writes to the storage or reads from it; None where it does neither."""
    transfer: Quantity | None = None
    """What each operation moves."""
    in_flight: int | None = None
    """Operations that each process, or each client of an RPC test, has in flight at once."""
    provider: str | None = None
    """By which it is measured, if not by the cluster's: a floor is of what was run."""


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """One ReFrame check: what it measures, and where it is required."""

    name: str
    """That of its class in `reframe-checks/`."""
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
    """How long the steps of its job take, in seconds, on hosts that do nothing else."""

    def metric(self, name: str) -> Metric:
        """The metric of a name.

        Raises:
            KeyError: it has none of that name.
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
        """That of the metric: ``read_1m``."""
        return self.metric.name

    @property
    def unit(self) -> str:
        """That of the metric."""
        return self.metric.unit

    def with_in_flight(self, count: int | None) -> Requirement:
        """The same, measured with so many operations in flight: a bound is of what was run."""
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
        """The host that the subject is on (the first, of a pair)."""
        return self.subject.host
