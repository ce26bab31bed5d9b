"""What the hardware allows: bound, floor and ceiling of a metric, and where they come from.

An expectation is a pure function from the cluster (and from what its lower layers were measured
to do) to numbers and a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.cluster import PARTITIONS, Cluster, Host
from assay.hardware import ssds
from assay.plan import Owed, owed
from assay.stats import summarize
from assay.units import Quantity

Ground = Literal["hardware", "measured", "count", "nothing"]
"""What an expectation stands on: a datasheet, a lower layer, a number of things, or nothing."""

MEASURED_CEILING = 2.0
"""How far above the best sample of the layer below a figure may lie (this project's own choice).

Two measurements of one virtual disk, seconds apart, differed by up to 1.7 when nothing was wrong;
a read from the page cache is faster by more than that. A datasheet's bound has no such allowance.
"""


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The fraction of a bound that a sound system reaches at least, and who says so."""

    fraction: float
    source: str


_OWN = "this project's own choice"

LINE_RATE = Efficiency(0.4, f"one message in flight, {_OWN}")
SEQUENTIAL = Efficiency(0.85, _OWN)
RANDOM = Efficiency(0.3, f"one process with 64 I/Os under way, {_OWN}")
FDB_PROCESSES = 4
"""Processes of fdb-hammer on a client: several at once, as many as a small client can bear."""

FIELDS_OF_A_CORE = {"write": Quantity(125, "MiB/s"), "read": Quantity(333, "MiB/s")}
"""What one core can do of fdb-hammer with `--full-check`: its MD5 sums take 8 ms of a field of
1 MiB that is written and 3 ms of one that is read (seen with FDB 5.22). Only the floor knows it:
a faster core is no wonder."""

BUFFERED_FILE = Efficiency(0.3, f"one process through the page cache, {_OWN}")
FIELD_STORE = Efficiency(0.3, f"indexing and checking, {_OWN}")


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


Measured = Mapping[Owed, Sequence[float]]
"""Valid samples of the metrics of lower layers, each in its metric's unit."""


def expectation(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """Work out what a metric should be."""
    unit = metric.metric.unit
    if metric.check == "ClientPlacement":
        return _placement(cluster.hosts[metric.host], unit)
    if metric.check == "ClientInterfaces":
        nodes = float(cluster.hosts[metric.host].numa_nodes)
        return Expectation(unit, "count", nodes, nodes, nodes, "one process on each NUMA node")
    if metric.check == "FiPingpong" and metric.metric.name == "bandwidth_1m":
        return _line_rate(cluster, metric)
    if metric.check == "SsdFio":
        return _datasheet(cluster.hosts[metric.host], metric)
    if metric.check == "PageCacheHonesty":
        return _nothing(unit, _HONESTY[metric.metric.name])
    if metric.check in _THROUGH_DAOS:
        return _through_daos(cluster, metric)
    if metric.check in _BELOW:
        return _layer_below(cluster, metric, measured)
    return _nothing(unit, "no datasheet and no lower layer speaks of it")


def _nothing(unit: str, why: str) -> Expectation:
    return Expectation(unit, "nothing", None, None, None, f"nothing to judge by: {why}")


def _from_bound(bound: Quantity, efficiency: Efficiency, unit: str, derivation: str) -> Expectation:
    value = bound.to(unit).value
    return Expectation(
        unit=unit,
        ground="hardware",
        bound=value,
        floor=value * efficiency.fraction,
        ceiling=value,
        derivation=f"{derivation}; floor {efficiency.fraction:.0%} ({efficiency.source})",
    )


def _placement(host: Host, unit: str) -> Expectation:
    cores = float(host.cores)
    return Expectation(
        unit, "count", cores, cores, cores, f"{host.cores} cores, one process bound to each"
    )


def _line_rate(cluster: Cluster, metric: Owed) -> Expectation:
    unit = metric.metric.unit
    ends = metric.subject.split(">")
    if len(set(ends)) == 1:
        return _nothing(unit, "loopback has no line rate")
    speeds = []
    for name in ends:
        host = cluster.hosts[name]
        speed = host.interfaces[host.interface].speed_gbits
        if speed is None:
            return _nothing(unit, f"{name}'s {host.interface} is virtual or tells no speed")
        speeds.append((speed, name, host.interface))
    speed, name, interface = min(speeds)
    bound = Quantity(speed, "Gbit/s")
    return _from_bound(bound, LINE_RATE, unit, f"{speed:g} Gbit/s: {name}'s {interface}")


_SHEET = {
    "write_1m": "write_bandwidth",
    "read_1m": "read_bandwidth",
    "randwrite_4k": "write_rate",
    "randread_4k": "read_rate",
}


def _datasheet(host: Host, metric: Owed) -> Expectation:
    unit = metric.metric.unit
    if host.scratch is None or host.scratch.ssd is None:
        return _nothing(unit, "the inventory names no SSD for the scratch directory")
    ssd = ssds()[host.scratch.ssd]
    bound: Quantity = getattr(ssd, _SHEET[metric.metric.name])
    efficiency = RANDOM if metric.metric.unit == "IO/s" else SEQUENTIAL
    return _from_bound(bound, efficiency, unit, f"{bound}: {ssd.name} ({ssd.source})")


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

_THROUGH_DAOS: Mapping[str, int | None] = {
    **dict.fromkeys(("IorEasy", "IorHard")),
    **dict.fromkeys(("FioDfs", "FioDfuse"), 4096),
}
"""The checks of data in DAOS, with the bytes of each of their IO/s."""


def _through_daos(cluster: Cluster, metric: Owed) -> Expectation:
    """The interfaces of clients and engines, of which all data crosses the slower side."""
    unit, size = metric.metric.unit, _THROUGH_DAOS[metric.check]
    if unit == "us":
        return _nothing(unit, "no datasheet tells a latency of DAOS")
    if cluster.daos is None or metric.subject.endswith("/posix"):
        return _nothing(unit, "what serves the shared directory is not described")
    clients = cluster.clients if metric.host in PARTITIONS else (metric.host,)
    if shared := set(clients) & set(cluster.daos.servers):
        return _nothing(unit, f"{min(shared)} is client and server: no wire between them")
    sides = {
        "client": [(name, cluster.hosts[name].interface) for name in clients],
        "engine": [
            (name, engine.fabric_iface)
            for name in cluster.daos.servers
            for engine in cluster.hosts[name].engines
        ],
    }
    sums: list[tuple[float, str]] = []
    for side, interfaces in sides.items():
        speeds = [cluster.hosts[name].interfaces[nic].speed_gbits for name, nic in interfaces]
        if None in speeds:
            name, nic = interfaces[speeds.index(None)]
            return _nothing(unit, f"{name}'s {nic} is virtual or tells no speed")
        sums.append((sum(filter(None, speeds)), f"{len(speeds)} {side} interfaces"))
    speed, whose = min(sums)
    rate = Quantity(speed, "Gbit/s").to("B/s").value
    bound = rate / size if unit == "IO/s" and size else Quantity(rate, "B/s").to(unit).value
    each = f", {size} B each" if unit == "IO/s" else ""
    derivation = f"{speed:g} Gbit/s: {whose} together{each}; no floor yet"
    return Expectation(unit, "hardware", bound, None, bound, derivation)


_BELOW: Mapping[str, tuple[Efficiency, Mapping[str, str]]] = {
    "PosixFio": (BUFFERED_FILE, {"write_1m": "write_1m", "read_1m": "read_1m"}),
    "FdbHammer": (FIELD_STORE, {"write": "write_1m", "read": "read_1m"}),
}
"""For each check above the disk: its efficiency, and which figure of `SsdFio` it stands on."""


def stands_on(cluster: Cluster, metric: Owed) -> Owed | None:
    """The metric of the layer below, on the same disk of the same host, if the plan has it."""
    if metric.check not in _BELOW or _disk(cluster, metric.host) is None:
        return None
    name = _BELOW[metric.check][1][metric.metric.name]
    return next(
        (
            lower
            for lower in owed(cluster)
            if (lower.check, lower.metric.name, lower.host) == ("SsdFio", name, metric.host)
        ),
        None,
    )


def _disk(cluster: Cluster, host: str) -> Path | None:
    scratch = cluster.hosts[host].scratch
    return scratch.directory if scratch else None


def _layer_below(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    unit = metric.metric.unit
    lower = stands_on(cluster, metric)
    if lower is None:
        return _nothing(unit, f"direct I/O on {metric.host}'s scratch disk is not in the plan")
    samples = sorted(measured.get(lower, ()))
    if not samples:
        return _nothing(unit, f"{lower.key} has not been measured")
    efficiency = _BELOW[metric.check][0]
    best, usual, limit = samples[-1], summarize(samples).median, "their median"
    if metric.check == "FdbHammer":
        cores = min(cluster.hosts[metric.host].cores, FDB_PROCESSES)
        checked = cores * FIELDS_OF_A_CORE[metric.metric.name].to(unit).value
        if checked < usual:
            usual, limit = checked, f"what {cores} cores check, {Quantity(checked, unit)}"
    return Expectation(
        unit=unit,
        ground="measured",
        bound=best,
        floor=usual * efficiency.fraction,
        ceiling=best * MEASURED_CEILING,
        derivation=(
            f"{Quantity(best, unit)}: best of {len(samples)} samples of direct I/O on the same disk"
            f" ({lower.key}); floor {efficiency.fraction:.0%} of {limit}"
            f" ({efficiency.source}); ceiling {MEASURED_CEILING:g} times their best"
        ),
    )
