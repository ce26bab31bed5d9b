"""The engines' own metrics during a check: outliers among them, load of others, and errors.

The job reads the engines' metrics before and after each step.

They help to explain a verdict, and change it in one case: where the engines moved less than the
benchmark reports, the figure is not one of the storage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.campaign.cases import Case
from assay.campaign.results import Results
from assay.checks.plan import CHECKS, CaseKey, Plan
from assay.cluster.description import Cluster
from assay.foreign.text import quoted
from assay.judge.engine_logs import logged
from assay.judge.engine_steps import Activity, Way, add, ssds
from assay.judge.outliers import IN_WORDS, MOST_NAMED, Outlier, in_words, named_from, outliers
from assay.judge.pool_pressure import pressed
from assay.tools.daos.telemetry import (
    ERRORS,
    Place,
)

FOREIGN = 0.05
"""Share of the engines' bytes above which load of others is reported; metadata and the benchmark's
own files have less (own choice)."""

SHORT = 0.05
"""Share of the bytes that a benchmark reports by which the engines may fall short of it: readings
and steps do not end at the same moment (own choice)."""


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines' report on one check on one partition."""

    check: str
    partition: str
    outliers: tuple[str, ...]
    """The ranks and targets that are outliers, the worst first, each in a sentence."""
    findings: tuple[str, ...]
    """Other reasons to doubt the figures: load of others, errors, a rebuild."""
    unread: str = ""
    """Why metrics were not read, or not all of them; empty if they were."""
    servers: tuple[str, ...] = ()
    """The hosts of ranks that are outliers, restarted or counted errors, and those not read."""
    short: Mapping[Way, str] = field(default_factory=dict)
    """Where the engines surely moved less than the benchmark reports, each in a sentence."""
    named_from: Mapping[str, float] = field(default_factory=dict)
    """How many times as slow as its peers a rank has to be to be named, by operation."""
    errors: tuple[str, ...] = ()
    """Those of the findings that an engine counted as errors, and its restarts."""

    @property
    def sentence(self) -> str:
        """Everything in one sentence."""
        if self.unread and not (self.outliers or self.findings):
            return f"{self.unread}; figures are judged without them"
        shown = [*self.outliers[:MOST_NAMED], *self.findings]
        if more := len(self.outliers) - MOST_NAMED:
            shown += [f"and {more:,} more"] if more > 0 else []
        sentence = "; ".join(shown) or f"{_NOBODY}{self._unseen()}"
        return f"{sentence}; {self.unread}" if self.unread else sentence

    def _unseen(self) -> str:
        """How slow a rank may be without being named."""
        seen = {name: ratio for name, ratio in self.named_from.items() if ratio <= MOST_TIMES}
        if not self.named_from or not seen:
            return ", but they could not be compared" if self.named_from else ""
        each = ", ".join(f"{ratio:.2g} times ({name})" for name, ratio in seen.items())
        lost = [name for name in self.named_from if name not in seen]
        rest = f"; not compared: {', '.join(lost)}" if lost else ""
        return f"; a rank is named only above {each} that of its peers{rest}"

    @property
    def case(self) -> CaseKey:
        """The check on its partition."""
        return CaseKey(self.check, self.partition)


_NOBODY = "no rank or target is an outlier in latency"

MOST_TIMES = 100.0
"""Ratio above which the report says that ranks were not compared (own choice)."""


def engines(cluster: Cluster, plan: Plan, results: Results) -> tuple[Engines, ...]:
    """The engines' report on each check that watches them, or during which they logged errors."""
    watched = (key for key in plan.cases if CHECKS[key.check].reading.watches_engines)
    cases = (results.cases.get(key) for key in watched)
    all_reports = (_of_case(cluster, plan, case) for case in cases if case is not None)
    reports = {each.case: each for each in all_reports if each is not None}
    for key, report in reports.items():
        if full := pressed(cluster, results.cases[key]):
            reports[key] = replace(report, findings=(*report.findings, full))
    for key, errors in logged(cluster, plan, results).items():
        report = reports.get(key, Engines(*key, (), ()))
        reports[key] = replace(report, findings=(*report.findings, *errors))
    return tuple(reports.values())


def _of_case(cluster: Cluster, plan: Plan, case: Case) -> Engines | None:
    """The engines' report on one check; None if it never reached DAOS."""
    outputs = [job.output for job in case.jobs if job.output is not None]
    if not outputs or cluster.daos is None:
        return None
    subjects = [each for each in plan.subjects(case.key) if each.backend != _WITHOUT_DAOS]
    if not subjects:
        return None
    found = cluster.daos.found
    if found and not found.telemetry:
        why = "the engines' metrics were not read: daos.found.telemetry names no server"
        return Engines(case.check, case.partition, (), (), why)
    unwatched = [
        name for name in cluster.daos.servers if not cluster.hosts[name].server.telemetry_port
    ]
    if unwatched:
        also = f" and {len(unwatched) - 1:,} more" if len(unwatched) > 1 else ""
        why = f"the engines' metrics were not read: no telemetry port on {unwatched[0]}{also}"
        return Engines(case.check, case.partition, (), (), why)
    engines = sum(len(cluster.hosts[name].engines) for name in cluster.daos.servers)
    alone = CHECKS[case.check].reading.of_one_rank
    ranks = found.ranks if found else engines
    seen = Activity(ranks=1 if alone else ranks, all_ranks=len(subjects) if alone else ranks)
    for job, output in enumerate(outputs):
        raw = output.raw
        seen.ssds.update(ssds(raw))
        for subject in subjects:
            add(seen, cluster, case.check, subject, raw, job)
    return _judged(case, seen)


_WITHOUT_DAOS = "posix"
"""The backend that does not use DAOS."""


def _judged(case: Case, seen: Activity) -> Engines:
    unread = ""
    if seen.silent:
        host, why = next(iter(seen.silent.items()))
        more = f", nor those of {len(seen.silent) - 1:,} more" if len(seen.silent) > 1 else ""
        unread = f"the metrics of {host} were not read{more}: {why}"
    elif seen.problems:
        unread = seen.problems[0]
    elif not seen.steps:
        unread = "the engines' metrics were not read by the job"
    elif (lacking := seen.all_ranks - len(seen.hosts)) > 0:
        unread = (
            f"the metrics of {lacking:,} of {seen.all_ranks:,} ranks were not read: no server"
            " reports them"
        )
    compared = dict(_compared(seen))
    outliers = sorted(_outliers(compared), key=lambda each: -each.ratio)
    return Engines(
        case.check,
        case.partition,
        tuple(in_words(outliers, seen.hosts, seen.ssds)),
        tuple(_findings(seen)),
        unread,
        _servers(seen, outliers),
        _short(seen),
        {operation: named_from(steps) for operation, steps in compared.items()},
        tuple(_errors(seen)),
    )


def _servers(seen: Activity, outliers: Iterable[Outlier]) -> tuple[str, ...]:
    """The servers that are named, the worst first."""
    ranks = [
        *(each.rank for each in outliers),
        *sorted(seen.restarted),
        *(rank for rank, _, _ in seen.failed),
    ]
    hosts = [*(seen.hosts[rank] for rank in ranks if rank in seen.hosts), *seen.silent]
    return tuple(dict.fromkeys(hosts))


def _findings(seen: Activity) -> Iterator[str]:
    moved = sum(seen.moved.values())
    most = sum(
        asked * (seen.parts if way[1] == "write" else 1) for way, asked in seen.asked.items()
    )
    if most < moved * (1 - FOREIGN):
        others = 1 - most / moved
        yield f"others used the system: {others:.0%} of the bytes were not from this check"
    for (subject, direction), sentence in _short(seen).items():
        yield f"{direction} on {subject}: {sentence}"
    yield from list(seen.claimed)[:MOST_NAMED]
    if seen.rebuilt:
        ranks = ", ".join(map(str, sorted(seen.rebuilt)[:MOST_NAMED]))
        yield f"a rebuild or reintegration moved data between engines meanwhile: rank {ranks}"
    yield from _errors(seen)


def _errors(seen: Activity) -> Iterator[str]:
    for rank in sorted(seen.restarted):
        yield f"rank {rank} on {seen.hosts[rank]} restarted during the check"
    errors = sorted(seen.failed.items(), key=lambda item: -item[1])
    for (rank, metric, detail), count in errors[:MOST_NAMED]:
        what = f"{ERRORS[metric]}{f' ({quoted(detail)})' if 'nvme' in metric and detail else ''}"
        yield f"rank {rank} on {seen.hosts[rank]} counted {what}: {count:.0f}"
    if len(errors) > MOST_NAMED:
        yield f"error counts not listed: {len(errors) - MOST_NAMED:,}"


def _short(seen: Activity) -> dict[Way, str]:
    """Where the engines moved less than the benchmark reports.

    Others can only add to what the engines moved, so this is sure.
    """
    return {
        way: (
            f"the engines moved {seen.moved[way] / asked:.0%} of the bytes that the benchmark"
            " reports, redundancy included: a cache or a hole"
        )
        for way, asked in seen.asked.items()
        if seen.moved[way] < asked * (1 - SHORT)
    }


_Steps = Sequence[Mapping[Place, tuple[float, float]]]


def _compared(seen: Activity) -> Iterator[tuple[str, _Steps]]:
    """The steps by which ranks and targets are compared, for each operation."""
    for operation in IN_WORDS:
        sizes = [
            list(steps.values()) for (name, _), steps in seen.latency.items() if name == operation
        ]
        if sizes:
            # Use the size that took the engines longest; the others are metadata and remainders.
            yield operation, max(sizes, key=_busy)


def _outliers(compared: Mapping[str, _Steps]) -> Iterator[Outlier]:
    for operation, steps in compared.items():
        yield from outliers(operation, steps)


def _busy(steps: _Steps) -> float:
    return sum(squares for step in steps for _, squares in step.values())
