"""Reads the needed parts of ReFrame's run reports, and refuses invalid reports.

The content is limited in size and printable, and its names are those of the cluster's plan.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from assay import __version__
from assay.checks.hours import FURTHER
from assay.checks.plan import CHECKS, CaseKey, Plan, is_required, requirements
from assay.cluster.description import PARTITIONS, Cluster
from assay.foreign import files, limits
from assay.foreign.documents import refuse_repeated_keys
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line, printable, quoted, shorten
from assay.problems import from_pydantic

_Name = Annotated[str, Field(max_length=limits.NAME)]
_Reason = Annotated[
    str,
    Field(max_length=limits.REASON),
    AfterValidator(lambda text: shorten(printable(text), limits.SHOWN_REASON)),
]


class ReportError(ValueError):
    """A run report cannot be used; the message says which, why, and what to do."""


MOST_LOOKS = 2 + FURTHER
"""Most looks at the samples of a campaign: at the first three, at those of the scale, and after
each further round."""

_FIRST = 2000
"""No campaign was measured before this year (this project's own choice)."""


def _moment(time: datetime) -> datetime:
    """A time in UTC, refused if it is in the distant past or in the future."""
    if time.year < _FIRST or time > datetime.now(UTC) + timedelta(days=1):
        raise ValueError(f"should be a time from {_FIRST} to now; is the clock there right?")
    return time.astimezone(UTC)


_Moment = Annotated[AwareDatetime, AfterValidator(_moment)]


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Session(_Read):
    """One start of `reframe`."""

    version: Annotated[_Name, AfterValidator(one_line)]
    time_start_unix: _Moment
    time_end_unix: _Moment
    time_elapsed: float = Field(ge=0, allow_inf_nan=False, description="seconds")

    @field_validator("time_end_unix")
    @classmethod
    def _ends_after_its_start(cls, end: datetime, validated: ValidationInfo) -> datetime:
        if end < validated.data.get("time_start_unix", end):
            raise ValueError("should not be before time_start_unix")
        return end


class Setting(_Read):
    """A variable of a check that was set differently from the scale."""

    asked: StrictInt = Field(ge=1, le=limits.NUMBER, description="what the scale asks for")
    was: StrictInt = Field(ge=-limits.NUMBER, le=limits.NUMBER, description="what it was set to")


class TestCase(_Read):
    """One check on one partition."""

    name: _Name
    system: _Name
    partition: _Name
    scale: Literal["quick", "acceptance"]
    result: _Name
    fail_phase: Annotated[_Name, AfterValidator(one_line)] | None
    fail_reason: _Reason | None
    samples: dict[
        _Name,
        Annotated[
            dict[_Name, Annotated[list[StrictFloat], Field(max_length=limits.SAMPLES)]],
            Field(max_length=limits.SUBJECTS),
        ],
    ] = Field(description="metric to subject to samples")
    deviations: dict[
        Annotated[_Name, AfterValidator(one_line)],
        Setting,
    ] = Field(max_length=limits.DEVIATIONS, description="by the name of the variable")
    round: int = Field(default=0, ge=0, le=MOST_LOOKS, description="0 if there is only one")
    looks: int = Field(default=0, ge=0, le=MOST_LOOKS, description="planned; 0: not reported")
    open: int = Field(
        default=0, ge=0, le=limits.SUBJECTS, description="subjects with open verdicts"
    )
    problems: dict[_Name, Annotated[list[_Reason], Field(max_length=limits.PROBLEMS)]]
    units: dict[_Name, _Name] = Field(default={}, description="of the samples, by metric")
    checks_version: _Name | None = Field(default=None, description="of daos-assay, that measured")
    benchmark_seconds: float = Field(ge=0, allow_inf_nan=False)
    outputdir: Annotated[str, Field(max_length=4096)] | None
    stagedir: Annotated[str, Field(max_length=4096)] | None

    @property
    def check(self) -> str:
        """The check's name, without its parameters."""
        return self.name.partition(" ")[0]

    @property
    def key(self) -> CaseKey:
        """The check on its partition."""
        return CaseKey(self.check, self.partition)

    @property
    def planned_looks(self) -> int:
        """How often its samples may be judged; a report that does not say so has two rounds."""
        return self.looks or (2 if self.round else 1)


class _Run(_Read):
    testcases: tuple[TestCase, ...] = Field(max_length=limits.CASES)


class RunReport(_Read):
    """The results of one start of `reframe`."""

    session_info: Session
    runs: tuple[_Run, ...] = Field(max_length=limits.CASES)

    @property
    def cases(self) -> list[TestCase]:
        """The checks that ran; if one ran again within the session, its last run."""
        latest = {(case.name, case.partition): case for case in self.every}
        return list(latest.values())

    @property
    def every(self) -> list[TestCase]:
        """All runs of all checks, in order."""
        return [case for run in self.runs for case in run.testcases if case.result != "skip"]


@dataclass(frozen=True)
class Names:
    """The names that a run report of a cluster may contain."""

    cluster: Cluster

    @cached_property
    def plan(self) -> Plan:
        """Every metric required of the cluster."""
        return requirements(self.cluster)

    @cached_property
    def checks(self) -> Mapping[str, frozenset[str]]:
        """The checks that each partition can run."""
        return {
            partition: frozenset(
                check.name
                for check in CHECKS.values()
                if is_required(self.cluster, check, partition)
            )
            for partition in PARTITIONS
        }

    @cached_property
    def subjects(self) -> Mapping[CaseKey, frozenset[str]]:
        """The subjects of each check on each partition."""
        plan = self.plan
        return {case: frozenset(map(str, plan.subjects(case))) for case in plan.cases}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A run report, and the digest of the file that it was read from."""

    path: Path
    report: RunReport
    sha256: str


def load(path: Path, names: Names, *, follow: bool = True) -> Loaded:
    """Read a run report of a cluster.

    Args:
        path: the report.
        names: the names that it may contain.
        follow: whether the file may be a link.

    Raises:
        ReportError: it is not a run report, is too large, is of another cluster or another version
            of the checks, or contains names that this cluster's plan does not have.
    """
    try:
        content = files.read(path, limits.REPORT_BYTES, follow=follow)
        report = RunReport.model_validate_json(content)
    except OSError as error:
        raise ReportError(f"{one_line(str(path))} cannot be read: {error.strerror}") from error
    except ForeignError as error:
        raise ReportError(str(error)) from error
    except ValidationError as error:
        raise ReportError(f"{one_line(str(path))} {_misfit(error)}") from error
    try:
        refuse_repeated_keys(content)
    except ForeignError as error:
        raise ReportError(f"{one_line(str(path))} {error}") from error
    for case in report.cases:
        for problem in _problems(case, names):
            raise ReportError(f"{one_line(str(path))}{problem}")
    return Loaded(path, report, hashlib.sha256(content).hexdigest())


def _misfit(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return f"is not JSON ({one_line(first['ctx']['error'])}); was the run interrupted?"
    if any(len(detail["loc"]) < 2 for detail in error.errors(include_url=False)):
        return "is not a run report of ReFrame; `reframe -r` writes them"
    problem = next(iter(from_pydantic(error, RunReport, None)))
    return f"is not a readable run report: {one_line(str(problem))}; run the campaign again"


_AGAIN = "judge it with that version, or run the campaign again"
_PLAN = "`assay plan` lists what this cluster has"


def _problems(case: TestCase, names: Names) -> Iterator[str]:
    """Problems of a report, each a sentence to follow the name of its file."""
    if case.system != names.cluster.name:
        yield (
            f" is a report of the cluster {quoted(repr(case.system))}, but this one is"
            f" {names.cluster.name!r}: name the reports of this one"
        )
    if case.partition not in names.checks:
        yield _unknown("partition", case.partition, sorted(names.checks))
    if case.checks_version != __version__:
        measured = f"the checks of daos-assay {quoted(case.checks_version)}"
        yield (
            f": {quoted(case.check)} was measured by"
            f" {measured if case.checks_version else 'checks that report no version'}, but this is"
            f" {__version__}: {_AGAIN}"
        )
    if case.check not in names.checks[case.partition]:
        yield _unknown("name", case.check, sorted(names.checks[case.partition]))
    else:
        yield from _problems_of_settings(case)
        yield from _problems_of_figures(case, names)


def _problems_of_settings(case: TestCase) -> Iterator[str]:
    """Deviations from another scale than the catalogue's; a smaller one would hide what is less."""
    check = CHECKS[case.check]
    if case.scale not in check.scales:
        yield f": {case.check} has no scale {case.scale}: {_AGAIN}"
        return
    asked: dict[str, int] = {
        **check.scales[case.scale],
        **{f"in_flight.{each.name}": each.in_flight for each in check.metrics if each.in_flight},
    }
    for name, setting in case.deviations.items():
        if setting.asked != asked.get(name):
            yield (
                f": {case.check} was asked for {quoted(name)} = {setting.asked}, and the scale"
                f" {case.scale} of daos-assay {__version__} asks for {asked.get(name)}: {_AGAIN}"
            )


def _problems_of_figures(case: TestCase, names: Names) -> Iterator[str]:
    units = {metric.name: metric.unit for metric in CHECKS[case.check].metrics}
    subjects = names.subjects.get(case.key, frozenset())
    for name, by_subject in case.samples.items():
        if name not in units:
            yield (
                f": daos-assay {__version__} does not know the metric {case.check}.{quoted(name)}:"
                f" {_AGAIN}"
            )
        if case.units.get(name) != units[name]:
            yield (
                f": {case.check}.{name} is in {quoted(case.units.get(name))}, and must be in"
                f" {units[name]}: {_AGAIN}"
            )
        for subject in by_subject.keys() - subjects:
            yield _unknown(f"{case.check}: samples.{name}", subject, sorted(subjects))
    for subject in case.problems.keys() - subjects:
        yield _unknown(f"{case.check}: problems", subject, sorted(subjects))


def _unknown(key: str, value: str, allowed: list[str]) -> str:
    most = 12
    more = f" and {len(allowed) - most} more" if len(allowed) > most else ""
    one_of = f"one of {', '.join(allowed[:most])}{more}" if allowed else "left out"
    return f": {key} = {quoted(value)}: should be {one_of}; {_PLAN}"
