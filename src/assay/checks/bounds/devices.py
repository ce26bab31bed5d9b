"""The limits of devices: SSDs and their links, SCM and memory, NICs; and Little's law."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from assay.checks.bounds.limit import Limit
from assay.cluster.daos import Engine
from assay.cluster.description import Cluster, Host
from assay.cluster.hardware import Ssd
from assay.units import Quantity, show

Direction = Literal["read", "write"]

IO = Quantity(4, "KiB")
"""Transfer size of a rate of I/Os."""

MEBIBYTE = Quantity(1, "MiB")
"""Transfer size of a bandwidth."""


ROUNDED = 1.05
"""Allowed ratio of figures to the datasheet, since datasheets round (this project's own choice)."""

WRITTEN = 1.12
"""The same of write bandwidths, which datasheets give of a full SSD (this project's own choice).

IO500 submissions 665 and 773 wrote 9.9 and 3.2 % more than their SSDs promise, over the whole path.
"""


def _times(
    who: str, count: int, each: Quantity, thing: str, source: str, plausible: float = 1.0
) -> Limit:
    one = Quantity(each.to("GB/s").value, "GB/s")
    made_of = f"{count} {thing}s × {one}" if count != 1 else thing
    return Limit(who, Quantity(count * one.value, one.unit), made_of, source, plausible)


def ssd_bandwidth(cluster: Cluster, name: str | None, way: Direction, count: int) -> Limit | None:
    """The bandwidth of `count` SSDs of one model, by their datasheet."""
    if name is None or not count:
        return None
    sheet = cluster.sheets.ssd[name]
    each = sheet.read_bandwidth if way == "read" else sheet.write_bandwidth
    if each is None:
        return None
    thing = "SSD" if count > 1 else name
    return _times("the SSDs", count, each, thing, f"{name}: {sheet.word}", _plausible(sheet, way))


def ssd_rate(cluster: Cluster, name: str | None, way: Direction, count: int = 1) -> Limit | None:
    """The rate of random I/Os of 4 KiB on `count` SSDs of one model, by their datasheet."""
    if name is None or not count:
        return None
    sheet = cluster.sheets.ssd[name]
    each = sheet.read_rate if way == "read" else sheet.write_rate
    if each is None:
        return None
    made_of = name if count == 1 else f"{count} SSDs × {each}"
    who = "the SSD" if count == 1 else "the SSDs"
    total = Quantity(count * each.value, each.unit)
    return Limit(who, total, made_of, f"{name}: {sheet.word}", _plausible(sheet))


def _plausible(sheet: Ssd, way: Direction = "read") -> float:
    """Nobody knows how much a later datasheet promises beyond an announcement."""
    if sheet.announced:
        return math.inf
    return WRITTEN if way == "write" else ROUNDED


def ssd_link(cluster: Cluster, name: str | None, count: int = 1) -> Limit | None:
    """The PCIe links of `count` SSDs of one model."""
    pcie = cluster.sheets.ssd[name].pcie if name else None
    if pcie is None or not count:
        return None
    generation, _, width = pcie.partition(" x")
    lane = cluster.sheets.pcie[generation]
    each = Quantity(lane.bandwidth.to("GB/s").value * int(width), "GB/s")
    return _times("their PCIe links", count, each, f"PCIe {pcie} link", lane.word)


def scm(cluster: Cluster, host: Host, engine: Engine, way: Direction, line: bool) -> Limit | None:
    """The SCM of one engine: its PMem modules, or instead the DRAM of its NUMA node.

    With `line`, accesses have 64 bytes, a line of the CPU's cache, instead of 256 bytes.
    """
    parts, tier = host.datasheets, engine.scm_tier
    if tier is None:
        return None
    if tier.class_ == "ram":
        return memory(cluster, host)
    if parts.pmem is None:
        return None
    sheet = cluster.sheets.pmem[parts.pmem]
    if line:
        each = sheet.read_bandwidth_64b if way == "read" else sheet.write_bandwidth_64b
    else:
        each = sheet.read_bandwidth_256b if way == "read" else sheet.write_bandwidth_256b
    if each is None:
        return None
    source = f"{parts.pmem}: {sheet.word}"
    return _times("the SCM", parts.pmem_modules, each, "PMem module", source)


def memory(cluster: Cluster, host: Host) -> Limit | None:
    """The DRAM of one NUMA node."""
    parts = host.datasheets
    if parts.memory is None:
        return None
    sheet = cluster.sheets.memory[parts.memory]
    thing = f"{parts.memory} channel"
    return _times("the memory", parts.memory_channels, sheet.bandwidth, thing, sheet.word)


def nic(cluster: Cluster, host: str, interface: str) -> Limit | None:
    """One interface of a host, with the speed from its kernel, or else from the inventory."""
    described = cluster.hosts[host]
    known, named = described.interfaces.get(interface), described.datasheets.fabric
    if known is not None and known.speed_gbits is not None:
        speed, source = Quantity(known.speed_gbits, "Gbit/s"), "the speed that the kernel reports"
    elif named is not None and interface != "lo":
        sheet = cluster.sheets.fabric[named]
        speed, source = sheet.bandwidth, f"{named}: {sheet.word}"
    else:
        return None
    who = f"{host}'s {interface}"
    value = Quantity(speed.to("GB/s").value, "GB/s")
    return Limit(who, value, f"{who}, {show(speed.value)} {speed.unit}", source)


def together(who: str, limits: Iterable[Limit | None]) -> Limit | None:
    """The sum of the limits of several components of a kind; None if one is unknown."""
    known: list[Limit] = []
    for limit in limits:
        if limit is None:
            return None
        known.append(limit)
    if not known:
        return None
    each = [limit.value.to("GB/s").value for limit in known]
    same = len(set(each)) == 1
    made = f"{len(known)} × {Quantity(each[0], 'GB/s')}" if same else f"{len(known)} together"
    sources = "; ".join(dict.fromkeys(limit.source for limit in known))
    total = sum(each)
    most = sum(value * limit.plausible for value, limit in zip(each, known, strict=True))
    return Limit(who, Quantity(total, "GB/s"), f"{who}, {made}", sources, most / total)


def as_rate(limit: Limit | None, unit: str, size: Quantity = IO) -> Limit | None:
    """A bandwidth as a rate of operations of a size, in a unit such as ``IO/s``."""
    if limit is None:
        return None
    rate = limit.value.to("B/s").value / size.to("B").value
    return replace(limit, value=Quantity(rate, unit), made_of=f"{limit.made_of} / {size}")


def waiting(in_flight: int, latency: Quantity, unit: str, source: str, *, times: int = 1) -> Limit:
    """Little's law: rate = operations in flight / latency.

    An operation that waits several times in succession takes `times` times the latency.

    Source: J. D. C. Little, A Proof for the Queuing Formula L = λW, Operations Research 9 (1961).
    """
    rate = in_flight / (times * latency.to("s").value)
    each = f"({times} × {latency})" if times > 1 else str(latency)
    made_of = f"{in_flight} in flight / {each}"
    return Limit("waiting", Quantity(rate, unit), made_of, source)
