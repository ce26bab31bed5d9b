"""The results of a campaign: ReFrame's run reports, and the raw outputs beside them."""

from __future__ import annotations

import glob
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from assay.campaign import fingerprints, locks
from assay.campaign.fingerprints import Taken
from assay.campaign.locks import Lock
from assay.campaign.outputs import Counted, Outputs, find
from assay.campaign.run_report import Loaded, Names, ReportError, TestCase, load
from assay.checks.plan import CHECKS, Requirement
from assay.checks.raw import directory_of
from assay.cluster.description import Cluster
from assay.cluster.fingerprint import HostChange
from assay.foreign import files, limits
from assay.foreign.files import Entry, ForeignError, refuse_unprintable
from assay.foreign.text import one_line, quoted, shorten_all
from assay.tools.output import ALLOWED, is_measurement

T = TypeVar("T")

ACCEPTANCE = "acceptance"
"""The larger scale."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A variable of a check that was set differently from its scale."""

    check: str
    partition: str
    variable: str
    asked: int
    """The value of the scale."""
    was: int

    @property
    def less(self) -> bool:
        """Whether less was measured than the scale asks for."""
        return self.was < self.asked

    def __str__(self) -> str:
        than = "less" if self.less else "more"
        return (
            f"{self.check}.{self.variable} on {self.partition} was {self.was:,}, {than} than the"
            f" scale's {self.asked:,}"
        )


@dataclass(frozen=True, slots=True)
class Case:
    """One check that ran, or tried to run, on one partition."""

    check: str
    partition: str
    scale: str
    problem: str | None
    """Why the whole check has no figures."""
    samples: dict[str, dict[str, list[float]]]
    deviations: tuple[Deviation, ...]
    fewer: dict[str, int]
    """For each metric whose subjects have different numbers of samples, the largest number."""
    problems: dict[str, list[str]]
    benchmark_seconds: float
    output: Outputs | None
    """Its raw outputs; None if they were not requested or do not exist."""
    report: Path
    """The run report that contains it."""
    started: datetime
    ended: datetime
    """End of the session of that report."""

    runs: int
    """Number of completed runs; a failed run may be repeated, and the sign-off lists that."""

    @property
    def place(self) -> str:
        """The directory of its outputs in a bundle."""
        return f"raw/{self.partition}/{self.check}"


def _repeated(case: Case) -> list[Deviation]:
    """A deviation if a check ran more than once, so that the sign-off shows it."""
    if case.runs <= 1:
        return []
    return [Deviation(case.check, case.partition, "runs", asked=1, was=case.runs)]


@dataclass(frozen=True)
class Results:
    """Everything that the run reports of one campaign contain."""

    reports: tuple[Path, ...]
    cases: dict[tuple[str, str], Case]
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

    def _case(self, metric: Requirement) -> Case | None:
        return self.cases.get((metric.check, metric.partition))

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
            return [f"{metric.check} did not run on {metric.partition}: it is in no run report"]
        if (subject := str(metric.subject)) in case.problems:
            return shorten_all(case.problems[subject], limits.SHOWN_REASON)
        if case.scale != ACCEPTANCE and ACCEPTANCE in self._scales:
            return [
                f"{metric.check} was measured at the scale {case.scale}, and other checks of this"
                f" campaign at {ACCEPTANCE}: measure it again at that scale"
            ]
        if case.problem and not case.problems:
            # The problem names no subject, so no printed figure is a measurement.
            return [case.problem]
        for value in self._reported(metric):
            if not is_measurement(value):
                return [
                    f"{case.report.name}: a sample is {value:g} {metric.unit}, and {ALLOWED}:"
                    " measure it again"
                ]
        count, most = len(self._reported(metric)), case.fewer.get(metric.name, 0)
        if 0 < count < most:
            return [
                f"{metric.name} has {count} samples, and other subjects of this run have {most}:"
                " some samples are lost"
            ]
        if not self.samples(metric):
            return [case.problem or f"{metric.check} ran but left no samples"]
        if self.with_outputs and not self._left_anything(case, metric):
            return [
                f"{metric.check} left no raw output of {metric.subject}, and a figure without raw"
                " output does not count: run it again"
            ]
        return []

    @staticmethod
    def _left_anything(case: Case, metric: Requirement) -> bool:
        return case.output is not None and any(case.output.below(directory_of(metric.subject)))

    def raw(self, metric: Requirement) -> list[str]:
        """The raw outputs of a metric's subject, as paths within the bundle."""
        case = self._case(metric)
        if case is None or case.output is None:
            return []
        return [f"{case.place}/{name}" for name in case.output.below(directory_of(metric.subject))]

    def copy(self, bundle: Path) -> None:
        """Copy raw outputs, run reports, fingerprints and locks to their places in the bundle.

        Raises:
            ForeignError: a file has changed since it was read.
            OSError: it cannot be read or written.
        """
        for case in self.cases.values():
            if case.output is not None:
                case.output.copy(bundle / case.place)
        for taken in self.fingerprints:
            _write(bundle / fingerprints.DIRECTORY / taken.name, taken.content)
        for lock in self.locks:
            _write(bundle / locks.DIRECTORY / lock.name, lock.content)
        for path, digest in zip(self.reports, self.digests, strict=True):
            content = files.read(path, limits.REPORT_BYTES)
            if hashlib.sha256(content).hexdigest() != digest:
                raise ForeignError(f"{quoted(path)} changed while it was judged: judge it again")
            _write(bundle / "reframe" / path.name, content)


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(exist_ok=True)
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
    run counts.

    Args:
        pattern: glob pattern of the reports.
        cluster: the cluster, whose plan has the names that a report may contain.
        outputs: the directory of the raw outputs; without it, they are not read.
        places: returns possible directories of a check's outputs; the first existing one counts.

    Raises:
        ReportError: no report matches; a file is not a run report, or is of another cluster; a
            check that had not failed is in a later report again; or outputs cannot be read.
    """
    paths = _matching(pattern)
    names = Names(cluster)
    loaded = sorted(
        (load(path, names, follow=not glob.has_magic(pattern)) for path in paths),
        key=lambda read: read.report.session_info.time_start_unix,
    )
    latest: dict[tuple[str, str], tuple[Loaded, TestCase]] = {}
    runs: Counter[tuple[str, str]] = Counter()
    again: set[tuple[str, str]] = set()
    for session in loaded:
        measured: set[tuple[str, str]] = set()
        for case in session.report.every:
            key = (case.check, case.partition)
            runs[key] += case.result != "abort"
            again.update({key} & measured)
            measured.update([key] if _problem(case) is None else [])
        for case in session.report.cases:
            key = (case.check, case.partition)
            if key in latest and _problem(latest[key][1]) is None:
                raise ReportError(
                    f"{session.path}: {case.check} on {case.partition} is also in"
                    f" {latest[key][0].path}; a campaign has each check once: name the reports of"
                    " one campaign"
                )
            latest[key] = session, case
    infos = [session.report.session_info for session in loaded]
    counted = Counted()
    return Results(
        reports=paths,
        cases={
            key: _case(
                session,
                case,
                _output(session.path, case, outputs, places(case), counted),
                runs[key],
                again=key in again,
            )
            for key, (session, case) in latest.items()
        },
        started=min(info.time_start_unix for info in infos),
        ended=max(info.time_end_unix for info in infos),
        reframe=", ".join(sorted({info.version for info in infos})),
        seconds=sum(info.time_elapsed for info in infos),
        with_outputs=outputs is not None,
        fingerprints=_beside(outputs, lambda root: fingerprints.read(root, cluster.hosts)),
        locks=_beside(outputs, lambda root: locks.read(root, cluster)),
        digests=tuple({session.path: session.sha256 for session in loaded}[path] for path in paths),
    )


def _matching(pattern: str) -> tuple[Path, ...]:
    if "\0" in pattern:
        raise ReportError("the pattern of the reports contains a NUL")
    paths = tuple(Path(name) for name in sorted(glob.glob(pattern)))
    if not paths:
        raise ReportError(f"no run report matches {pattern}; `reframe -r` writes them")
    if len(paths) > limits.REPORTS:
        raise ReportError(
            f"{pattern} matches {len(paths):,} files, and {limits.REPORTS:,} is the limit: name the"
            " reports of one campaign"
        )
    if len({path.name for path in paths}) < len(paths):
        raise ReportError(
            f"{pattern} matches two reports with the same file name, by which a bundle keeps them"
        )
    for path in paths:
        try:
            refuse_unprintable(Entry(path.name, 0o100000, 0, 1, 0), path.parent)
        except ForeignError as error:
            raise ReportError(str(error)) from error
    return paths


def _output(
    path: Path, case: TestCase, root: Path | None, places: list[str], counted: Counted
) -> Outputs | None:
    if root is None:
        return None
    try:
        return find(root, places, counted)
    except OSError as error:
        problem = f"{quoted(error.filename or root)} cannot be read: {error.strerror}"
    except ForeignError as error:
        problem = str(error)
    raise ReportError(f"{one_line(str(path))}: {case.check} on {case.partition}: {problem}")


def _beside(root: Path | None, read: Callable[[Path], tuple[T, ...]]) -> tuple[T, ...]:
    """What lies beside the raw outputs; nothing where nobody asks for these."""
    try:
        return read(root) if root is not None else ()
    except OSError as error:
        raise ReportError(f"{quoted(error.filename or root)}: {error.strerror}") from error
    except ForeignError as error:
        raise ReportError(str(error)) from error


def _case(
    session: Loaded, case: TestCase, output: Outputs | None, runs: int, *, again: bool
) -> Case:
    counts = {
        name: {len(samples) for samples in by_subject.values()}
        for name, by_subject in case.samples.items()
    }
    return Case(
        check=case.check,
        partition=case.partition,
        scale=case.scale,
        problem=_REPEATED if again else _problem(case),
        samples=case.samples,
        deviations=tuple(
            Deviation(case.check, case.partition, variable, set_to.asked, set_to.was)
            for variable, set_to in case.deviations.items()
        ),
        fewer={name: max(found) for name, found in counts.items() if len(found) > 1},
        # Problems of the sanity phase are of some subjects; those of other phases are of all.
        problems={} if again or _failed_elsewhere(case) else case.problems,
        benchmark_seconds=case.benchmark_seconds,
        output=output,
        report=session.path,
        started=session.report.session_info.time_start_unix,
        ended=session.report.session_info.time_end_unix,
        runs=runs,
    )


_REPEATED = (
    "it was measured twice in one session: every run counts, but only the last"
    " was kept; measure it again in a separate campaign"
)


def _failed_elsewhere(case: TestCase) -> bool:
    return case.result != "pass" and case.fail_phase not in ("sanity", "performance")


def _problem(case: TestCase) -> str | None:
    """Why a check has no figures; a figure beyond its reference is not a reason."""
    if case.result == "abort":
        return f"{case.check} was interrupted: run the campaign again"
    if case.result == "pass" or case.fail_phase == "performance":
        return None
    return f"{case.check} failed in its {case.fail_phase} phase: {case.fail_reason}"
