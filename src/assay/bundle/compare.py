"""Compares two campaigns of one cluster, metric by metric, and reports losses with confidence."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import numpy as np

from assay.campaign.cases import FIRST
from assay.checks.accepted import Accepted
from assay.checks.renamed import key_now
from assay.cluster.description import Cluster, Host
from assay.judge import baseline
from assay.judge.baseline import Change, Changes, Session
from assay.judge.fakes import copies
from assay.judge.limits import Limits, no_ends, numbered
from assay.judge.rating import rate
from assay.judge.signoff import Gate
from assay.judge.stats import summarize_all
from assay.judge.verdict import Verdict
from assay.preflight.examine import examine
from assay.report.record import MetricRecord, Record
from assay.subject import Subject

MEMORY = 0.02
"""Relative tolerance for a host's memory, since a kernel reserves some of it."""


class Result(StrEnum):
    """The result of a comparison."""

    REGRESSION = "REGRESSION"
    UNDECIDED = "UNDECIDED"
    NO_REGRESSION = "NO REGRESSION"


class Outcome(StrEnum):
    """How a metric changed; those that need attention come first."""

    GONE = "gone"
    IMPLAUSIBLE = "implausible"
    WORSE = "worse"
    OPEN = "open"
    BETTER = "better"
    SAME = "same"
    NEW = "new"


MEANING = {
    Outcome.GONE: "no longer measured",
    Outcome.IMPLAUSIBLE: "no better: it is not a figure of this hardware, and was one before",
    Outcome.WORSE: "worse with statistical confidence, by more than the tolerance",
    Outcome.OPEN: "too much scatter: a loss could hide in it",
    Outcome.BETTER: "better with statistical confidence",
    Outcome.SAME: "no relevant loss",
    Outcome.NEW: "not measured before",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One metric in both campaigns; None if a campaign has no figure of it."""

    key: str
    unit: str
    old: MetricRecord | None
    new: MetricRecord | None
    change: Change | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two campaigns: all figures together, each kind of figure, each metric."""

    changes: Changes
    rows: tuple[Row, ...]
    """Every metric that either has, by outcome, and within one from the largest loss."""
    unmeasured: int
    """The number of metrics that both campaigns require and neither has."""

    @property
    def kinds(self) -> dict[str, Change]:
        """The change of all figures of one check in one unit, by kind: ``SsdFio, MiB/s``."""
        return {str(kind): change for kind, change in self.changes.kinds.items()}

    @property
    def result(self) -> Result:
        """Whether there is a regression, or none, or too little was measured to tell."""
        if self.is_regression:
            return Result.REGRESSION
        is_open = self.changes.campaign is None or self.changes.is_undecided
        return Result.UNDECIDED if is_open else Result.NO_REGRESSION

    @property
    def is_regression(self) -> bool:
        """Whether anything is worse with confidence, implausible, or no longer measured."""
        lost = (Outcome.GONE, Outcome.IMPLAUSIBLE)
        return self.changes.is_regression or any(row.outcome in lost for row in self.rows)


def hardware_differences(old: Cluster, new: Cluster) -> list[str]:
    """How the hardware of two clusters differs, in words; names and addresses are ignored."""
    differences = [f"host {name} is gone" for name in old.hosts if name not in new.hosts]
    differences += [f"host {name} is new" for name in new.hosts if name not in old.hosts]
    for name in old.hosts:
        if name in new.hosts:
            before, now = _hardware(old.hosts[name]), _hardware(new.hosts[name])
            differences += [
                f"host {name}: {key} is {now.get(key)}, was {before.get(key)}"
                for key in before | now
                if not _same(key, before.get(key), now.get(key))
            ]
    return differences


_MEMORY = "memory in MiB"


def _hardware(host: Host) -> dict[str, Any]:
    return {
        "cores": host.cores,
        "numa_nodes": host.numa_nodes,
        _MEMORY: host.memory.total_mib,
        "speed in Gbit/s": host.interfaces[host.interface].speed_gbits,
        **{
            f"engine {number}, speed in Gbit/s": host.interfaces[engine.fabric_iface].speed_gbits
            for number, engine in enumerate(host.engines)
        },
        "scratch disk": host.scratch and (host.scratch.ssd or host.scratch.device),
        **{f"SSD {address}": ssd.model for address, ssd in host.nvme.items()},
        "SSDs by datasheet": host.datasheets.ssd,
        "PMem by datasheet": host.datasheets.pmem
        and (f"{host.datasheets.pmem_modules} x {host.datasheets.pmem}"),
        "DRAM by datasheet": host.datasheets.memory
        and (f"{host.datasheets.memory_channels} x {host.datasheets.memory}"),
        "fabric by datasheet": host.datasheets.fabric,
        **{
            f"engine {number}, tier {place}": (tier.class_, *tier.devices)
            for number, engine in enumerate(host.engines)
            for place, tier in enumerate(engine.storage)
        },
    }


def _same(key: str, one: Any, other: Any) -> bool:
    if key == _MEMORY:
        return math.isclose(one, other, rel_tol=MEMORY)
    return bool(one == other)


def compare(old: Sequence[Record], new: Sequence[Record]) -> Comparison:
    """Compare campaigns: each record is a session of the old or of the new side.

    Raises:
        ValueError: the cluster of a bundle is not valid, or a metric changed its unit.
    """
    for side, records in (("old", old), ("new", new)):
        for record in records:
            _, problems = examine(record.cluster.model_dump(mode="json", by_alias=True))
            for problem in problems:
                if problem.severity == "error":
                    raise ValueError(f"the {side} bundle's report.json: its cluster: {problem}")
    before, after = ([_by_key(record) for record in records] for records in (old, new))
    either: dict[str, MetricRecord] = {}
    for metrics in (*before, *after):
        for key, metric in metrics.items():
            was = either.setdefault(key, metric).unit
            if metric.unit != was:
                raise ValueError(f"{metric.key} is in {metric.unit}, and was in {was}")
    # The new campaign's names are used.
    either |= {key: metric for metrics in after for key, metric in metrics.items()}
    limits = _no_limits(list(either.values()))

    def session(metrics: Mapping[str, MetricRecord]) -> Session:
        figures = summarize_all([_figures(metrics.get(key)) for key in either])
        return figures, rate(figures, limits)

    changes = baseline.changes(
        [session(metrics) for metrics in before],
        [session(metrics) for metrics in after],
        limits,
        [f"{metric.check}, {metric.unit}" for metric in either.values()],
    )
    rows = [
        _row(metric, _latest(before, key), _latest(after, key), changes.metric(number))
        for number, (key, metric) in enumerate(either.items())
    ]
    measured = [row for row in rows if row.old or row.new]
    return Comparison(changes, tuple(sorted(measured, key=_place)), len(rows) - len(measured))


def shared(old: Sequence[Record], new: Sequence[Record]) -> str | None:
    """Which metric has the same samples in two sessions, in words; None if there is none.

    A session that is named twice would show that sessions do not differ.
    """
    rows = [
        (f"{side} bundle {number}", key, _figures(metric))
        for side, records in (("old", old), ("new", new))
        for number, record in enumerate(records, 1)
        for key, metric in _by_key(record).items()
    ]
    for row, other, _ in copies([row[2] for row in rows], [row[1] for row in rows], FIRST):
        return f"{rows[row][1]} has the same samples in {rows[other][0]} and in {rows[row][0]}"
    return None


def accepted(record: Record, sums: bytes, cluster: Cluster, before: datetime) -> Accepted:
    """The figures of an accepted campaign, as a floor for the next one of its cluster.

    Args:
        record: its report.json.
        sums: its SHA256SUMS, which identifies the bundle.
        cluster: the cluster of the next campaign.
        before: the start of the next campaign.

    Raises:
        ValueError: the campaign was not accepted or not earlier, or its hardware was different.
    """
    if not (record.passed and record.gate is Gate.ACCEPTANCE):
        raise ValueError(f"it was not accepted: {record.headline}")
    if differ := hardware_differences(record.cluster, cluster):
        raise ValueError(f"it is of other hardware: {differ[0]}")
    if record.measured_to > before:
        raise ValueError(
            f"it was measured until {record.measured_to:%Y-%m-%d %H:%M} UTC, and this campaign"
            f" began at {before:%Y-%m-%d %H:%M} UTC: no campaign is its own baseline"
        )
    return Accepted(
        campaign=f"{record.cluster.name}, {record.measured_from:%Y-%m-%d}",
        measured_to=record.measured_to,
        sha256=hashlib.sha256(sums).hexdigest(),
        # The old name of what is another measurement now still says that this one is required.
        medians={
            key_now(metric.key) or metric.key: metric.summary.median
            for metric in record.metrics
            if metric.summary
        },
    )


def _by_key(record: Record) -> dict[str, MetricRecord]:
    """The metrics of a campaign by key; if a pair was measured in one order only, that is ignored.

    The order of hosts in the inventory decides which end of a pair comes first. Metrics have their
    present names, and those that compare with no present one are left out.
    """
    metrics = {key: metric for metric in record.metrics if (key := key_now(metric.key))}
    unordered: dict[str, str] = {}
    for key, metric in metrics.items():
        subject = Subject.parse(metric.subject)
        if subject.peer is not None:
            other = key.replace(metric.subject, str(subject.peer.to(subject.end)))
            unordered[key] = key if other in metrics else min(key, other)
    return {unordered.get(key, key): metric for key, metric in metrics.items()}


def _latest(sessions: Sequence[Mapping[str, MetricRecord]], key: str) -> MetricRecord | None:
    """The metric in the last session that has figures of it."""
    latest_first = (metrics[key] for metrics in reversed(sessions) if key in metrics)
    return next((metric for metric in latest_first if _figures(metric)), None)


def differences(old: Sequence[Record], new: Sequence[Record]) -> Iterator[str]:
    """Other differences between the sessions that may explain different figures, in words."""
    scales = [{record.scale for record in records} for records in (old, new)]
    yield from _differ("scale", *scales)
    for name in dict.fromkeys(name for record in (*old, *new) for name in record.versions):
        versions = [{r.versions.get(name, "none") for r in records} for records in (old, new)]
        yield from _differ(name, *versions)
    then, now = ({_daos(record.cluster) for record in records} for records in (old, new))
    if not {*then, *now} & {"none"}:
        yield from _differ("DAOS", then, now)


def _differ(name: str, then: set[str], now: set[str]) -> Iterator[str]:
    if len(then | now) > 1:
        yield f"{name}: {_listed(now)}, was {_listed(then)}"


def _daos(cluster: Cluster) -> str:
    return cluster.daos.version if cluster.daos else "none"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _figures(metric: MetricRecord | None) -> Sequence[float]:
    return () if metric is None or metric.verdict is Verdict.MISSING else metric.samples


def _no_limits(metrics: Sequence[MetricRecord]) -> Limits:
    """Limits without floors and ceilings, which a comparison with another campaign does not use."""
    nothing = np.full(len(metrics), np.nan)
    return Limits(
        best=nothing,
        worst=nothing,
        more=np.array([metric.better == "higher" for metric in metrics], dtype=bool),
        group=numbered((m.check, m.metric, m.partition) for m in metrics),
        subject=numbered((m.check, m.partition, m.subject) for m in metrics),
        host=numbered(m.host for m in metrics),
        ends=no_ends(len(metrics)),
    )


def _row(
    metric: MetricRecord, old: MetricRecord | None, new: MetricRecord | None, change: Change | None
) -> Row:
    old, new = (m if m and _figures(m) else None for m in (old, new))
    return Row(metric.key, metric.unit, old, new, change, _outcome(old, new, change))


def _outcome(old: MetricRecord | None, new: MetricRecord | None, change: Change | None) -> Outcome:
    if new is None:
        return Outcome.GONE
    if change is None or old is None:
        return Outcome.NEW
    if change.is_loss:
        return Outcome.WORSE
    if new.verdict is Verdict.IMPLAUSIBLE and old.verdict is not Verdict.IMPLAUSIBLE:
        return Outcome.IMPLAUSIBLE
    if change.is_gain:
        return Outcome.BETTER
    return Outcome.OPEN if change.is_undecided else Outcome.SAME


def _place(row: Row) -> tuple[int, float]:
    return list(Outcome).index(row.outcome), row.change.gain if row.change else 0.0
