"""One check of a campaign, as it ran: in one job, or in several rounds.

A campaign that stops when decided takes `FIRST` samples of each check. If these leave a verdict
open, a second round takes the others that the scale asks for (`assay.judge.stopping` has the rule).
A campaign may also go on, in further rounds of the checks whose verdicts are still open, each with
the samples of the scale (`assay.campaign.further`). All rounds together are one run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from pathlib import Path

from assay.campaign.outputs import Outputs
from assay.campaign.run_report import Loaded, TestCase
from assay.checks.entry import IN_FLIGHT
from assay.checks.plan import CHECKS, CaseKey

REPETITIONS = "repetitions"
"""The variable of a check with its number of samples."""

FIRST = 3
"""Number of samples of the first round (this project's own choice)."""


def place_of(partition: str, check: str, number: int) -> str:
    """The directory of a job's outputs in a bundle; `number` is that of its round, or 0."""
    return f"raw/{partition}/{check}{f'.{number}' if number > 1 else ''}"


RUNS, INTERRUPTED = "runs", "interrupted"
"""Deviations that nobody set: how often a check ran to its end, and how often it was stopped."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A variable of a check that was set differently from its scale, or `RUNS` or `INTERRUPTED`."""

    check: str
    partition: str
    variable: str
    asked: int
    """The value of the scale."""
    was: int
    decided: bool = False
    """Whether it is the samples of a check that took no more, since its verdicts were sure."""

    @property
    def case(self) -> CaseKey:
        """The check on its partition."""
        return CaseKey(self.check, self.partition)

    @property
    def is_load(self) -> bool:
        """Whether it is the operations in flight of a metric."""
        return self.variable.startswith(IN_FLIGHT)

    @property
    def less(self) -> bool:
        """Whether less was measured than the scale asks for, and more might have mattered.

        More operations in flight are another load, under which a slow device may look sound.
        """
        if self.is_load:
            return self.was != self.asked
        return self.was < self.asked and not self.decided

    def __str__(self) -> str:
        often = "once" if self.was == 1 else f"{self.was:,} times"
        if self.variable == INTERRUPTED:
            return f"{self.case} was interrupted {often}"
        if self.variable == RUNS:
            return f"{self.case} ran {often}"
        than = "less" if self.was < self.asked else "more"
        why = ": they decided" if self.decided else ""
        return (
            f"{self.check}.{self.variable} on {self.partition} was {self.was:,}, {than} than the"
            f" scale's {self.asked:,}{why}"
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
    taken: int
    """Number of samples of each metric that were taken of each subject, in all rounds."""
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
    interrupted: int = 0
    """Number of runs that were interrupted, which the sign-off lists, too."""

    round: int = 0
    """Number of its last round if its samples are taken in rounds; otherwise 0."""
    looks: int = 1
    """How often its samples may be judged, as was planned when its first round began."""
    open: int = 0
    """Number of subjects whose open verdicts made the campaign take this round."""
    rounds: tuple[Case, ...] = ()
    """All rounds, if it has more than one."""

    @property
    def key(self) -> CaseKey:
        """The check on its partition."""
        return CaseKey(self.check, self.partition)

    @property
    def jobs(self) -> tuple[Case, ...]:
        """Its rounds; itself, if all of its samples are from one job."""
        return self.rounds or (self,)

    @property
    def kept(self) -> Case | None:
        """What it has without its last round, which failed; None if that was its first."""
        return reduce(joined, self.rounds[:-1]) if self.rounds else None

    @property
    def place(self) -> str:
        """The directory of a job's outputs in a bundle."""
        return place_of(self.partition, self.check, self.round)

    @property
    def stopped(self) -> bool:
        """Whether it took the samples of its first round, and no others."""
        return self.round == 1 and any(
            (each.variable, each.was) == (REPETITIONS, FIRST) for each in self.deviations
        )


def case_of(
    session: Loaded,
    case: TestCase,
    output: Outputs | None,
    runs: int,
    interrupted: int,
    *,
    again: bool,
) -> Case:
    """A check as a session measured it.

    Args:
        session: the run report.
        case: what the report has of the check.
        output: its raw outputs.
        runs: number of completed runs.
        interrupted: number of interrupted runs.
        again: whether it was measured before in the same session.
    """
    return Case(
        check=case.check,
        partition=case.partition,
        scale=case.scale,
        problem=_REPEATED if again else problem_of(case),
        samples=case.samples,
        deviations=tuple(
            Deviation(case.check, case.partition, variable, set_to.asked, set_to.was)
            for variable, set_to in case.deviations.items()
        ),
        taken=case.deviations[REPETITIONS].was
        if REPETITIONS in case.deviations
        else CHECKS[case.check].scales[case.scale][REPETITIONS],
        # Problems of the sanity phase are of some subjects; those of other phases are of all.
        problems={} if again or _failed_elsewhere(case) else case.problems,
        benchmark_seconds=case.benchmark_seconds,
        output=output,
        report=session.path,
        started=session.report.session_info.time_start_unix,
        ended=session.report.session_info.time_end_unix,
        runs=runs,
        interrupted=interrupted,
        round=case.round,
        looks=case.planned_looks,
        open=case.open,
    )


_REPEATED = (
    "it was measured twice in one session: every run counts, but only the last"
    " was kept; measure it again in a separate campaign"
)


def _failed_elsewhere(case: TestCase) -> bool:
    return case.result != "pass" and case.fail_phase not in ("sanity", "performance")


def problem_of(case: TestCase) -> str | None:
    """Why a check has no figures; a figure beyond its reference is not a reason.

    The check is not named, so that one reason of several checks is one cause.
    """
    if case.result == "abort":
        return "interrupted: run the campaign again"
    if case.result == "pass" or case.fail_phase == "performance":
        return None
    if case.fail_reason and case.fail_reason.startswith(_REFUSAL):
        return case.fail_reason.removeprefix(_REFUSAL)
    return f"failed in its {case.fail_phase} phase: {case.fail_reason}"


_REFUSAL = "reframe error: "
"""How ReFrame reports a check that refuses to begin, such as on a system that is not at rest."""


def joined(first: Case, second: Case) -> Case:
    """A check whose samples are from the rounds so far, and one more."""
    samples = {
        name: {
            subject: [*values, *second.samples.get(name, {}).get(subject, [])]
            for subject, values in by_subject.items()
        }
        for name, by_subject in first.samples.items()
    }
    problems = {
        subject: [*first.problems.get(subject, []), *second.problems.get(subject, [])]
        for subject in dict.fromkeys((*first.problems, *second.problems))
    }
    return replace(
        second,
        problem=first.problem or second.problem,
        samples=samples,
        problems=problems,
        deviations=tuple(_together(first, second)),
        taken=first.taken + second.taken,
        benchmark_seconds=first.benchmark_seconds + second.benchmark_seconds,
        started=first.started,
        rounds=(*first.jobs, second),
    )


def _together(first: Case, second: Case) -> Iterator[Deviation]:
    """The deviations of all rounds; their samples deviate only if all together do."""
    for each in dict.fromkeys((*first.deviations, *second.deviations)):
        if each.variable != REPETITIONS:
            yield each
    asked = CHECKS[second.check].scales[second.scale][REPETITIONS]
    taken = first.taken + second.taken
    if taken != asked:
        yield Deviation(second.check, second.partition, REPETITIONS, asked, taken)
