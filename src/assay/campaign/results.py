"""The results of a campaign: ReFrame's run reports, and the raw outputs beside them."""

from __future__ import annotations

import glob
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property, reduce
from pathlib import Path
from typing import TypeVar

from assay.campaign import begun, engine_logs, fingerprints, locks, sessions, support_logs
from assay.campaign.cases import (
    INTERRUPTED,
    RUNS,
    Case,
    Deviation,
    case_of,
    joined,
    problem_of,
)
from assay.campaign.fingerprints import Taken
from assay.campaign.locks import Lock
from assay.campaign.outputs import EVERYTHING, REFUSED, Counted, Outputs, find
from assay.campaign.run_report import Names, ReportError, TestCase, load
from assay.checks.plan import CHECKS, CaseKey, Requirement
from assay.checks.raw import directory_of, source_of
from assay.cluster.description import Cluster
from assay.cluster.fingerprint import HostChange
from assay.foreign import files, limits
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line, quoted, shorten, shorten_all
from assay.subject import Subject
from assay.tools.output import ALLOWED, is_measurement

T = TypeVar("T")

ACCEPTANCE = "acceptance"
"""The larger scale."""


REFRAME = "reframe"
"""The directory of the run reports in a bundle."""

LONGEST = timedelta(days=14)
"""Maximum time from a figure to the end of its campaign (own choice): an interrupted campaign may
be resumed, but what was measured long before says little of the cluster that is signed off."""


def _repeated(case: Case) -> Iterator[Deviation]:
    """The deviations of a check that ran more than once, so that the sign-off shows it."""
    if case.runs > 1:
        yield Deviation(case.check, case.partition, RUNS, asked=1, was=case.runs)
    if case.interrupted:
        yield Deviation(case.check, case.partition, INTERRUPTED, asked=0, was=case.interrupted)


@dataclass(frozen=True)
class Results:
    """Everything that the run reports of one campaign contain."""

    reports: tuple[Path, ...]
    cases: dict[CaseKey, Case]
    started: datetime
    ended: datetime
    reframe: str
    seconds: float
    """Wall time of the ReFrame runs."""
    digests: tuple[str, ...]
    """The SHA-256 of each report when it was read."""
    with_outputs: bool
    """Whether raw outputs were requested; then a figure without one is no measurement."""
    fingerprints: tuple[Taken, ...] = ()
    """The fingerprints of the hosts before and after each session."""
    locks: tuple[Lock, ...] = ()
    """The locks of Spack that say what was built from source."""
    engine_errors: tuple[engine_logs.LoggedErrors, ...] = ()
    """The errors that the engines logged in each session."""
    begun: tuple[begun.RecordOfBegun, ...] = ()
    """The record of the campaigns that were begun beside this one."""
    support_logs: tuple[support_logs.SupportLog, ...] = ()
    """The whole logs of servers, if somebody collected them."""
    cut: str = ""
    """Why it was ended before its last check, if whoever ran it ended it on purpose."""

    def cut_short(self, why: str) -> Results:
        """These results of a campaign that will not go on; `why` is the reason of what it lacks."""
        cases = {
            key: replace(case, problem=why, problems={}) if case.interrupted else case
            for key, case in self.cases.items()
        }
        return replace(self, cases=cases, cut=why)

    @property
    def host_changes(self) -> tuple[HostChange, ...]:
        """What changed on the hosts while they were measured."""
        return fingerprints.changed(self.fingerprints)

    @property
    def scale(self) -> str:
        """The scale of the campaign, `quick` or `acceptance`, or both if they were mixed."""
        return " and ".join(sorted(self._scales)) or "none"

    @cached_property
    def _scales(self) -> frozenset[str]:
        return frozenset(case.scale for case in self.cases.values())

    @property
    def deviations(self) -> tuple[Deviation, ...]:
        """Variables that were set differently from the scale, in the order of the plan."""
        cases = sorted(self.cases.values(), key=lambda case: list(CHECKS).index(case.check))
        return tuple(
            deviation for case in cases for deviation in (*case.deviations, *_repeated(case))
        )

    def as_run(self, metric: Requirement) -> Requirement:
        """A requirement, with the actual number of operations in flight."""
        case = self._case(metric)
        for deviation in case.deviations if case else ():
            if deviation.variable == f"in_flight.{metric.name}":
                return metric.with_in_flight(deviation.was)
        return metric

    def sizes(self, metric: Requirement) -> Mapping[str, int]:
        """The variables of a metric's check, as they were set."""
        case = self._case(metric)
        if case is None:
            return {}
        scale = CHECKS[case.check].scales.get(case.scale, {})
        return {**scale, **{each.variable: each.was for each in case.deviations}}

    @cached_property
    def looks(self) -> int:
        """How often samples may be judged before the last of them, as was planned."""
        return max((case.looks for case in self.cases.values()), default=1)

    @property
    def stopped(self) -> frozenset[CaseKey]:
        """What took the samples of its first round, and no others."""
        return frozenset(key for key, case in self.cases.items() if case.stopped)

    def _case(self, metric: Requirement) -> Case | None:
        return self.cases.get(metric.case)

    def samples(self, metric: Requirement) -> Sequence[float]:
        """The samples of a metric, in its unit; empty if it was not measured."""
        samples = self._reported(metric)
        return samples if all(map(is_measurement, samples)) else []

    def _reported(self, metric: Requirement) -> Sequence[float]:
        case = self._case(metric)
        return case.samples.get(metric.name, {}).get(str(metric.subject), []) if case else []

    def problems(self, metric: Requirement) -> list[str]:
        """Why a metric has no valid samples, in words; empty if it has some."""
        case = self._case(metric)
        if case is None:
            absent = f"not run on {metric.partition}: it is in no run report"
            return [self.cut or absent]
        if (subject := str(metric.subject)) in case.problems:
            return shorten_all(case.problems[subject], limits.SHOWN_REASON)
        if case.scale != ACCEPTANCE and ACCEPTANCE in self._scales:
            return [
                f"{metric.check} was measured at the scale {case.scale}, and other checks of this"
                f" campaign at {ACCEPTANCE}: measure it again at that scale"
            ]
        if case.started < self.ended - LONGEST:
            return [
                f"{metric.check} was measured on {case.started:%Y-%m-%d}, more than {LONGEST.days}"
                f" days before this campaign ended on {self.ended:%Y-%m-%d}: measure it again in a"
                " new campaign"
            ]
        if case.problem and not case.problems:
            # The problem names no subject, so no printed figure is a measurement.
            return [case.problem]
        reported = self._reported(metric)
        for value in reported:
            if not is_measurement(value):
                return [
                    f"{case.report.name}: a sample is {value:g} {metric.unit}, and {ALLOWED}:"
                    " measure it again"
                ]
        if not reported:
            return [case.problem or f"{metric.check} ran but left no samples"]
        if len(reported) != case.taken:
            return [
                f"{metric.name} has {len(reported)} samples, and {case.taken} were taken: measure"
                " it again"
            ]
        if self.with_outputs and not self._left_anything(case, metric):
            return [
                f"{metric.check} left no raw output of {metric.subject}, and a figure without raw"
                " output does not count: run it again"
            ]
        return []

    @staticmethod
    def _left_anything(case: Case, metric: Requirement) -> bool:
        return all(
            job.output is not None and any(job.output.below(directory_of(metric.subject)))
            for job in case.jobs
        )

    def raw(self, metric: Requirement) -> list[str]:
        """The raw outputs of a metric's subject, as paths within the bundle."""
        case = self._case(metric)
        return [
            f"{job.place}/{name}"
            for job in (case.jobs if case else ())
            if job.output is not None
            for name in job.output.below(directory_of(metric.subject))
        ]

    def _files_beside(self) -> Iterator[tuple[str, bytes]]:
        """What lay beside the raw outputs, with its path within the bundle."""
        for directory, beside in (
            (fingerprints.DIRECTORY, self.fingerprints),
            (locks.DIRECTORY, self.locks),
            (engine_logs.DIRECTORY, self.engine_errors),
            (begun.DIRECTORY, self.begun),
        ):
            for file in beside:
                yield f"{directory}/{file.name}", file.content
        yield from support_logs.files(self.support_logs)

    def kept(self) -> Iterator[str]:
        """The files that `copy` writes, as paths within the bundle."""
        for job in (job for case in self.cases.values() for job in case.jobs):
            if job.output is not None:
                yield from (f"{job.place}/{name}" for name, _ in job.output.files)
                yield from (f"{job.place}/{REFUSED}" for _ in job.output.refused)
        yield from (name for name, _ in self._files_beside())
        yield from (f"{REFRAME}/{path.name}" for path in self.reports)

    def copy(self, bundle: Path) -> None:
        """Copy everything that was judged to its place in the bundle.

        Raises:
            ForeignError: a file has changed since it was read.
            OSError: it cannot be read or written.
        """
        for job in (job for case in self.cases.values() for job in case.jobs):
            if job.output is not None:
                job.output.copy(bundle / job.place)
        for name, content in self._files_beside():
            _write(bundle / name, content)
        for path, digest in zip(self.reports, self.digests, strict=True):
            content = files.read(path, limits.REPORT_BYTES)
            if hashlib.sha256(content).hexdigest() != digest:
                raise ForeignError(f"{quoted(path)} changed while it was judged: judge it again")
            _write(bundle / REFRAME / path.name, content)


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def reframes(case: TestCase) -> list[str]:
    """The directories of a check's outputs; ReFrame moves them out of the stage if it passes."""
    return [name for name in (case.outputdir, case.stagedir) if name]


def read(
    pattern: str,
    cluster: Cluster,
    outputs: Path | None = None,
    places: Callable[[TestCase], list[str]] = reframes,
) -> Results:
    """Read the run reports of a cluster that match a glob pattern.

    If a check was interrupted or failed in one session, and a later session ran it again, the later
    run counts. If it ran in several rounds, all count.

    Args:
        pattern: glob pattern of the reports.
        cluster: the cluster, whose plan has the names that a report may contain.
        outputs: the directory of the raw outputs; without it, they are not read.
        places: returns possible directories of a check's outputs; the first existing one counts.

    Raises:
        ReportError: no report matches; a file is not a run report, or is of another cluster; a
            check that had not failed is in a later report again, or a round without the one before
            it; two sessions ran at once; or outputs cannot be read.
    """
    paths = sessions.matching(pattern)
    names = Names(cluster)
    loaded = sorted(
        (load(path, names, follow=not glob.has_magic(pattern)) for path in paths),
        key=lambda read: read.report.session_info.time_start_unix,
    )
    latest: dict[CaseKey, sessions.Rounds] = {}
    runs: Counter[CaseKey] = Counter()
    interrupted: Counter[CaseKey] = Counter()
    again: set[CaseKey] = set()
    for session in loaded:
        measured: set[CaseKey] = set()
        for case in session.report.every:
            key = case.key
            (interrupted if case.result == "abort" else runs)[key] += 1
            again.update({key} & measured)
            measured.update([key] if problem_of(case) is None else [])
        for case in session.report.cases:
            key = case.key
            latest[key] = sessions.with_session(latest.get(key, []), session, case)
    sessions.refuse_overlaps(loaded)
    infos = [session.report.session_info for session in loaded]
    counted = Counted()
    return Results(
        reports=paths,
        cases={
            key: reduce(
                joined,
                [
                    _without_refused(
                        case_of(
                            session,
                            case,
                            _output(session.path, case, outputs, places(case), names, counted),
                            runs[key] - (len(rounds) - 1),
                            interrupted[key],
                            again=key in again,
                        ),
                        names,
                    )
                    for session, case in rounds
                ],
            )
            for key, rounds in latest.items()
        },
        started=min(info.time_start_unix for info in infos),
        ended=max(info.time_end_unix for info in infos),
        reframe=", ".join(sorted({info.version for info in infos})),
        seconds=sum(info.time_elapsed for info in infos),
        with_outputs=outputs is not None,
        fingerprints=_beside(outputs, lambda root: fingerprints.read(root, cluster.hosts)),
        locks=_beside(outputs, lambda root: locks.read(root, cluster)),
        engine_errors=_beside(
            outputs,
            lambda root: engine_logs.read(
                root, {name: host.engines for name, host in cluster.hosts.items()}
            ),
        ),
        begun=_beside(outputs, begun.read),
        support_logs=_beside(outputs, lambda root: support_logs.read(root, support_logs.DIRECTORY)),
        digests=tuple({session.path: session.sha256 for session in loaded}[path] for path in paths),
    )


def _output(
    path: Path,
    case: TestCase,
    root: Path | None,
    places: list[str],
    names: Names,
    counted: Counted,
) -> Outputs | None:
    if root is None:
        return None
    subjects = names.subjects.get(CaseKey(case.check, case.partition), frozenset())
    sources = frozenset(source_of(Subject.parse(subject)) for subject in subjects)
    try:
        return find(root, places, sources, counted)
    except ForeignError as error:
        where = f"{one_line(str(path))}: {case.check} on {case.partition}"
        raise ReportError(f"{where}: {error}") from error


def _without_refused(case: Case, names: Names) -> Case:
    """A check without the samples of the subjects whose outputs were refused."""
    refused = case.output.refused if case.output else {}
    if not refused or (case.problem and not case.problems):
        return case
    reasons = {
        subject: [shorten(why, limits.FOUND)]
        for subject in sorted(names.subjects.get(CaseKey(case.check, case.partition), ()))
        for source in (EVERYTHING, source_of(Subject.parse(subject)))
        if (why := refused.get(source))
    }
    return replace(
        case,
        problems={**case.problems, **reasons},
        samples={
            metric: {name: values for name, values in by.items() if name not in reasons}
            for metric, by in case.samples.items()
        },
    )


def _beside(root: Path | None, read: Callable[[Path], tuple[T, ...]]) -> tuple[T, ...]:
    """What lies beside the raw outputs; nothing where nobody asks for these."""
    try:
        return read(root) if root is not None else ()
    except OSError as error:
        raise ReportError(f"{quoted(error.filename or root)}: {error.strerror}") from error
    except ForeignError as error:
        raise ReportError(str(error)) from error
