"""A part of a DAOS system is taken away under load, and comes back: what its checks share.

The load is fio's on all clients, in a pool of the check's own whose data survives the loss of one
rank. `reframe-checks/lose_rank.py` takes the part away meanwhile, and brings it back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from statistics import mean, median

from assay.checks import recovery_limits as limits
from assay.checks.entry import (
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Run,
    Scales,
)
from assay.checks.estimates import FABRIC_MIB_S, SRUN_S
from assay.checks.figures import Unrated, exactly
from assay.checks.load import of_scale
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.checks.subjects import each_engine
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools import fio_load, fio_log
from assay.tools.daos import recovery, timeline
from assay.tools.daos.losses import Loss
from assay.tools.daos.timeline import Timeline
from assay.tools.output import Parsed, Sample, merged

TOOL = "loss"

LABEL = "assay-failure"
"""The label of their pool."""

CONTAINER = "load"

OCLASS = "RP_2GX"
"""Two copies of each object, over all targets."""

LEAST_RANKS = 3
"""Engines of a system in which two copies have places again after the loss of one."""

LEAST_SERVERS = 2
"""Servers of a system in which two copies are in different fault domains, as DAOS requires."""

LEAST_TARGETS = 2
"""Targets of each engine: with one, DAOS 2.8 aborts clients that create objects of class RP_2GX
while a rank is excluded (`reserve_grp_by_rf` in its src/object/obj_class.c; seen)."""

PROCESSES: Mapping[str, int] = {"quick": 2, "acceptance": 8}
"""Processes of fio on each client, which each read one file and write another."""

FILES = 2
"""Files of each process."""

ROOM = 12
"""The size of the pool in multiples of the files: two copies of what was written before the loss,
of what is written after it and of what the loads overwrite, none of which DAOS aggregates while it
rebuilds, on fewer targets that fill unevenly (own choice: with 8, clients had no space left on a
DAOS 2.8 that took a target back)."""

LEAST_ROOM_MIB = 2048
"""The smallest size of the pool: each target needs some for itself (own choice)."""

LOST, BACK = "lost", "back"
"""The steps under load: while a part is lost, and while it comes back; the number of the loss
follows, as it does after the others."""

SCALES: Scales = {
    "quick": {"repetitions": 1, "window_s": 20, "file_mib": 32},
    "acceptance": {"repetitions": 3, "window_s": 60, "file_mib": 1024},
}
"""`window_s`: seconds of load before the loss, and after each recovery; `file_mib`: of each of the
two files of a process (own choices)."""


def is_possible(cluster: Cluster) -> bool:
    """Whether both consents were given, and the system survives the loss of a rank."""
    daos = cluster.daos
    return (
        daos is not None
        and daos.failure
        and daos.version in recovery.RELEASES
        and cluster.benchmarks.fio_dfs is not None
        and not unable(cluster)
    )


def unable(cluster: Cluster) -> str:
    """Why the system would not survive the loss of a rank; empty if it would."""
    engines = each_engine(cluster, "servers")
    if len(engines) < LEAST_RANKS:
        return f"it has {len(engines)} engines, and {LEAST_RANKS} are needed"
    if len({each.host for each in engines}) < LEAST_SERVERS:
        return "all of its engines are in one server, which is one fault domain"
    if min(cluster.engine(each).targets for each in engines) < LEAST_TARGETS:
        return f"an engine has fewer than {LEAST_TARGETS} targets"
    return ""


def the_last_engine(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The engine that loses something: the last one, whose server rarely leads the system."""
    return each_engine(cluster, partition)[-1:]


def processes(run: Run) -> int:
    """The processes of fio on each client."""
    return of_scale(PROCESSES, run.scale)


def written_mib(run: Run) -> int:
    """MiB of all files of all clients."""
    return len(run.hosts) * processes(run) * FILES * run.sizes["file_mib"]


def pools_at_risk(labels: Collection[str], described: Collection[str], check: str) -> list[str]:
    """Pools that a check would harm, in sentences.

    Args:
        labels: those of all pools of the system.
        described: those of the inventory.
        check: its name.
    """
    if LABEL in labels:
        return [f"the system has a pool {LABEL}, which {check} would destroy: rename or destroy it"]
    others = sorted({*labels} - {*described})
    if not others:
        return []
    return [
        f"the system has pools of others ({', '.join(others)}), which would lose redundancy or"
        " data: checks of the phase failure are for a system that has none but those of"
        " daos_system_pools"
    ]


def pool_mib(run: Run) -> int:
    """MiB of the pool, on all ranks together."""
    return max(LEAST_ROOM_MIB, ROOM * written_mib(run))


# How a run is read.


def logs(run: Run, left: SubjectOutputs, step: str) -> list[fio_log.Log]:
    """The logs of all processes of a step."""
    count = processes(run)
    numbered = [("read", number) for number in range(1, count + 1)]
    numbered += [("write", number) for number in range(count + 1, 2 * count + 1)]
    return [
        fio_log.parse(left.text(f"{step}.{host}.{job}_bw.{number}", "log"))
        for host in run.hosts
        for job, number in numbered
    ]


def series(run: Run, left: SubjectOutputs, number: int) -> dict[int, float]:
    """MiB/s of all clients in each second of both loads of a loss, since the epoch."""
    rates: dict[int, float] = {}
    for load in (LOST, BACK):
        rates |= fio_log.together(logs(run, left, f"{load}.{number}"))
    return rates


def line_of(raw: RawOutputs, number: int) -> Timeline:
    """The time line of a loss."""
    return timeline.parse(raw.answer(f"{timeline.NAME}.{number}"))


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    return merged(TOOL, (_of_loss(run, raw.of(subject), raw, number) for number in run.times))


def _of_loss(run: Run, left: SubjectOutputs, raw: RawOutputs, number: int) -> Parsed:
    line = line_of(raw, number)
    assert isinstance(run.check, LossCheck)
    if problems := tuple(_not_recovered(run.check.loss, line)):
        return Parsed(TOOL, (), problems)
    found = _Found(run, left, line, number)
    return Parsed(TOOL, tuple(found.samples()), tuple(found.problems))


def _not_recovered(loss: Loss, line: Timeline) -> Iterator[str]:
    """Why the system did not go the whole way, the first reason first."""
    if line.problems:
        yield from line.problems
    elif line.lost is None:
        yield "no rank was lost: there is no time line, or it ends before"
    else:
        for wait in loss.waits:
            if getattr(line, wait.moment) is None:
                yield f"{wait.missing} while it was observed"
                return


class _Found:
    """The samples of a run whose time line is complete."""

    def __init__(self, run: Run, left: SubjectOutputs, line: Timeline, number: int) -> None:
        self.run, self.left, self.line, self.number = run, left, line, number
        self.problems: list[str] = []
        self.logs = {load: logs(run, left, f"{load}.{number}") for load in (LOST, BACK)}
        self.ends = {
            load: max((log[-1][0] for log in each if log), default=0.0)
            for load, each in self.logs.items()
        }
        self.rates = series(run, left, number)

    def samples(self) -> Iterator[Sample]:
        """One of each metric of the check."""
        for metric in self.run.check.metrics:
            for value in FIGURES[metric.name](self, metric.name):
                yield Sample(metric.name, value, metric.unit)

    def at(self, moment: str) -> float:
        """A moment of the time line, or the end of a load, in seconds since the epoch."""
        if moment == BEGUN:
            return min(self.rates, default=0) + 1
        if moment in ENDED:
            return self.ends[ENDED[moment]]
        return float(getattr(self.line, moment))

    def stall(self) -> float:
        """The longest time in seconds in which one process completed nothing, in either load."""
        return max(fio_log.longest_gap(each, self.ends[load]) for load, each in self.logs.items())

    def rate(self, name: str, start: str, end: str) -> Iterator[float]:
        """The median of the seconds of a window, which must be at least half as long as asked."""
        window = self.window(start, end)
        moving = sum(rate > 0 for rate in window)
        if moving < self.run.sizes["window_s"] / 2:
            self.problems.append(
                f"{name}: the clients moved data in {moving} s of a window of"
                f" {self.run.sizes['window_s']} s, so there is no figure"
            )
            return
        yield median(window)

    def rate_meanwhile(self, name: str, start: str, end: str) -> Iterator[float]:
        """The mean of a step that takes as long as DAOS needs; seconds of a stall count as 0."""
        window = self.window(start, end)
        if not any(window):
            self.problems.append(
                f"{name}: the clients moved no data in the {len(window)} s of the step, so there is"
                " no figure"
            )
            return
        yield mean(window)

    def window(self, start: str, end: str) -> list[float]:
        """MiB/s of the whole seconds between two moments."""
        first, last = self.at(start), self.at(end) - 1
        return [rate for second, rate in self.rates.items() if first < second < last]

    def reports(self, step: str) -> Iterator[Sample]:
        for host in self.run.hosts:
            parsed = fio_load.parse(self.left.text(f"{step}.{self.number}.{host}", "json"))
            self.problems += [f"{step}.{self.number} on {host}: {why}" for why in parsed.problems]
            yield from parsed.samples

    def clean(self) -> int:
        """The processes of both loads that saw no error."""
        errors = [s.value for step in self.logs for s in self.reports(step) if s.metric == "errors"]
        return sum(each == 0 for each in errors)

    def verified(self) -> float:
        """MiB of both files that are as they were written."""
        return sum(s.value for s in self.reports("verify") if s.metric == "whole")


Figure = Callable[[_Found, str], Iterator[float]]


def _span(start: str, end: str) -> Figure:
    """Seconds between two moments."""
    return lambda found, _: iter([found.at(end) - found.at(start)])


def _rate(start: str, end: str) -> Figure:
    return lambda found, name: found.rate(name, start, end)


BEGUN, AWAY_ENDED, BACK_ENDED = "begun", "away ended", "back ended"
"""The first whole second of the load, and the ends of both loads."""

ENDED = {AWAY_ENDED: LOST, BACK_ENDED: BACK}

FIGURES: Mapping[str, Figure] = {
    "exclusion": _span("lost", "excluded"),
    "redundancy": _span("lost", "redundant"),
    "drained": _span("lost", "at_rest"),
    "reintegration": _span("reintegrated", "whole"),
    "longest_stall": lambda found, _: iter([found.stall()]),
    "bandwidth_before": _rate(BEGUN, "lost"),
    "bandwidth_degraded": _rate("redundant", AWAY_ENDED),
    "bandwidth_draining": lambda found, name: found.rate_meanwhile(name, "lost", "at_rest"),
    "bandwidth_drained": _rate("at_rest", AWAY_ENDED),
    "bandwidth_after": _rate("whole", BACK_ENDED),
    "clean_processes": lambda found, _: iter([float(found.clean())]),
    "verified": lambda found, _: iter([found.verified()]),
}
"""How each metric of these checks is read from a run that went the whole way."""


def writings(number: int) -> tuple[int, int]:
    """The numbers of the two writings of a loss: before it, and while the rank is away."""
    return 2 * number - 1, 2 * number


def _steps(run: Run, _: Subject) -> Iterator[str]:
    yield "container"
    for number in run.times:
        before, away = writings(number)
        yield from (f"write.{before}", f"{LOST}.{number}")
        yield from (f"write.{away}", f"{BACK}.{number}", f"verify.{number}")


def _takes(recovery_s: float) -> Callable[[Run], float]:
    """For each loss three windows, what DAOS takes, and the files written and read."""

    def takes(run: Run) -> float:
        moved = 3 * written_mib(run) / (FABRIC_MIB_S * len(run.hosts))
        each = 5 * SRUN_S + 3 * run.sizes["window_s"] + recovery_s + moved
        return run.repetitions * each

    return takes


# What is expected.


def clean(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """No process of either load sees an error."""
    clients = len(cluster.members(requirement.partition))
    count = 2 * FILES * of_scale(PROCESSES, measured.scale) * clients
    return exactly(requirement, count, f"all {count} processes of both loads, without an error")


def verified(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """All data is as it was written."""
    clients = len(cluster.members(requirement.partition))
    sizes = SCALES.get(measured.scale, SCALES["acceptance"])
    mib = clients * of_scale(PROCESSES, measured.scale) * FILES * sizes["file_mib"]
    return exactly(requirement, mib, f"all {mib} MiB that were written, block by block")


UNPUBLISHED = Unrated(
    "no figure of another system is published; compare it with an accepted campaign"
)

BEFORE = Metric("bandwidth_before", "MiB/s", Unrated("the others are judged by it"))

AFTER = Metric(
    "bandwidth_after",
    "MiB/s",
    limits.part_of(BEFORE.name, limits.back, "the system is whole (own choice)"),
)

COUNTED = (
    Metric("clean_processes", "process", clean),
    Metric("verified", "MiB", verified),
)
"""What every such check counts, whatever is lost."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LossCheck(Check):
    """A check that takes a part away."""

    loss: Loss


def check_of(name: str, loss: Loss, metrics: tuple[Metric, ...], recovery_s: float) -> LossCheck:
    """The check of a kind of loss.

    Args:
        name: its name.
        loss: the kind.
        metrics: each with a name of `FIGURES`.
        recovery_s: what DAOS is expected to take for one loss of little data, in seconds.
    """
    return LossCheck(
        name,
        "endtoend",
        "failure",
        ("client", "daos", "survives_loss"),
        the_last_engine,
        metrics,
        loss=loss,
        scales=SCALES,
        reading=Reading(_parsed, _steps),
        takes=_takes(recovery_s),
    )
