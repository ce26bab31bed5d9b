"""What a campaign measured: ReFrame's run reports, and the raw outputs beside them."""

from __future__ import annotations

import glob
import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.campaign import run_report as runreport
from assay.campaign.run_report import ReportError, TestCase
from assay.campaign.steps import directory_of
from assay.checks.plan import Owed


@dataclass(frozen=True, slots=True)
class Case:
    """One check that ran (or tried to) on one partition."""

    check: str
    partition: str
    scale: str
    failure: str | None
    samples: dict[str, dict[str, list[float]]]
    problems: dict[str, list[str]]
    benchmark_seconds: float
    output: Path | None
    """Where ReFrame keeps the job script, its output and `raw/`."""
    report: Path
    """The run report that has it."""


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that the run reports of one campaign say."""

    reports: tuple[Path, ...]
    cases: dict[tuple[str, str], Case]
    started: datetime
    ended: datetime
    reframe: str
    seconds: float
    """Wall time of the ReFrame runs."""

    @property
    def scale(self) -> str:
        """The scale of the campaign, `quick` or `acceptance`; both, where they were mixed."""
        return " and ".join(sorted({case.scale for case in self.cases.values()})) or "none"

    def _case(self, metric: Owed) -> Case | None:
        return self.cases.get((metric.check, metric.partition))

    def samples(self, metric: Owed) -> Sequence[float]:
        """The samples of a metric, in its unit; none where it was not measured."""
        told = self._told(metric)
        return told if all(map(_is_measurement, told)) else []

    def _told(self, metric: Owed) -> Sequence[float]:
        case = self._case(metric)
        return case.samples.get(metric.metric.name, {}).get(metric.subject, []) if case else []

    def problems(self, metric: Owed) -> list[str]:
        """Why a metric has no valid samples, in words; empty where it has."""
        case = self._case(metric)
        if case is None:
            return [f"{metric.check} did not run on {metric.partition}: no run report has it"]
        if metric.subject in case.problems:
            return list(case.problems[metric.subject])
        if case.failure and not case.problems:
            # Nobody says whom it was that failed; then a figure that was printed is no measurement.
            return [case.failure]
        for value in self._told(metric):
            if not _is_measurement(value):
                return [
                    f"{case.report}: a sample is {value:g} {metric.metric.unit}, and a measurement"
                    " is above zero: measure it again"
                ]
        if not self.samples(metric):
            return [case.failure or f"{metric.check} ran and left no samples"]
        return []

    def raw(self, metric: Owed) -> list[str]:
        """The raw outputs of a metric's subject, as paths within the bundle."""
        case = self._case(metric)
        if case is None or case.output is None:
            return []
        root = case.output / "raw" / directory_of(metric.subject)
        return [
            str(_place(case) / path.relative_to(case.output))
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.stat().st_size
        ]

    def copy_raw(self, bundle: Path) -> None:
        """Copy what each check left behind to its place in the bundle."""
        for case in self.cases.values():
            if case.output is not None and case.output.is_dir():
                shutil.copytree(case.output, bundle / _place(case))


def _is_measurement(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _place(case: Case) -> Path:
    return Path("raw", case.partition, case.check)


def read(pattern: str, system: str) -> Results:
    """Read the run reports that a glob pattern names, of the cluster `system`.

    A check that was interrupted or failed in one session is that of a later session, if this ran
    it again.

    Raises:
        ReportError: no report matches; one is not a run report, or is of another cluster; or a
            check that had not failed is in a later one again.
    """
    paths = tuple(Path(name) for name in sorted(glob.glob(pattern)))
    if not paths:
        raise ReportError(f"no run report matches {pattern}; `reframe -r` writes them")
    if len({path.name for path in paths}) < len(paths):
        raise ReportError(f"{pattern} matches two reports of one name; a bundle holds both by name")
    cases: dict[tuple[str, str], Case] = {}
    origin: dict[tuple[str, str], Path] = {}
    loaded = sorted(
        ((path, runreport.load(path, system)) for path in paths),
        key=lambda read: read[1].session_info.time_start_unix,
    )
    sessions = [report.session_info for _, report in loaded]
    for path, report in loaded:
        for case in (_case(path, case) for case in report.cases):
            key = (case.check, case.partition)
            if key in cases and cases[key].failure is None:
                raise ReportError(
                    f"{path}: {case.check} on {case.partition} is also in {origin[key]};"
                    " a campaign has each check once: name the reports of one campaign"
                )
            cases[key], origin[key] = case, path
    return Results(
        reports=paths,
        cases=cases,
        started=min(session.time_start_unix for session in sessions),
        ended=max(session.time_end_unix for session in sessions),
        reframe=", ".join(sorted({session.version for session in sessions})),
        seconds=sum(session.time_elapsed for session in sessions),
    )


def _case(path: Path, case: TestCase) -> Case:
    return Case(
        check=case.check,
        partition=case.partition,
        scale=case.scale,
        failure=_failure(case),
        samples=case.samples,
        problems=case.problems,
        benchmark_seconds=case.benchmark_seconds,
        output=_output(case),
        report=path,
    )


def _failure(case: TestCase) -> str | None:
    """Why a check has no figures; a figure beyond its reference is no such reason."""
    if case.result == "abort":
        return f"{case.check} was interrupted: run the campaign again"
    if case.result == "pass" or case.fail_phase == "performance":
        return None
    return f"{case.check} failed in its {case.fail_phase} phase: {case.fail_reason}"


def _output(case: TestCase) -> Path | None:
    """Where the raw outputs are: ReFrame moves them from the stage when a check passes."""
    for directory in (case.outputdir, case.stagedir):
        if directory and (directory / "raw").is_dir():
            return directory
    return None
