"""What each metric should be: bound, floor and ceiling, and where they come from.

An expectation is a pure function from the cluster (and from what its lower layers were measured
to do) to numbers and a sentence. What the hardware can do is in `assay.bounds`; here is which of it
bounds which metric, and what fraction of it a sound system reaches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.bounds import Bound, Limit, tightest
from assay.bounds.devices import (
    IO,
    Direction,
    as_rate,
    memory,
    nic,
    scm,
    ssd_bandwidth,
    ssd_link,
    ssd_rate,
    together,
    waiting,
)
from assay.bounds.path import data_path, of_files
from assay.cluster import PARTITIONS, Cluster, Partition
from assay.plan import CHECKS, Owed
from assay.stats import summarize
from assay.units import Quantity

Ground = Literal["hardware", "measured", "count", "nothing"]
"""What an expectation stands on: a datasheet, a lower layer, a number of things, or nothing."""

MEASURED_CEILING = 2.0
"""How far above the best sample of the layer below a figure may lie (this project's own choice).

Two measurements of one virtual disk, seconds apart, differed by up to 1.7 when nothing was wrong;
a read from the page cache is faster by more than that. A datasheet's bound has no such allowance.
"""

ROUNDED = 1.03
"""How far above its datasheet an SSD may come, for datasheets round (this project's own choice)."""


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The fraction of a bound that a sound system reaches at least, and who says so."""

    fraction: float
    source: str


_OWN = "this project's own choice"

FLOORS: Mapping[str, Efficiency] = {
    "FiPingpong.bandwidth_1m": Efficiency(0.4, f"one message in flight, {_OWN}"),
    "SelfTestClientServer.get_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SelfTestClientServer.put_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SelfTestCrossServer.get_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SelfTestCrossServer.put_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SsdFio.write_1m": Efficiency(0.85, _OWN),
    "SsdFio.read_1m": Efficiency(0.85, _OWN),
    "SsdFio.randwrite_4k": Efficiency(0.3, f"one process with 64 I/Os under way, {_OWN}"),
    "SsdFio.randread_4k": Efficiency(0.3, f"one process with 64 I/Os under way, {_OWN}"),
    "NvmeBandwidth.read_1m_alone": Efficiency(0.85, _OWN),
    "NvmeBandwidth.read_1m_together": Efficiency(0.85, _OWN),
    "NvmeIops.randread_4k_alone": Efficiency(0.7, f"one core for each SSD, {_OWN}"),
    "NvmeIops.randread_4k_together": Efficiency(0.7, f"one core for each SSD, {_OWN}"),
    "NvmeIops.latency_4k": Efficiency(0.5, f"a typical latency, {_OWN}"),
    "PosixFio.write_1m": Efficiency(0.3, f"one process through the page cache, {_OWN}"),
    "PosixFio.read_1m": Efficiency(0.3, f"one process through the page cache, {_OWN}"),
    "FdbHammer.write": Efficiency(0.3, f"indexing and checking, {_OWN}"),
    "FdbHammer.read": Efficiency(0.3, f"indexing and checking, {_OWN}"),
    "FdbHammerSeparate.write": Efficiency(0.3, f"indexing and checking, {_OWN}"),
    "FdbHammerSeparate.read": Efficiency(0.3, f"indexing and checking, {_OWN}"),
}
"""The floor of each metric that has one, as a fraction of its bound, unless the site has its own.

Of a latency it is the fraction of the bound's speed: 0.5 allows twice the time.
"""

FDB_PROCESSES = 4
"""Processes of fdb-hammer on a client: several at once, as many as a small client can bear."""

FIELDS_OF_A_CORE = {"write": Quantity(125, "MiB/s"), "read": Quantity(333, "MiB/s")}
"""What one core can do of fdb-hammer with `--full-check`: its MD5 sums take 8 ms of a field of
1 MiB that is written and 3 ms of one that is read (seen with FDB 5.22). Only the floor knows it:
a faster core is no wonder."""

RPCS_IN_FLIGHT = 16
"""That self_test and net-test have under way at once, as their checks call them."""

SSD_DEPTH = {"SsdFio": 64, "NvmeIops": 128}
"""I/Os of 4 KiB that the checks have under way on an SSD."""

MEBIBYTE = Quantity(1, "MiB")


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a metric should be on this cluster, in the metric's unit.

    A value below `floor` is too slow and one above `ceiling` too good to be true. None means
    that there is nothing to say on that side.
    """

    unit: str
    ground: Ground
    bound: float | None
    floor: float | None
    ceiling: float | None
    derivation: str
    limits: tuple[Limit, ...] = ()
    """What the bound is the least of, the tightest first."""


Measured = Mapping[Owed, Sequence[float]]
"""Valid samples of the metrics of lower layers, each in its metric's unit."""


def expectation(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """Work out what a metric should be."""
    rule = _RULES.get(metric.check)
    if rule is None:
        return _nothing(metric, "no datasheet and no lower layer speaks of it")
    return rule(cluster, metric, measured)


def _nothing(metric: Owed, why: str) -> Expectation:
    unit = metric.metric.unit
    return Expectation(unit, "nothing", None, None, None, f"nothing to judge by: {why}")


def _floor(cluster: Cluster, metric: Owed) -> Efficiency | None:
    """The fraction of its bound that a metric owes: the site's, or else this project's."""
    key = f"{metric.check}.{metric.metric.name}"
    shipped = FLOORS.get(key)
    if key not in cluster.floors:
        return shipped
    instead = f"; shipped is {shipped.fraction:.0%}" if shipped else ""
    return Efficiency(cluster.floors[key], f"this site's own choice{instead}")


def _within(
    cluster: Cluster, metric: Owed, bound: Bound | None, why: str, ceiling: Limit | None = None
) -> Expectation:
    """Hold a metric against a bound; `ceiling` where that is not what nothing can exceed."""
    unit = metric.metric.unit
    if bound is None:
        return _nothing(metric, why)
    value = bound.value.to(unit).value
    best = value if ceiling is None else ceiling.value.to(unit).value
    floor, said = None, "no floor"
    efficiency = _floor(cluster, metric)
    more = metric.metric.better == "higher"
    if efficiency is not None:
        floor = value * efficiency.fraction if more else value / efficiency.fraction
        said = f"floor {efficiency.fraction:.0%} ({efficiency.source})"
    return Expectation(
        unit=unit,
        ground="hardware",
        bound=value,
        floor=floor if more else best,
        ceiling=best if more else floor,
        derivation=f"{bound.sentence} ({bound.source}); {said}",
        limits=bound.limits,
    )


def _shortest(size: Quantity, limit: Limit | None) -> Bound | None:
    """The least time that a size takes through a limit."""
    if limit is None:
        return None
    seconds = size.to("B").value / limit.value.to("B/s").value
    time = Quantity(seconds * 1e6, "us")
    made_of = f"{size} / {limit.made_of}"
    return Bound(time, (Limit(limit.who, time, made_of, limit.source),))


def _counted(metric: Owed, count: int, derivation: str) -> Expectation:
    exactly = float(count)
    return Expectation(metric.metric.unit, "count", exactly, exactly, exactly, derivation)


def _placement(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    cores = cluster.hosts[metric.host].cores
    return _counted(metric, cores, f"{cores} cores, one process bound to each")


def _interfaces(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    nodes = cluster.hosts[metric.host].numa_nodes
    return _counted(metric, nodes, f"{nodes} NUMA nodes, one process on each")


def _pingpong(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    ends = dict.fromkeys(metric.subject.split(">"))
    if len(ends) == 1:
        return _nothing(metric, "loopback has no line rate")
    wires = []
    for name in ends:
        interface = cluster.hosts[name].interface
        wire = nic(cluster, name, interface)
        if wire is None:
            return _nothing(metric, f"{name}'s {interface} is virtual or tells no speed")
        wires.append(wire)
    slower = tightest(wires, "GB/s")
    if metric.metric.unit == "us":
        slower = slower and _shortest(Quantity(64, "B"), slower.limits[0])
    return _within(cluster, metric, slower, "no line rate is known")


def _fabric_of(cluster: Cluster, engine: str) -> Limit | None:
    """The interface of an engine, ``host/engine0``."""
    host, _, number = engine.partition("/engine")
    return nic(cluster, host, cluster.hosts[host].engines[int(number)].fabric_iface)


def _self_test(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """RPCs to the targets of an engine, from all clients or from another engine."""
    name, unit = metric.metric.name, metric.metric.unit
    first, _, second = metric.subject.partition(">")
    ends = [_fabric_of(cluster, engine) for engine in (first, second) if engine]
    senders = 1
    if not second:
        senders = len(cluster.clients)
        clients = (nic(cluster, c, cluster.hosts[c].interface) for c in cluster.clients)
        ends.append(together("the clients' NICs", clients))
    elif first.partition("/")[0] == second.partition("/")[0]:
        ends = []  # a host's own engines need no wire between them
    size = MEBIBYTE if name.endswith("_1m") else Quantity(2, "KiB")
    crossed = tightest(ends, "GB/s")
    why = "an interface is virtual or tells no speed, or the engines share a host"
    if unit == "MiB/s":
        return _within(cluster, metric, crossed, why)
    if unit == "us":
        if name == "latency_empty" or crossed is None:
            return _nothing(metric, "an empty RPC takes no time on a wire" if crossed else why)
        return _within(cluster, metric, _shortest(size, crossed.limits[0]), why)
    wire = as_rate(crossed.limits[0], unit, size) if crossed and name == "iov_2k" else None
    return _as_often(metric, measured, "latency_empty", RPCS_IN_FLIGHT * senders, wire)


def _net_test(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    del cluster
    if metric.metric.unit == "us":
        return _nothing(metric, "no datasheet tells the latency of a fabric")
    return _as_often(metric, measured, "latency_p50", RPCS_IN_FLIGHT, None)


def _as_often(
    metric: Owed, measured: Measured, latency: str, under_way: int, wire: Limit | None
) -> Expectation:
    """How often a round trip that was measured fits into a second, and the wire lets it through."""
    owed = next(m for m in CHECKS[metric.check].metrics if m.name == latency)
    trip = Owed(metric.check, metric.layer, metric.partition, owed, metric.subject)
    samples = sorted(measured.get(trip, ()))
    if not samples:
        return _nothing(metric, f"{trip.key} has not been measured")
    shortest = Quantity(samples[0], owed.unit)
    law = waiting(under_way, shortest, metric.metric.unit, f"least of {trip.key}")
    bound = tightest([law, wire], metric.metric.unit)
    assert bound is not None
    return Expectation(
        unit=metric.metric.unit,
        ground="measured",
        bound=bound.value.value,
        floor=None,
        ceiling=bound.value.value * MEASURED_CEILING,
        derivation=(
            f"{bound.sentence} ({bound.source}); no floor;"
            f" ceiling {MEASURED_CEILING:g} times the bound"
        ),
        limits=bound.limits,
    )


def _way(metric: Owed) -> Direction:
    return "write" if re.search("write|update", metric.metric.name) else "read"


def _tmpfs(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    """Files in the DRAM that stands for SCM, written and read by the CPU."""
    limit = memory(cluster, cluster.hosts[metric.host])
    return _in_memory(cluster, metric, limit)


def _vos_perf(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    """Values in the SCM of one engine, by one process and one at a time."""
    host, number = metric.subject.split("/engine")
    described = cluster.hosts[host]
    way: Direction = "write" if "update" in metric.metric.name else "read"
    limit = scm(cluster, described, described.engines[int(number)], way, line=False)
    return _in_memory(cluster, metric, limit)


def _in_memory(cluster: Cluster, metric: Owed, limit: Limit | None) -> Expectation:
    why = "the inventory names neither PMem modules nor memory for this host"
    match metric.metric.unit:
        case "us":
            return _within(cluster, metric, _shortest(IO, limit), why)
        case "IO/s":
            return _within(cluster, metric, tightest([as_rate(limit, "IO/s")], "IO/s"), why)
    return _within(cluster, metric, tightest([limit], "GB/s"), why)


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
        return _nothing(metric, why)
    sheet, way, unit = cluster.sheets.ssd[name], _way(metric), metric.metric.unit
    why = f"the sheet of {name} does not say ({sheet.word})"
    latency = sheet.write_latency if way == "write" else sheet.read_latency
    if unit == "us":
        if latency is None:
            return _nothing(metric, why)
        bound = Bound(latency, (Limit("the SSD", latency, name, f"{name}: {sheet.word}"),))
        # Half a typical latency is that of an address that was never written.
        unwritten = Limit("the SSD", Quantity(latency.value / 2, latency.unit), name, "")
        return _within(cluster, metric, bound, why, unwritten)
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
        return _nothing(metric, why)
    highest = promised.over(1 / ROUNDED, f"datasheets round by {ROUNDED - 1:.0%}")
    if sheet.announced and link is not None:
        highest = link
    return _within(cluster, metric, bound_, why, highest)


_BELOW: Mapping[str, Mapping[str, str]] = {
    "PosixFio": {"write_1m": "write_1m", "read_1m": "read_1m"},
    "FdbHammer": {"write": "write_1m", "read": "read_1m"},
    "FdbHammerSeparate": {"write": "write_1m", "read": "read_1m"},
}
"""For each check above the disk, which figure of `SsdFio` a metric stands on."""


def stands_on(cluster: Cluster, metric: Owed) -> Owed | None:
    """The metric of the layer below, on the same disk of the same host, if the plan has it."""
    host = cluster.hosts[metric.host]
    if metric.check not in _BELOW or host.scratch is None or cluster.benchmarks.fio is None:
        return None
    name = _BELOW[metric.check].get(metric.metric.name)
    if name is None:
        return None
    lower = next(m for m in CHECKS["SsdFio"].metrics if m.name == name)
    partition: Partition = "servers" if metric.host in cluster.servers else "clients"
    return Owed("SsdFio", "ssd", partition, lower, metric.host)


def _layer_below(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    unit = metric.metric.unit
    if unit == "s":
        return _nothing(metric, "no lower layer opens a database")
    lower = stands_on(cluster, metric)
    if lower is None:
        return _nothing(metric, f"direct I/O on {metric.host}'s scratch disk is not in the plan")
    samples = sorted(measured.get(lower, ()))
    if not samples:
        return _nothing(metric, f"{lower.key} has not been measured")
    best, usual, limit = samples[-1], summarize(samples).median, "their median"
    if metric.check.startswith("FdbHammer"):
        cores = min(cluster.hosts[metric.host].cores, FDB_PROCESSES)
        checked = cores * FIELDS_OF_A_CORE[metric.metric.name].to(unit).value
        if checked < usual:
            usual, limit = checked, f"what {cores} cores check, {Quantity(checked, unit)}"
    efficiency = _floor(cluster, metric)
    assert efficiency is not None
    found = f"best of {len(samples)} samples of direct I/O on the same disk"
    return Expectation(
        unit=unit,
        ground="measured",
        bound=best,
        floor=usual * efficiency.fraction,
        ceiling=best * MEASURED_CEILING,
        derivation=(
            f"{Quantity(best, unit)}: {found} ({lower.key}); floor {efficiency.fraction:.0%} of"
            f" {limit} ({efficiency.source}); ceiling {MEASURED_CEILING:g} times their best"
        ),
        limits=(Limit("the disk", Quantity(best, unit), found, lower.key),),
    )


def _through_daos(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    """Data of all clients, or of one, on its way to the engines' storage and back."""
    unit = metric.metric.unit
    if unit == "us":
        return _nothing(metric, "no datasheet tells a latency of DAOS")
    if cluster.daos is None or metric.subject.endswith("/posix"):
        return _nothing(metric, "what serves the shared directory is not described")
    clients = cluster.clients if metric.host in PARTITIONS else (metric.host,)
    if shared := set(clients) & set(cluster.daos.servers):
        return _nothing(metric, f"{min(shared)} is client and server: no wire between them")
    size = IO if unit == "IO/s" else MEBIBYTE
    bound = data_path(cluster, _way(metric), size, of_files(cluster), clients)
    if bound is not None and unit == "IO/s":
        bound = tightest([as_rate(limit, unit, size) for limit in bound.limits], unit)
    return _within(cluster, metric, bound, "neither NICs nor SSDs have a speed that is known")


def _io500(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """Of the phases of IO500 those of IOR are data on its way; the others and the means are not."""
    if not metric.metric.name.startswith("ior_"):
        return _nothing(metric, "no datasheet tells rates of metadata, nor a mean of such figures")
    return _through_daos(cluster, metric, measured)


_UNSYNCED = "not to be believed: what was written need not have left the client's memory"
_OWN_CACHE = "not to be believed: a process reads what its own client still has in memory"
_OTHERS = "read on another client than wrote it; to be believed with two clients or more"
_SYNCED = "to be believed: its time includes fsync"
_HONESTY: Mapping[str, str] = {
    **{f"{rung}_write": _UNSYNCED for rung in ("naive", "files", "shifted")},
    **{f"{rung}_write": _SYNCED for rung in ("synced", "squeezed", "direct")},
    **{f"{rung}_read": _OWN_CACHE for rung in ("naive", "files")},
    **{f"{rung}_read": _OTHERS for rung in ("shifted", "synced")},
    "squeezed_read": "to be believed as far as the files are larger than the memory that is left",
    "direct_read": "to be believed: past the page cache (O_DIRECT), but as no usual program reads",
}
"""Which of the ladder's figures may be believed, and why (the tutorial in IOR's documentation)."""


def _honest(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    """A rung of the ladder, which is there to be believed or not."""
    del cluster
    return _nothing(metric, _HONESTY[metric.metric.name])


_RULES: Mapping[str, Callable[[Cluster, Owed, Measured], Expectation]] = {
    "FiPingpong": _pingpong,
    "SelfTestClientServer": _self_test,
    "SelfTestCrossServer": _self_test,
    "NetTest": _net_test,
    "ScmFio": _tmpfs,
    "VosPerfRate": _vos_perf,
    "VosPerfBandwidth": _vos_perf,
    "VosPerfRateNoFlush": _vos_perf,
    "VosPerfBandwidthNoFlush": _vos_perf,
    "SsdFio": _scratch,
    "NvmeBandwidth": _nvme,
    "NvmeIops": _nvme,
    "ClientPlacement": _placement,
    "ClientInterfaces": _interfaces,
    "PosixFio": _layer_below,
    **dict.fromkeys(("FdbHammer", "FdbHammerSeparate"), _layer_below),
    **dict.fromkeys(("IorEasy", "IorHard", "FioDfs", "FioDfuse", "DaosPerf"), _through_daos),
    **dict.fromkeys(("Io500", "Io500Program"), _io500),
    "PageCacheHonesty": _honest,
}
"""What derives the expectations of each check's metrics; the others are `unrated`."""
