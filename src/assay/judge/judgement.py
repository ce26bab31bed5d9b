"""Judges metrics: a verdict from samples and an expectation, with its reason."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.campaign.cases import FIRST
from assay.checks.expect import Expectation
from assay.checks.plan import CaseKey, Requirement
from assay.cluster.description import PARTITIONS
from assay.judge.culprits import Ends, culprits
from assay.judge.fakes import FEWEST, fakes
from assay.judge.in_common import settled_rows
from assay.judge.limits import Limits, Numbers, numbered
from assay.judge.peers import HIDDEN
from assay.judge.rating import FASTER, Peers, Rated, Rating, rate
from assay.judge.stats import Array, Summaries, Summary
from assay.judge.stopping import decided
from assay.judge.verdict import Verdict
from assay.units import Quantity, show

TOO_GOOD = "a cache, a hole or a wrong unit"
"""What makes figures better than possible."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One metric to judge."""

    requirement: Requirement
    samples: Sequence[float]
    expectation: Expectation
    problems: Sequence[str] = ()
    """The reasons why its samples do not count."""
    raw: Sequence[str] = ()
    model: str | None = None
    """The model name that its device reports, if known; devices of other models are no peers."""
    population: frozenset[str] = frozenset()
    """The populations that the site declares it to be of; others are no peers."""
    step: float = 0.0
    """The step of its figures, in its unit, where that is larger than their last digit."""
    short: str = ""
    """How much less than it reports was moved by the engines; empty if nothing shows that."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judged metric: requirement, samples, expectation and verdict."""

    requirement: Requirement
    samples: tuple[float, ...]
    summary: Summary | None
    expectation: Expectation
    verdict: Verdict
    reason: str
    raw: tuple[str, ...] = ()
    """Paths, within the bundle, of the raw outputs with the samples."""
    peers: Peers | None = None
    """None if there are too few peers."""
    more_samples: int | None = None
    """Further samples that would decide an open verdict; None if no reasonable number would."""
    scatters: bool = False
    """Whether its verdict is open because of its scatter, so that more samples may decide it."""
    culprit: str = ""
    """What makes it slow, if its peers show it: ``c4``, or ``between c[1-4] and c[5-8]``."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A campaign, judged."""

    judgements: tuple[Judgement, ...]
    comparisons: int
    """Comparisons that could have raised a false alarm; together, they do in 1 of 200 campaigns."""
    findings: tuple[str, ...] = ()
    """What all metrics have in common, in sentences."""
    decided: frozenset[CaseKey] = frozenset()
    """Check and partition of what needs no more samples, if the campaign looks at them twice."""


def judge(measurements: Sequence[Measurement], looks: int = 1) -> Judged:
    """Judge the metrics of a campaign, each also among its peers.

    Peers are the subjects of one metric of a check in one partition that have the same limits and,
    if they have one, the same backend or model.
    Fail closed: with a problem, or without a sample, a metric is `missing`.

    Args:
        measurements: the metrics.
        looks: how often the samples may be judged before the last of them.
    """
    problems = [_problems(measurement) for measurement in measurements]
    whole = [
        () if problem else measurement.samples
        for measurement, problem in zip(measurements, problems, strict=True)
    ]
    ends = Ends([measurement.requirement for measurement in measurements])
    limits = _limits(measurements, ends.numbers, looks)
    rows, summaries, findings = settled_rows(whole, limits)
    short = {row: m.short for row, m in enumerate(measurements) if m.short}
    fake = short | _fakes(measurements, whole)
    flags = np.isin(np.arange(len(rows)), list(fake))
    rating = rate(summaries, limits, flags, rows)
    culprit = culprits([m.requirement for m in measurements], rating, limits.group, ends)
    judgements = []
    for row, (measurement, summary) in enumerate(zip(measurements, summaries.each(), strict=True)):
        rated = rating.of(row)
        if summary is None:
            reason = "; ".join(problems[row]) or "it was not measured"
        else:
            reason = fake.get(row) or _reason(measurement, summary, rated, culprit[row])
        judgements.append(
            Judgement(
                requirement=measurement.requirement,
                samples=tuple(measurement.samples),
                summary=summary,
                expectation=measurement.expectation,
                verdict=rated.verdict,
                reason=reason,
                raw=tuple(measurement.raw),
                peers=rated.peers,
                more_samples=rated.more_samples,
                scatters=bool(rating.scattering[row]),
                culprit=culprit[row],
            )
        )
    settled = _decided(measurements, whole, summaries, limits, rating) if looks > 1 else frozenset()
    return Judged(tuple(judgements), rating.comparisons, findings, settled)


def _decided(
    measurements: Sequence[Measurement],
    rows: Sequence[Sequence[float]],
    summaries: Summaries,
    limits: Limits,
    rating: Rating,
) -> frozenset[CaseKey]:
    """What has all of its verdicts."""
    keys = [m.requirement.case for m in measurements]
    sure = decided(summaries, limits, rating, numbered(keys))
    # A count is not estimated.
    counts = np.array([m.expectation.ground == "count" for m in measurements], dtype=bool)
    sure |= counts & (rating.verdict == Verdict.PASS)
    sure[list(_fakes(measurements, rows, fewest=FIRST))] = False
    open_still = {key for key, settled in zip(keys, sure.tolist(), strict=True) if not settled}
    return frozenset(keys) - open_still


def _fakes(
    measurements: Sequence[Measurement], rows: Sequence[Sequence[float]], fewest: int = FEWEST
) -> dict[int, str]:
    """Metrics with samples that nobody measured; counts are excluded, since they may be equal."""
    return fakes(
        [
            () if m.expectation.ground == "count" else row
            for m, row in zip(measurements, rows, strict=True)
        ],
        [m.requirement.figure for m in measurements],
        [m.requirement.key for m in measurements],
        [(m.requirement.case, m.requirement.subject) for m in measurements],
        fewest,
        [m.step for m in measurements],
    )


def _problems(measurement: Measurement) -> list[str]:
    impossible = (
        value for value in measurement.samples if not (math.isfinite(value) and value > 0)
    )
    return [
        *measurement.problems,
        *(f"a sample is {value:g}, and a measurement is above zero" for value in impossible),
    ]


def _limits(measurements: Sequence[Measurement], ends: Numbers, looks: int) -> Limits:
    more = np.array(
        [measurement.requirement.metric.better == "higher" for measurement in measurements],
        dtype=bool,
    )
    floor = _array([measurement.expectation.floor for measurement in measurements])
    ceiling = _array([measurement.expectation.ceiling for measurement in measurements])
    return Limits(
        best=np.where(more, ceiling, floor),
        worst=np.where(more, floor, ceiling),
        more=more,
        group=numbered([peer_group(measurement) for measurement in measurements]),
        subject=numbered(
            [
                (required.case, required.subject)
                for required in (measurement.requirement for measurement in measurements)
            ]
        ),
        host=numbered([measurement.requirement.host for measurement in measurements]),
        ends=ends,
        check=numbered([measurement.requirement.case for measurement in measurements]),
        looks=looks,
    )


def _array(figures: Sequence[float | None]) -> Array:
    return np.array([math.nan if figure is None else figure for figure in figures], np.float64)


def peer_group(measurement: Measurement) -> Hashable:
    """The properties that peers share."""
    required, expected = measurement.requirement, measurement.expectation
    # Limits from measured figures differ between hosts, even if the hosts are alike.
    limits: Hashable = (expected.floor, expected.ceiling)
    if expected.ground == "measured":
        limits = None
    elif expected.accepted is not None:
        limits = expected.bound
    # One backend may be much slower than another; all hosts together have no peer.
    subject = required.subject
    backend = subject if subject.host in PARTITIONS else subject.backend
    # Data between two engines of one host crosses no wire.
    near = subject.peer is not None and len(subject.hosts) == 1
    name = (required.check, required.name, required.partition)
    return *name, backend, near, measurement.model, limits, measurement.population


def _reason(measurement: Measurement, summary: Summary, rated: Rated, culprit: str) -> str:
    required, unit, peers = measurement.requirement, measurement.expectation.unit, rated.peers
    words = _Words(measurement)
    # Each sample of a count has to be right.
    is_count = measurement.expectation.ground == "count"
    figure = min(measurement.samples) if is_count and words.more else summary.median
    value = Quantity(figure, unit)
    match rated.verdict:
        case Verdict.IMPLAUSIBLE:
            better = words.beyond(summary.median) or (peers and _against_peers(peers, unit))
            return f"{value} is {better}: {TOO_GOOD}{_unless_disturbed(measurement.expectation)}"
        case Verdict.BELOW:
            outlier = peers and peers.outlier and _against_peers(peers, unit)
            if outlier and peers and rated.local < peers.gain:
                beside = "the others of its host" if required.subject.peer is None else _OTHERS
                outlier += f", and {-rated.local:.1%} worse than {beside}"
            below = words.short(figure)
            blame = rated.blame
            slow = f"; {culprit} is {blame.apart:.1%} slower" if blame and culprit else ""
            return f"{value} is {', and '.join(what for what in (below, outlier) if what)}{slow}"
        case Verdict.UNSTEADY:
            return _undecided(words, summary, rated, culprit)
        case Verdict.UNRATED:
            return measurement.expectation.derivation
    return f"{value} is {'above' if words.more else 'within'} {words.limit}"


def _unless_disturbed(expected: Expectation) -> str:
    """The other cause, where the limit was measured in the same campaign."""
    if expected.ground != "measured" or not expected.limits:
        return ""
    return f", unless other work slowed what it is compared with: {expected.limits[0].made_of}"


class _Words:
    """The limits of a metric, in words."""

    def __init__(self, measurement: Measurement) -> None:
        expected, self.unit = measurement.expectation, measurement.expectation.unit
        self.more = measurement.requirement.metric.better == "higher"
        limits = (expected.ceiling, expected.floor)
        self.best, self.worst = limits if self.more else reversed(limits)

    @property
    def limit(self) -> str:
        """The limit that it should reach, or stay within."""
        quantity = Quantity(self.worst or 0.0, self.unit)
        return f"the {'floor' if self.more else 'ceiling'} of {quantity}"

    def beyond(self, value: float) -> str | None:
        """A sentence if a value is better than possible, otherwise None."""
        if self.best is None or not (value > self.best if self.more else value < self.best):
            return None
        return f"better than possible, {Quantity(self.best, self.unit)}"

    def short(self, value: float) -> str | None:
        """A sentence if a value is worse than that limit, otherwise None."""
        if self.worst is None or not (value < self.worst if self.more else value > self.worst):
            return None
        return f"{'below' if self.more else 'above'} {self.limit}"


_OTHERS = "the other pairs of its two ends"


def _against_peers(peers: Peers, unit: str) -> str:
    how = f"{abs(peers.gain):.1%} {'better' if peers.gain > 0 else 'worse'}"
    return f"{how} than the median of its {peers.count:,} peers, {Quantity(peers.median, unit)}"


def _undecided(words: _Words, summary: Summary, rated: Rated, culprit: str) -> str:
    """Why a metric is unsteady, and what would decide its verdict."""
    reasons = []
    beyond = words.beyond(summary.median)
    if beyond:
        reasons.append(
            f"{Quantity(summary.median, words.unit)} is {beyond}, but not all samples are"
        )
    elif rated.spiking:
        reasons.append(
            f"its median is possible, but its best samples are more than {FASTER:.0%} better than"
            f" that: {TOO_GOOD}"
        )
    if rated.straddling:
        if summary.count == 1:
            reasons.append(
                f"one sample, {Quantity(summary.median, words.unit)}, does not show on which side"
                f" of {words.limit} the median lies"
            )
        elif words.short(summary.low) and words.short(summary.high):
            reasons.append(
                f"{summary.count} samples may lie {words.short(summary.median)} by chance"
            )
        else:
            reasons.append(
                f"{summary.count} samples leave the median anywhere between {show(summary.low)}"
                f" and {show(summary.high)}, on both sides of {words.limit}"
            )
    if rated.hiding and rated.peers:
        reasons.append(
            f"{summary.count} samples scatter so much that it may be {HIDDEN:.0%} worse than its"
            f" {rated.peers.count:,} peers"
        )
    if not math.isnan(rated.apart):
        reasons.append(
            f"its peers form two populations, and it belongs to the worse one, by"
            f" {rated.apart:.1%}: {culprit}. Only the layers below, a floor or the site"
            " can tell which of them is right"
        )
    if not math.isnan(rated.differing):
        reasons.append(
            f"it is {rated.differing:.1%} worse than the best of its few peers: they differ, and"
            " so few do not show which of them is right"
        )
    if rated.better and rated.peers:
        reasons.append(
            f"{_against_peers(rated.peers, words.unit)}: is it another device, or are they slow?"
        )
    if rated.wild:
        reasons.append(
            f"{rated.wild} of its {summary.count} samples are far below those of its peers, which"
            " have none or fewer: it is slow from time to time"
        )
    if rated.drifting:
        moved = "rose" if summary.change > 0 else "fell"
        reasons.append(
            f"it {moved} by {abs(summary.change):.1%} from the first sample to the last"
            " and did not settle"
        )
    elif rated.straddling or rated.hiding:
        more = rated.more_samples
        number = "no reasonable number of" if more is None else f"about {more}"
        reasons.append(f"{number} more samples would decide")
    return "; ".join(reasons)
