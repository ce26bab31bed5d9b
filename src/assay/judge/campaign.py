"""A campaign judged: every metric of the plan, from the samples and what they rest on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from statistics import median

from assay.campaign.results import Results
from assay.checks.accepted import Accepted
from assay.checks.entry import LAYERS
from assay.checks.expect import Measured, expectation
from assay.checks.plan import Plan
from assay.cluster.description import Cluster
from assay.judge.engines import Engines
from assay.judge.judgement import Judged, Measurement, judge
from assay.judge.stand_ins import stand_ins
from assay.subject import Subject


def judge_campaign(
    cluster: Cluster,
    plan: Plan,
    results: Results,
    baseline: Accepted | None = None,
    reported: Sequence[Engines] = (),
    looks: int = 1,
) -> tuple[Judged, Measured]:
    """Judge every metric of the plan; what would rest on a bad figure of its own subject, again.

    A figure of one layer may be bad only after one below it has been replaced, so this is repeated,
    but no more often than there are layers.

    Args:
        cluster: the cluster.
        plan: its plan, at the scale of the campaign.
        results: the results of the campaign, or of its part so far.
        baseline: an accepted campaign of this cluster.
        reported: what the engines reported.
        looks: how often the samples may be judged before the last of them.

    Returns:
        the judgements, and the figures that their expectations follow from.
    """
    measurements = _measurements(cluster, plan, results, baseline, reported)
    found = judge(measurements, looks)
    valid = {m.requirement: m.samples for m in measurements if not m.problems}
    near: set[str] = set()
    lower = Measured(valid, results.scale)
    for _ in LAYERS:
        instead = stand_ins(measurements, found.judgements)
        lower = Measured(valid, results.scale, instead)
        near.update(host for each in instead for host in each.subject.hosts)
        again = [
            replace(each, expectation=expectation(cluster, results.as_run(r), lower, baseline))
            if near.intersection((r := each.requirement).subject.hosts)
            else each
            for each in measurements
        ]
        if again == measurements:
            break
        measurements = again
        found = judge(measurements, looks)
    return found, lower


def _measurements(
    cluster: Cluster,
    plan: Plan,
    results: Results,
    baseline: Accepted | None,
    reported: Sequence[Engines],
) -> list[Measurement]:
    """What was measured of each metric of the plan, with its expectation."""
    short: dict[tuple[Hashable, ...], str] = {
        (each.case, *way): sentence for each in reported for way, sentence in each.short.items()
    }
    problems = [results.problems(metric) for metric in plan]
    samples = [results.samples(metric) for metric in plan]
    valid = Measured(
        {
            metric: values
            for metric, values, its_problems in zip(plan, samples, problems, strict=True)
            if not its_problems
        },
        results.scale,
    )
    return [
        Measurement(
            metric,
            values,
            expectation(cluster, results.as_run(metric), valid, baseline),
            its_problems,
            results.raw(metric),
            _model_of(cluster, metric.subject),
            cluster.population(metric.subject),
            metric.metric.step(median(values), results.sizes(metric)) if values else 0.0,
            short.get((metric.case, metric.subject, metric.metric.direction), ""),
        )
        for metric, values, its_problems in zip(plan, samples, problems, strict=True)
    ]


def _model_of(cluster: Cluster, subject: Subject) -> str | None:
    """The model name that the SSD of a metric reports, if it is known."""
    device = subject.device and cluster.hosts[subject.host].nvme.get(subject.device)
    return device.model if device else None
