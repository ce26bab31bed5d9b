"""The bounds of figures of one engine's memory, for all benchmarks that measure it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import as_rate
from assay.checks.entry import Expectation, Measured, Requirement
from assay.checks.figures import shortest, within
from assay.cluster.description import Cluster

_WHY = "the inventory names neither PMem modules nor memory for this host"


@dataclass(frozen=True, slots=True)
class MemoryRules:
    """The rules of metrics whose data stays in memory."""

    limit: Callable[[Cluster, Requirement], Limit | None]
    """The throughput of that memory."""

    def bandwidth(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """The throughput of the memory."""
        limit = self.limit(cluster, requirement)
        return within(cluster, requirement, tightest([limit], "GB/s"), _WHY)

    def rate(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """Operations of the metric's size."""
        size, unit = requirement.metric.transfer, requirement.unit
        assert size
        rate = as_rate(self.limit(cluster, requirement), unit, size)
        return within(cluster, requirement, tightest([rate], unit), _WHY)

    def latency(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """At least the time of the metric's size at the throughput of the memory."""
        size = requirement.metric.transfer
        assert size
        bound = shortest(size, self.limit(cluster, requirement))
        return within(cluster, requirement, bound, _WHY)
