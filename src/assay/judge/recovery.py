"""The time lines of what was taken away and came back, for the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.campaign.cases import Case
from assay.campaign.results import Results
from assay.checks.benchmarks.losses import LossCheck, line_of, series
from assay.checks.benchmarks.rank_loss import RANK_LOSS
from assay.checks.entry import run_of
from assay.checks.plan import CHECKS, Plan
from assay.cluster.description import Cluster
from assay.foreign.files import ForeignError
from assay.subject import Subject


@dataclass(frozen=True, slots=True)
class Recovery:
    """What clients did while a part was lost and came back."""

    subject: Subject
    """The engine that was lost, or the engine or client whose part was."""
    number: int
    """The number of the loss, from 1."""
    rates: Mapping[int, float]
    """MiB/s of all clients together, by second since the epoch; none while there was no load."""
    moments: Mapping[str, float]
    """When what happened, in seconds since the epoch, by its words, in order."""
    problems: tuple[str, ...] = ()
    """What the system did not do."""
    check: LossCheck = RANK_LOSS


def recoveries(cluster: Cluster, plan: Plan, results: Results) -> tuple[Recovery, ...]:
    """The time line of each part that was lost; of one that never was, there is none."""
    return tuple(
        recovery
        for key, case in results.cases.items()
        if isinstance(check := CHECKS[key.check], LossCheck)
        for subject in plan.subjects(key)
        for recovery in _of(cluster, check, case, subject)
    )


def _of(cluster: Cluster, check: LossCheck, case: Case, subject: Subject) -> Iterator[Recovery]:
    run = run_of(cluster, check, "clients", case.scale)
    for job in case.jobs:
        if job.output is None:
            continue
        raw = job.output.raw
        for number in run.times:
            try:
                line = line_of(raw, number)
                rates = series(run, raw.of(subject), number)
            except (ForeignError, OSError):
                continue  # its figures say why they are missing
            if moments := check.loss.moments(line):
                yield Recovery(subject, number, rates, moments, line.problems, check)
