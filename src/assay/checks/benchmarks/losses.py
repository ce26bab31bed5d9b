"""A part of a DAOS system is taken away under load, and comes back: what its checks share.

`reframe-checks/lose_rank.py` takes the part away, or adds one, while the load of `loss_load` runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import dropwhile
from statistics import mean, median

from assay.checks import recovery_limits as limits
from assay.checks.benchmarks.loss_load import (
    BACK,
    FILES,
    LOST,
    PROCESSES,
    SCALES,
    processes,
    the_last_engine,
    writings,
    written_mib,
)
from assay.checks.entry import (
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Run,
)
from assay.checks.estimates import FABRIC_MIB_S, SRUN_S
from assay.checks.figures import Unrated, exactly
from assay.checks.load import of_scale
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools import fio_load, fio_log
from assay.tools.daos import timeline
from assay.tools.daos.losses import Loss
from assay.tools.daos.timeline import Timeline
from assay.tools.output import Parsed, Sample, merged

TOOL = "loss"

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
    elif getattr(line, loss.first.event) is None:
        yield f"{loss.first.undone}: the time line ends before, or is missing"
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
        if moment == LEAVES:
            return self.ends[LOST] if self.line.lost is None else self.line.lost
        if moment in ENDED:
            return self.ends[ENDED[moment]]
        return float(getattr(self.line, moment))

    def stall(self) -> float:
        """The longest time in seconds in which one process completed nothing, in either load."""
        return max(fio_log.longest_gap(each, self.ends[load]) for load, each in self.logs.items())

    def rate(self, name: str, start: str, end: str) -> Iterator[float]:
        """The median of the seconds of a window, which must be at least half as long as asked.

        It begins when data moves: until then RPCs to what is gone time out, and that is the stall.
        """
        window = list(dropwhile(lambda rate: not rate, self.window(start, end)))
        moving = sum(rate > 0 for rate in window)
        least = max(len(window), self.run.sizes["window_s"])
        if moving < least / 2:
            self.problems.append(
                f"{name}: the clients moved data in {moving} s of a window of {least} s, so there"
                " is no figure"
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


BEGUN, LEAVES, AWAY_ENDED, BACK_ENDED = "begun", "leaves", "away ended", "back ended"
"""The first whole second of the load, the loss in it or its end if nothing is lost, and the ends of
both loads."""

ENDED = {AWAY_ENDED: LOST, BACK_ENDED: BACK}

FIGURES: Mapping[str, Figure] = {
    "service": _span("lost", "served"),
    "exclusion": _span("lost", "excluded"),
    "redundancy": _span("lost", "redundant"),
    "reconnection": _span("lost", "connected"),
    "drained": _span("lost", "at_rest"),
    "reintegration": _span("reintegrated", "whole"),
    "longest_stall": lambda found, _: iter([found.stall()]),
    "extension": _span("extended", "whole"),
    "bandwidth_before": _rate(BEGUN, LEAVES),
    "bandwidth_degraded": _rate("redundant", AWAY_ENDED),
    "bandwidth_draining": lambda found, name: found.rate_meanwhile(name, "lost", "at_rest"),
    "bandwidth_drained": _rate("at_rest", AWAY_ENDED),
    "bandwidth_without_agent": lambda found, name: found.rate_meanwhile(name, "lost", "connected"),
    "bandwidth_reconnected": _rate("connected", AWAY_ENDED),
    "bandwidth_extending": lambda found, name: found.rate_meanwhile(name, "extended", "whole"),
    "bandwidth_after": _rate("whole", BACK_ENDED),
    "clean_processes": lambda found, _: iter([float(found.clean())]),
    "verified": lambda found, _: iter([found.verified()]),
}
"""How each metric of these checks is read from a run that went the whole way."""


def containers(run: Run) -> tuple[int, ...]:
    """The numbers of the losses before which the job makes a container: once for each pool."""
    assert isinstance(run.check, LossCheck)
    return tuple(run.times) if run.check.loss.grows else (1,)


def _steps(run: Run, _: Subject) -> Iterator[str]:
    for number in run.times:
        before, away = writings(number)
        if number in containers(run):
            yield f"container.{number}"
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

STALL = Metric("longest_stall", "s", limits.stall, better="lower")

DEGRADED = Metric(
    "bandwidth_degraded",
    "MiB/s",
    limits.part_of(BEFORE.name, limits.left, "half of what the other engines did (own choice)"),
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


def check_of(
    name: str,
    loss: Loss,
    metrics: tuple[Metric, ...],
    recovery_s: float,
    subjects: Callable[[Cluster, Partition], tuple[Subject, ...]] = the_last_engine,
) -> LossCheck:
    """The check of a kind of loss.

    Args:
        name: its name.
        loss: the kind.
        metrics: each with a name of `FIGURES`.
        recovery_s: what DAOS is expected to take for one loss of little data, in seconds.
        subjects: the engine that it happens to.
    """
    return LossCheck(
        name,
        "endtoend",
        "failure",
        ("client", "daos", "survives_loss"),
        subjects,
        metrics,
        loss=loss,
        scales=SCALES,
        reading=Reading(_parsed, _steps),
        takes=_takes(recovery_s),
    )
