"""One night judged: against the limits, as a sign-off does, and against the nights before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.campaign.results import Results
from assay.checks.accepted import Accepted
from assay.checks.entry import LAYERS, Requirement
from assay.cluster.description import PARTITIONS, Cluster
from assay.health.chart import Signals, deviations, reference, signals, steps
from assay.health.families import Charted, Families, families
from assay.health.nights import Night
from assay.health.outcome import Finding, Gap
from assay.judge.judgement import Judgement
from assay.judge.signoff import Gate, sign_off
from assay.judge.stats import Array, summarize_all
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver

ALARMING = (Verdict.BELOW, Verdict.IMPLAUSIBLE)
"""Verdicts that are an alarm if a second run gives one of them again."""

WITHIN = 1.5
"""A part of what is slow is named too if it has lost so many times as much (own choice)."""


@dataclass(frozen=True)
class Watched:
    """What a night is held against."""

    cluster: Cluster
    accepted: Accepted | None
    waivers: Sequence[Waiver]
    nights: Sequence[Night]
    notes: Sequence[str] = ()
    """What is to be known of these, in words."""


@dataclass(frozen=True)
class JudgedRun:
    """One run of a night, judged."""

    judgements: tuple[Judgement, ...]
    """Those of the checks that ran."""
    families: Families
    shown: Signals
    engines: tuple[str, ...]
    """What the engines counted as errors meanwhile, each in a sentence."""
    unseen: tuple[str, ...] = ()
    """Checks during which not all engines' metrics were read, and why."""

    @property
    def measured(self) -> frozenset[int | str]:
        """Numbers of families, and keys of metrics, that have figures."""
        seen = np.flatnonzero(~np.isnan(self.shown.tonight)).tolist()
        return frozenset(seen) | medians(self.judgements).keys()

    @property
    def suspects(self) -> frozenset[int | str]:
        """Numbers of families, and keys of metrics, that are worse or too good."""
        flagged = np.flatnonzero(self.shown.worse | self.shown.faster).tolist()
        return frozenset(flagged) | {
            each.requirement.key for each in self.judgements if each.verdict in ALARMING
        }

    def checks(self, suspects: frozenset[int | str]) -> frozenset[str]:
        """The checks that measure some of these."""
        named = (self.families.members[each].checks for each in suspects if isinstance(each, int))
        keys = {each.requirement.key: each.requirement.check for each in self.judgements}
        return frozenset[str]().union(*named) | {keys[key] for key in suspects if key in keys}


def judged(results: Results, checks: Sequence[str], watched: Watched) -> JudgedRun:
    """Judge one run of some checks.

    Raises:
        WaiverError: a waiver has expired, or names no metric of the plan.
    """
    signed = sign_off(
        watched.cluster, results, Gate.MEASURED, watched.waivers, baseline=watched.accepted
    )
    mine = tuple(each for each in signed.judgements if each.requirement.check in checks)
    counted = (f"{each.check}: {error}" for each in signed.engines for error in each.errors)
    unseen = (f"{each.check}: {each.unread}" for each in signed.engines if each.unread)
    return JudgedRun(
        mine,
        *_charted(mine, watched.nights),
        tuple(dict.fromkeys(counted)),
        tuple(dict.fromkeys(unseen)),
    )


def medians(judgements: Sequence[Judgement]) -> dict[str, float]:
    """The median of each measured metric, by its key."""
    return {
        each.requirement.key: each.summary.median
        for each in judgements
        if each.summary is not None and each.verdict is not Verdict.MISSING
    }


def _charted(judgements: Sequence[Judgement], nights: Sequence[Night]) -> tuple[Families, Signals]:
    required = [each.requirement for each in judgements]
    watched_families = families([_as_charted(each) for each in required])
    sign = np.array([1.0 if each.metric.better == "higher" else -1.0 for each in required])
    keys = [each.key for each in required]

    def logarithms(figures: Mapping[str, float]) -> Array:
        return np.asarray(sign * np.log([figures.get(key, np.nan) for key in keys]))

    figures = np.array([logarithms(night.medians) for night in nights]).reshape(-1, len(keys))
    tonight = logarithms(medians(judgements))
    if not len(figures):
        figures = np.full((1, len(keys)), np.nan)
    levels = reference(figures)
    now = deviations(tonight[None], levels, watched_families)[0]
    summaries = summarize_all(
        [() if each.verdict is Verdict.MISSING else each.samples for each in judgements]
    )
    past = deviations(figures, levels, watched_families)[: len(nights)]
    return watched_families, signals(
        past, now, watched_families, steps(summaries, watched_families)
    )


def _as_charted(required: Requirement) -> Charted:
    subject = required.subject
    whole = subject.host in PARTITIONS
    kind = (required.figure, required.partition, str(subject) if whole else subject.backend)
    hosts = () if whole else subject.hosts
    return Charted(kind, required.check, str(subject), hosts)


def findings(run: JudgedRun, suspects: frozenset[int | str]) -> list[Finding]:
    """What is wrong, in words: the lowest layer first, and of a layer the largest loss.

    A part is not named beside the whole that is slow, unless it has lost much more.
    """
    all_findings = [*_against_limits(run, suspects), *_against_history(run, suspects)]
    order = {layer: number for number, layer in enumerate(LAYERS)}
    return sorted(all_findings, key=lambda each: (order[each.layer], -(each.loss or 0.0)))  # type: ignore[index]


def _against_limits(run: JudgedRun, suspects: frozenset[int | str]) -> Iterator[Finding]:
    for each in run.judgements:
        required = each.requirement
        if required.key in suspects:
            yield Finding(
                layer=required.layer,
                what=required.figure,
                subject=str(required.subject),
                hosts=_hosts([required]),
                against="limit",
                reason=f"{each.verdict}: {each.reason}",
                loss=None,
            )


def _against_history(run: JudgedRun, suspects: frozenset[int | str]) -> Iterator[Finding]:
    named: list[tuple[frozenset[int], float]] = []
    # The smallest family of each metric is the last one.
    own = {
        row: number
        for number, family in enumerate(run.families.members)
        if family.level != "kind"
        for row in family.rows
    }
    for number, family in enumerate(run.families.members):  # the largest first
        if number not in suspects:
            continue
        gain = float(np.expm1(run.shown.tonight[number]))
        rows = frozenset(family.rows)
        if any(rows <= whole and abs(gain) < WITHIN * abs(most) for whole, most in named):
            continue
        named.append((rows, gain))
        slow = [row for row in family.rows if run.shown.tonight[own[row]] < np.log1p(gain / 2)]
        yield _finding(run, number, slow, gain)


def _finding(run: JudgedRun, number: int, slow: Sequence[int], gain: float) -> Finding:
    family = run.families.members[number]
    required = [run.judgements[row].requirement for row in family.rows]
    layers = {run.judgements[row].requirement.layer for row in slow or family.rows}
    first = required[0]
    match family.level:
        case "kind":
            what, subject = f"{first.figure} of all {len(required):,} subjects", ""
        case "host":
            checks = ", ".join(sorted(family.checks))
            what, subject = f"all figures ({checks})", str(family.name)
        case "part":
            what, subject = f"{first.check}, {len(required):,} figures", str(family.name)
        case "subject":
            names = ", ".join(dict.fromkeys(each.name for each in required))
            what, subject = f"{first.check} ({names})", str(first.subject)
        case "metric":
            what, subject = first.figure, str(first.subject)
    average = float(np.expm1(run.shown.average[number]))
    limit = -float(np.expm1(-run.shown.limit[number]))
    reason = (
        f"{-gain:.1%} worse than in its first nights (moving average {-average:.1%}, limit"
        f" {limit:.1%})"
        if gain < 0
        else f"implausible: {gain:.1%} better than in its first nights: a cache, a hole or a wrong"
        " unit"
    )
    hosts: tuple[str, ...] = ()
    if family.level in ("host", "part"):
        hosts = (subject,)
    elif family.level != "kind":
        hosts = _hosts(required)
    return Finding(
        layer=next(layer for layer in LAYERS if layer in layers),
        what=what,
        subject=subject,
        hosts=hosts,
        against="history",
        reason=reason,
        loss=-gain,
    )


def _hosts(required: Sequence[Requirement]) -> tuple[str, ...]:
    names = dict.fromkeys(host for each in required for host in each.subject.hosts)
    return tuple(name for name in names if name not in PARTITIONS)


def gaps(run: JudgedRun) -> tuple[Gap, ...]:
    """What was not measured, by check and reason."""
    missing: dict[tuple[str, str], list[Requirement]] = defaultdict(list)
    for each in run.judgements:
        if each.verdict is Verdict.MISSING:
            missing[each.requirement.check, each.reason].append(each.requirement)
    return tuple(
        Gap(check=check, hosts=_hosts(required), figures=len(required), reason=reason)
        for (check, reason), required in missing.items()
    )
