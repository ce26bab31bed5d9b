"""Checks whether the samples of a bundle's run reports match its raw outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from assay.campaign.cases import Case
from assay.campaign.results import Results
from assay.campaign.samples import samples_of
from assay.checks.entry import Run, run_of
from assay.checks.plan import CHECKS
from assay.checks.raw import Done, RawOutputs
from assay.cluster.description import Cluster, Partition
from assay.foreign import limits
from assay.foreign.files import ForeignError, Tree
from assay.foreign.text import quoted
from assay.subject import Subject

CLOCKS_APART_S = 600
"""Tolerance in seconds between the clocks of a host and of the controller: twice the limit of munge
(300 s). For hosts that are reached by ssh, the value is this project's own choice."""


def differences(results: Results, cluster: Cluster, tree: Tree) -> Iterator[str]:
    """Read the raw outputs of each subject with samples again, and report differences.

    Args:
        results: the results from the run reports.
        cluster: the cluster that was measured.
        tree: the bundle.
    """
    for job in (job for case in results.cases.values() for job in case.jobs):
        for subject, problem in _of_job(job, cluster, tree):
            yield f"{job.check} on {subject}: {problem}"


def _of_job(job: Case, cluster: Cluster, tree: Tree) -> Iterator[tuple[Subject, str]]:
    if job.output is None or (job.problem and not job.problems):
        return  # none of its samples is used
    changed = {deviation.variable: deviation.was for deviation in job.deviations}
    run = run_of(cluster, CHECKS[job.check], cast("Partition", job.partition), job.scale, changed)
    raw = RawOutputs(tree, f"{job.place}/raw")
    for subject in run.subjects:
        name = str(subject)
        reported = {metric: by[name] for metric, by in job.samples.items() if name in by}
        if reported and name not in job.problems:
            for problem in _of_subject(job, run, subject, raw, reported):
                yield subject, problem


def _of_subject(
    job: Case,
    run: Run,
    subject: Subject,
    raw: RawOutputs,
    reported: Mapping[str, Sequence[float]],
) -> Iterator[str]:
    if not 1 <= run.repetitions <= limits.SAMPLES:
        yield f"repetitions = {run.repetitions}: should be 1 to {limits.SAMPLES}"
        return
    try:
        left = raw.of(subject)
        refusal, steps = left.content("refusal"), left.steps()
        samples, problems = samples_of(run, subject, raw)
    except (ForeignError, OSError) as error:
        yield f"its raw outputs cannot be read: {error}"
        return
    if refusal:
        yield f"it has samples, but its job refused to measure: {quoted(refusal)}"
    yield from _record(job, steps)
    if problems:
        yield f"it has samples, but its raw outputs have none: {problems[0]}"
        return
    for metric, values in samples.items():
        if list(reported.get(metric, ())) != values:
            yield f"the samples of {metric} differ from those of its raw outputs"


def _record(job: Case, steps: Sequence[Done]) -> Iterator[str]:
    """Problems in the record of a subject's steps."""
    if not steps:
        yield "it has samples, but no record of its steps"
    earliest = job.started.timestamp() - CLOCKS_APART_S
    latest = job.ended.timestamp() + CLOCKS_APART_S
    for step in steps:
        if step.status:
            yield f"it has samples, but its step {quoted(step.name)} ended with {step.status}"
        if step.end < step.start:
            yield f"its step {quoted(step.name)} ended before it started"
        elif not earliest <= step.start <= step.end <= latest:
            yield (
                f"its step {quoted(step.name)} did not run within the session of its run report,"
                f" {job.started:%Y-%m-%d %H:%M} to {job.ended:%Y-%m-%d %H:%M} UTC"
            )
