"""The evidence for bad figures of DAOS: which files of the bundle show what happened meanwhile.

A figure is bad if it is `below`, `missing` or `implausible`; waivers do not change that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from assay.campaign import engine_logs, support_logs
from assay.campaign.cases import Case
from assay.campaign.engine_logs import EngineLog
from assay.campaign.results import Results
from assay.campaign.support_logs import SupportLog
from assay.checks.plan import CHECKS, CaseKey, Plan, Requirement
from assay.checks.raw import directory_of
from assay.cluster.description import Cluster
from assay.foreign import limits
from assay.foreign.text import one_line
from assay.judge.engine_logs import MOST_NAMED, While, errors_meanwhile, while_it_ran
from assay.judge.engines import Engines
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict
from assay.subject import Subject

BAD = (Verdict.MISSING, Verdict.IMPLAUSIBLE, Verdict.BELOW)
"""The verdicts that need evidence; `unsteady` needs more samples."""

MOST_LINES = 300
"""Errors in the excerpt of a check (this project's own choice); all of them are in the bundle."""

DIRECTORY = "evidence"
"""The directory of the excerpts in a bundle."""

_READING = ".engines.gz"
"""The end of the names of readings of the engines."""

_OF_SSDS = "devices."
"""The beginning of the names of dmg's answers about SSDs."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for the bad figures of one check on one partition, as paths in the bundle."""

    check: str
    partition: str
    telemetry: tuple[str, ...] = ()
    """The engines' metrics before the first step and after each one."""
    logs: tuple[str, ...] = ()
    """The excerpt of the engines' errors, if there are any, then all errors of each session."""
    devices: tuple[str, ...] = ()
    """dmg's answers about SSDs, before and after."""
    system: tuple[str, ...] = ()
    """Its answers about ranks, pools and the container, and those of daos."""
    job: tuple[str, ...] = ()
    """The job script, and what it printed."""
    servers: tuple[str, ...] = ()
    """The servers whose ranks are named by the engines' metrics, or logged errors meanwhile."""
    support: tuple[str, ...] = ()
    """The whole logs of these servers, if somebody collected them."""
    notes: tuple[str, ...] = ()
    """What was cut, and what is lacking and why, each in a sentence."""
    excerpts: Mapping[str, str] = field(default_factory=dict)
    """The content of the excerpt, by its path."""

    @property
    def case(self) -> CaseKey:
        """The check on its partition, by whose name figures refer to it."""
        return CaseKey(self.check, self.partition)


def evidence(
    cluster: Cluster,
    plan: Plan,
    results: Results,
    judgements: Iterable[Judgement],
    reported: Iterable[Engines],
) -> tuple[Evidence, ...]:
    """The evidence for each check of the phase `system` that has a bad figure.

    Args:
        cluster: the cluster; without DAOS, nothing is to be shown.
        plan: the plan.
        results: the results of the campaign, with raw outputs.
        judgements: the judgements, without waivers.
        reported: what the engines report.
    """
    bad: dict[CaseKey, dict[Subject, None]] = defaultdict(dict)
    for judgement in judgements if cluster.daos else ():
        if is_bad(judgement.requirement, judgement.verdict):
            required = judgement.requirement
            bad[required.case][required.subject] = None
    named = {each.case: each.servers for each in reported}
    return tuple(
        _of_case(cluster, results, case, list(bad_subjects), plan.subjects(key), named.get(key, ()))
        for key, bad_subjects in bad.items()
        if (case := results.cases.get(key)) is not None
    )


def is_bad(required: Requirement, verdict: Verdict) -> bool:
    """Whether a figure needs evidence, by its verdict without a waiver."""
    return verdict in BAD and CHECKS[required.check].phase == "system"


def _of_case(
    cluster: Cluster,
    results: Results,
    case: Case,
    bad: Sequence[Subject],
    subjects: Sequence[Subject],
    named: Sequence[str],
) -> Evidence:
    ran = while_it_ran(case, subjects)
    lines = sorted(_lines(cluster, results, ran))
    answers = list(_below(case, "system"))
    devices = [path for path in answers if path.rpartition("/")[2].startswith(_OF_SSDS)]
    telemetry = list(_telemetry(case, bad, ran))
    sessions = [f"{engine_logs.DIRECTORY}/{session.name}" for session in results.engine_errors]
    path = f"{DIRECTORY}/{case.partition}/{case.check}.engine-errors.txt"
    excerpt = _excerpt(case, ran, lines)
    servers = tuple(dict.fromkeys((*named, *(line.host for line in lines))))
    hosts = {name.partition(".")[0] for name in servers}
    whole = tuple(log for log in results.support_logs if log.host in hosts)
    return Evidence(
        case.check,
        case.partition,
        telemetry=tuple(telemetry),
        logs=(path, *sessions) if excerpt else tuple(sessions),
        devices=tuple(devices),
        system=tuple(path for path in answers if path not in devices),
        job=tuple(_job(case)),
        servers=servers,
        support=tuple(path for path, _ in support_logs.files(whole)),
        notes=(
            *_lacking(cluster, results, case, ran, telemetry, lines, answers),
            *_cut(cluster, results, ran, lines),
            *_cut_whole(whole),
        ),
        excerpts={path: excerpt} if excerpt else {},
    )


def _below(case: Case, directory: str) -> Iterator[str]:
    """The files in a directory of `raw/` that are not empty, as paths in the bundle."""
    for job in case.jobs:
        if job.output:
            yield from (f"{job.place}/{name}" for name in job.output.below(directory))


def _telemetry(case: Case, bad: Sequence[Subject], ran: While) -> Iterator[str]:
    """The readings of the engines for some subjects, each in the order of the steps."""
    order = {f"{name}{_READING}": number for number, name in enumerate(("start", *ran.steps))}
    for subject in bad:
        paths = [path for path in _below(case, directory_of(subject)) if path.endswith(_READING)]
        yield from sorted(paths, key=lambda path: order.get(path.rpartition("/")[2], len(order)))


def _job(case: Case) -> Iterator[str]:
    """The scripts of its jobs and what these printed; empty files show nothing."""
    for job in case.jobs:
        for name, size in job.output.files if job.output else ():
            if size and (name.startswith("rfm_job.") or name == "partition.sh"):
                yield f"{job.place}/{name}"


class _Line(NamedTuple):
    """An error that an engine logged."""

    at: float
    engine: str
    facility: str
    message: str
    host: str

    def __str__(self) -> str:
        return f"{_at(self.at)}  {self.engine}  {self.facility}  {self.message}"


def _lines(cluster: Cluster, results: Results, ran: While) -> Iterator[_Line]:
    """The errors that engines logged while a check ran."""
    for engine, _, (at, facility, message) in errors_meanwhile(results, ran):
        name = ran.name(cluster, engine)
        yield _Line(at, name, one_line(facility), one_line(message), engine[0])


def _excerpt(case: Case, ran: While, lines: Sequence[_Line]) -> str:
    """The errors as a text; empty if there are none."""
    if not lines:
        return ""
    head = (
        f"Errors that engines logged during {case.check} on {case.partition},"
        f" {_at(min(start for start, _ in ran.windows))} to"
        f" {_at(max(end for _, end in ran.windows))}: time (UTC), engine, part of DAOS, message\n\n"
    )
    shown = [f"{each}\n" for each in lines[:MOST_LINES]]
    more = [f"\nCut here: {note}.\n" for note in _too_many(lines)]
    return "".join([head, *shown, *more])


def _too_many(lines: Sequence[object]) -> Iterator[str]:
    if len(lines) > MOST_LINES:
        yield (
            f"these are the first {MOST_LINES} of {len(lines):,} errors; the files in"
            f" {engine_logs.DIRECTORY}/ have the others"
        )


def _cut(cluster: Cluster, results: Results, ran: While, lines: Sequence[object]) -> Iterator[str]:
    """Where the engines' errors were cut."""
    yield from (f"the excerpt of the engines' logs was cut: {note}" for note in _too_many(lines))
    if cut := _engines(cluster, results, ran, lambda log: log.cut):
        yield (
            f"{_some(cut)} may have logged more errors in a session than its server returned"
            f" (at most {limits.ENGINE_ERRORS}): see its own log"
        )


def _engines(
    cluster: Cluster, results: Results, ran: While, has: Callable[[EngineLog], object]
) -> list[str]:
    """The engines with such a log in any session, if something in it can be of the check."""
    names = dict.fromkeys(
        ran.name(cluster, engine)
        for session in (results.engine_errors if ran.windows else ())
        for engine, log in session.logs.items()
        if has(log)
    )
    return list(names)


def _cut_whole(logs: Sequence[SupportLog]) -> Iterator[str]:
    """Where whole logs were cut."""
    if cut := sum(log.is_cut for log in logs):
        yield (
            f"{cut:,} of {len(logs):,} whole logs were cut: each of these begins with a line that"
            " says so"
        )


def _lacking(
    cluster: Cluster,
    results: Results,
    case: Case,
    ran: While,
    telemetry: Sequence[str],
    lines: Sequence[object],
    answers: Sequence[str],
) -> Iterator[str]:
    """What is not there, each with the reason."""
    if not CHECKS[case.check].reading.watches_engines:
        yield "this check does not read the engines' metrics"
    elif not telemetry:
        yield "the job did not read the engines' metrics"
    if not results.engine_errors:
        yield "the engines' logs were not read in this campaign"
    elif not ran.windows:
        yield "no step of it ended, so nothing in the engines' logs can be assigned to it"
    elif unread := _engines(cluster, results, ran, lambda log: log.unread):
        yield f"the logs of {_some(unread)} were not read"
    elif not lines:
        yield "no engine logged an error while it ran"
    if not answers:
        yield "dmg and daos were not asked about the system"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _at(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S}"
