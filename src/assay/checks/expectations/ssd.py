"""What an SSD should do: the one with the scratch directory, and those of DAOS's engines."""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.bounds.devices import as_rate, ssd_bandwidth, ssd_link, ssd_rate, waiting
from assay.checks.figures import Expectation, Measured, Rule, direction_of, nothing, within
from assay.checks.plan import Owed
from assay.cluster.description import Cluster
from assay.units import Quantity

ROUNDED = 1.03
"""How far above its datasheet an SSD may come, for datasheets round (this project's own choice)."""

SSD_DEPTH = {"SsdFio": 64, "NvmeIops": 128}
"""I/Os of 4 KiB that the checks have under way on an SSD."""


def _scratch(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    scratch = cluster.hosts[metric.host].scratch
    why = "the inventory names no SSD for the scratch directory"
    return _ssd(cluster, metric, scratch.ssd if scratch else None, why)


def _nvme(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    why = "the inventory names no SSD for the engines"
    return _ssd(cluster, metric, cluster.hosts[metric.host].datasheets.ssd, why)


def _ssd(cluster: Cluster, metric: Owed, name: str | None, why: str) -> Expectation:
    """One SSD: its datasheet, its link, and how many I/Os are under way for how long."""
    if name is None:
        return nothing(metric, why)
    sheet, way, unit = cluster.sheets.ssd[name], direction_of(metric), metric.metric.unit
    why = f"the sheet of {name} does not say ({sheet.word})"
    latency = sheet.write_latency if way == "write" else sheet.read_latency
    if unit == "us":
        if latency is None:
            return nothing(metric, why)
        bound = Bound(latency, (Limit("the SSD", latency, name, f"{name}: {sheet.word}"),))
        # Half a typical latency is that of an address that was never written.
        unwritten = Limit("the SSD", Quantity(latency.value / 2, latency.unit), name, "")
        return within(cluster, metric, bound, why, unwritten)
    link = ssd_link(cluster, name)
    if unit == "IO/s":
        link = as_rate(link, "IO/s")
        promised, law = ssd_rate(cluster, name, way), None
        if latency is not None and metric.check in SSD_DEPTH:
            depth = SSD_DEPTH[metric.check]
            law = waiting(depth, latency, "IO/s", f"{name}: {sheet.word}")
        bound_ = tightest([promised, link, law], "IO/s") if promised else None
    else:
        promised = ssd_bandwidth(cluster, name, way, 1)
        bound_ = tightest([promised, link], "GB/s") if promised else None
    if promised is None or bound_ is None:
        return nothing(metric, why)
    highest = promised.over(1 / ROUNDED, f"datasheets round by {ROUNDED - 1:.0%}")
    if sheet.announced and link is not None:
        highest = link
    return within(cluster, metric, bound_, why, highest)


SSD: Mapping[str, Rule] = {"SsdFio": _scratch, "NvmeBandwidth": _nvme, "NvmeIops": _nvme}
