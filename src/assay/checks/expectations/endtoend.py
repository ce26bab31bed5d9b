"""What data should do from end to end: from a client's process to the storage and back."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import IO, MEBIBYTE, nic, waiting
from assay.checks.figures import (
    MEASURED_CEILING,
    Expectation,
    Measured,
    Rule,
    direction_of,
    nothing,
    shortest,
    within,
)
from assay.checks.floors import floor_of
from assay.checks.load import under_way
from assay.checks.plan import CHECKS, Owed
from assay.checks.trips import as_often, no_shorter, round_trip
from assay.checks.way import UNDESCRIBED, crossed_by
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.io500 import HARD_TRANSFER_BYTES
from assay.units import Quantity

FDB_PROCESSES = 4
"""Processes of fdb-hammer on a client: several at once, as many as a small client can bear."""

FIELDS_OF_A_CORE = {"write": Quantity(125, "MiB/s"), "read": Quantity(333, "MiB/s")}
"""What one core can do of fdb-hammer with `--full-check`: its MD5 sums take 8 ms of a field of
1 MiB that is written and 3 ms of one that is read (seen with FDB 5.22). Only the floor knows it:
a faster core is no wonder."""

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
    return Owed("SsdFio", "ssd", partition, lower, Subject(metric.host))


def _layer_below(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    unit = metric.metric.unit
    if unit == "s":
        return nothing(metric, "no lower layer opens a database")
    lower = stands_on(cluster, metric)
    if lower is None:
        return nothing(metric, f"direct I/O on {metric.host}'s scratch disk is not in the plan")
    samples = sorted(measured.get(lower, ()))
    if not samples:
        return nothing(metric, f"{lower.key} has not been measured")
    best, usual, limit = samples[-1], median(samples), "their median"
    if metric.check.startswith("FdbHammer"):
        cores = min(cluster.hosts[metric.host].cores, FDB_PROCESSES)
        checked = cores * FIELDS_OF_A_CORE[metric.metric.name].to(unit).value
        if checked < usual:
            usual, limit = checked, f"what {cores} cores check, {Quantity(checked, unit)}"
    efficiency = floor_of(cluster, metric)
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


def through_daos(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """Data of all clients, or of one, on its way to the engines' storage and back."""
    if cluster.daos is None or metric.subject.backend == "posix":
        return nothing(metric, UNDESCRIBED)
    match metric.metric.unit:
        case "s":
            return nothing(metric, "no lower layer opens a database")
        case "us":
            return _latency(cluster, metric, measured)
        case "IO/s":
            return _rate(cluster, metric, measured)
    hard = metric.check == "IorHard" or metric.metric.name.startswith("ior_hard")
    size = Quantity(HARD_TRANSFER_BYTES, "B") if hard else MEBIBYTE
    crossed, why = crossed_by(cluster, metric, direction_of(metric), size, "MiB/s")
    return within(cluster, metric, tightest(crossed, "GB/s"), why)


def _latency(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """A read of 4 KiB by each process of one client, past its page cache."""
    trip, why = round_trip(cluster, (metric.host,), measured)
    if trip is None:
        return nothing(metric, why)
    assert cluster.daos
    wire = None
    if metric.host not in cluster.daos.servers:
        wire = nic(cluster, metric.host, cluster.hosts[metric.host].interface)
    return no_shorter(cluster, metric, trip, shortest(IO, wire))


def _rate(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """I/Os of 4 KiB of one client, of which so many are under way."""
    way, unit = direction_of(metric), metric.metric.unit
    crossed, why = crossed_by(cluster, metric, way, IO, unit)
    trip, _ = round_trip(cluster, (metric.host,), measured)
    # dfuse may answer a write before it has sent it.
    if trip is None or (way == "write" and metric.subject.backend == "dfuse"):
        return within(cluster, metric, tightest(crossed, unit), why)
    operations = under_way(cluster, metric.check, 1, measured.scale)
    law = waiting(operations, trip.value, unit, trip.source)
    return as_often(cluster, metric, law, crossed)


ENDTOEND: Mapping[str, Rule] = {
    **dict.fromkeys(("PosixFio", "FdbHammer", "FdbHammerSeparate"), _layer_below),
    **dict.fromkeys(("IorEasy", "IorHard", "FioDfs", "FioDfuse", "DaosPerf"), through_daos),
    **dict.fromkeys(("FdbHammerDaos", "FdbHammerDaosSeparate"), through_daos),
}
