"""A run report of ReFrame, as far as it is read here, and refused where it cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StrictFloat, ValidationError

from assay import __version__
from assay.checks.plan import CHECKS
from assay.findings import from_pydantic


class ReportError(ValueError):
    """A run report that cannot be used: which, why, and what to do."""


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Session(_Read):
    """One start of `reframe`."""

    version: str
    time_start_unix: AwareDatetime
    time_end_unix: AwareDatetime
    time_elapsed: float = Field(ge=0, allow_inf_nan=False, description="seconds")


class TestCase(_Read):
    """One check on one partition."""

    name: str
    system: str
    partition: str
    scale: Literal["quick", "acceptance"]
    result: str
    fail_phase: str | None
    fail_reason: str | None
    samples: dict[str, dict[str, list[StrictFloat]]] = Field(
        description="metric to subject to samples"
    )
    problems: dict[str, list[str]]
    units: dict[str, str] = Field(default={}, description="of the samples, by metric")
    checks_version: str | None = Field(default=None, description="of daos-assay, that measured")
    benchmark_seconds: float
    outputdir: Path | None
    stagedir: Path | None

    @property
    def check(self) -> str:
        """The check's name, without its parameters."""
        return self.name.partition(" ")[0]


class _Run(_Read):
    testcases: tuple[TestCase, ...]


class RunReport(_Read):
    """What one start of `reframe` has measured."""

    session_info: Session
    runs: tuple[_Run, ...]

    @property
    def cases(self) -> list[TestCase]:
        """The checks that ran; of one that was run again within the session, the last."""
        latest = {(case.name, case.partition): case for run in self.runs for case in run.testcases}
        return [case for case in latest.values() if case.result != "skip"]


def load(path: Path, system: str) -> RunReport:
    """Read a run report of the cluster `system`.

    Raises:
        ReportError: it is none, or of another cluster, or of another version of the checks.
    """
    try:
        report = RunReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ReportError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise ReportError(f"{path} {_misfit(error)}") from error
    for case in report.cases:
        _refuse_a_stranger(path, case, system)
    return report


def _misfit(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return f"is not JSON ({first['ctx']['error']}); was the run interrupted?"
    if any(len(found["loc"]) < 2 for found in error.errors(include_url=False)):
        return "is not a run report of ReFrame; `reframe -r` writes them"
    finding = next(iter(from_pydantic(error, RunReport, None)))
    return f"is no run report that can be read: {finding}; run the campaign again"


def _refuse_a_stranger(path: Path, case: TestCase, system: str) -> None:
    again = "judge it with that version, or run the campaign again"
    if case.system != system:
        raise ReportError(
            f"{path} is a report of the cluster {case.system!r}, and this one is {system!r}:"
            " name the reports of this one"
        )
    if case.checks_version != __version__:
        measured = f"the checks of daos-assay {case.checks_version}"
        raise ReportError(
            f"{path}: {case.check} was measured by"
            f" {measured if case.checks_version else 'checks that tell no version'}, and this is"
            f" {__version__}: {again}"
        )
    known = CHECKS.get(case.check)
    units = {metric.name: metric.unit for metric in known.metrics} if known else {}
    for name in case.samples:
        if name not in units:
            raise ReportError(
                f"{path}: daos-assay {__version__} knows no metric {case.check}.{name}: {again}"
            )
        if case.units.get(name) != units[name]:
            raise ReportError(
                f"{path}: {case.check}.{name} is in {case.units.get(name)}, and must be in"
                f" {units[name]}: {again}"
            )
