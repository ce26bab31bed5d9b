"""The bounds of figures of one SSD, for all benchmarks that measure SSDs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.bounds.devices import (
    Direction,
    as_rate,
    ssd_bandwidth,
    ssd_link,
    ssd_rate,
    waiting,
)
from assay.checks.entry import Expectation, Measured, Requirement
from assay.checks.figures import nothing, within
from assay.cluster.description import Cluster, Host
from assay.cluster.hardware import Ssd
from assay.units import Quantity


@dataclass(frozen=True, slots=True)
class SsdRules:
    """The rules of metrics of one SSD: its datasheet, its link, and the latency of its I/Os."""

    model: Callable[[Host], str | None]
    """The name of the SSD in hardware.yml."""
    unnamed: str
    """The reason to report if the description names no SSD."""

    def bandwidth(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """Bound the bandwidth of large sequential transfers."""
        name = self._name(cluster, requirement)
        if name is None:
            return nothing(requirement, self.unnamed)
        promised = ssd_bandwidth(cluster, name, _direction(requirement), 1)
        link = ssd_link(cluster, name)
        return self._held(cluster, requirement, promised, link, tightest([promised, link], "GB/s"))

    def rate(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """Bound the rate of small random I/Os: several in flight, each takes the latency."""
        name = self._name(cluster, requirement)
        if name is None:
            return nothing(requirement, self.unnamed)
        sheet, unit = cluster.sheets.ssd[name], requirement.unit
        promised = ssd_rate(cluster, name, _direction(requirement))
        link, law = as_rate(ssd_link(cluster, name), unit), None
        latency, in_flight = _latency(sheet, requirement), requirement.metric.in_flight
        if latency is not None and in_flight:
            law = waiting(in_flight, latency, unit, f"{name}: {sheet.word}")
        bound = tightest([promised, link, law], unit)
        return self._held(cluster, requirement, promised, link, bound)

    def latency(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """Bound the latency of one I/O at a time."""
        name = self._name(cluster, requirement)
        if name is None:
            return nothing(requirement, self.unnamed)
        sheet = cluster.sheets.ssd[name]
        latency = _latency(sheet, requirement)
        if latency is None:
            return nothing(requirement, _unsaid(name, sheet))
        bound = Bound(latency, (Limit("the SSD", latency, name, f"{name}: {sheet.word}"),))
        # Half a typical latency is that of an address that was never written to.
        unwritten = Limit("the SSD", Quantity(latency.value / 2, latency.unit), name, "")
        return within(cluster, requirement, bound, "", unwritten)

    def _held(
        self,
        cluster: Cluster,
        requirement: Requirement,
        promised: Limit | None,
        link: Limit | None,
        bound: Bound | None,
    ) -> Expectation:
        """Compare a metric with its bound; without a datasheet's promise there is none."""
        name = self._name(cluster, requirement)
        assert name
        sheet = cluster.sheets.ssd[name]
        if promised is None:
            return nothing(requirement, _unsaid(name, sheet))
        return within(cluster, requirement, bound, "", promised.most or link or promised)

    def _name(self, cluster: Cluster, requirement: Requirement) -> str | None:
        return self.model(cluster.hosts[requirement.host])


def _direction(requirement: Requirement) -> Direction:
    direction = requirement.metric.direction
    assert direction
    return direction


def _latency(sheet: Ssd, requirement: Requirement) -> Quantity | None:
    write = _direction(requirement) == "write"
    return sheet.write_latency if write else sheet.read_latency


def _unsaid(name: str, sheet: Ssd) -> str:
    return f"the sheet of {name} has no such figure ({sheet.word})"
