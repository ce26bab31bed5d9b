"""Checks whether the samples of a bundle's run reports match its raw outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from assay.campaign.cases import Case
from assay.campaign.results import Results
from assay.campaign.samples import samples_of
from assay.campaign.steps import misplaced
from assay.checks.entry import Run, run_of
from assay.checks.plan import CHECKS
from assay.checks.raw import Done, RawOutputs
from assay.cluster.description import Cluster, Partition
from assay.foreign import limits
from assay.foreign.files import Tree, reason_of
from assay.foreign.text import quoted
from assay.subject import Subject


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
        refusal, lines = left.content("refusal"), left.record()
        samples, problems = samples_of(run, subject, raw)
    # Whatever a parser makes of a host's output is of this subject alone.
    except Exception as error:
        yield f"its raw outputs cannot be read: {reason_of(error)}"
        return
    if refusal:
        yield f"it has samples, but its job refused to measure: {quoted(refusal)}"
    yield from _record(job, lines, run.check.reading.steps(run, subject))
    if problems:
        yield f"it has samples, but its raw outputs have none: {problems[0]}"
        return
    for metric, values in samples.items():
        if list(reported.get(metric, ())) != values:
            yield f"the samples of {metric} differ from those of its raw outputs"


def _record(job: Case, lines: Sequence[Done | None], planned: Iterable[str]) -> Iterator[str]:
    """Problems in the record of a subject's steps."""
    steps = [line for line in lines if line]
    if not steps:
        yield "it has samples, but no record of its steps"
        return
    if len(steps) < len(lines):
        yield "the record of its steps has a line that is none of a step"
    for step in steps:
        if step.status:
            yield f"it has samples, but its step {quoted(step.name)} ended with {step.status}"
    names, wanted = [step.name for step in steps], list(planned)
    if names != wanted:
        yield from _other_steps(names, wanted)
    yield from misplaced(steps, job.started.timestamp(), job.ended.timestamp())


def _other_steps(names: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """How the recorded steps differ from those that the check runs."""
    there, planned = Counter(names), Counter(wanted)
    for name in (planned - there).elements():
        yield f"it has samples, but its step {name} left no record"
    for name in (there - planned).elements():
        yield f"the record of its steps has {quoted(name)}, which it does not run"
    if there == planned:
        yield "the record of its steps is in another order than they run"
