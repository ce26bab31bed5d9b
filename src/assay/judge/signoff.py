"""The sign-off: a campaign judged against the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from assay import __version__
from assay.campaign.begun import CampaignStanding, standing
from assay.campaign.cases import INTERRUPTED, REPETITIONS, RUNS, Deviation
from assay.campaign.fingerprints import with_fingerprints
from assay.campaign.further import further_rounds, not_taken
from assay.campaign.redescribed import redescribed
from assay.campaign.results import Results
from assay.checks.accepted import Accepted
from assay.checks.plan import CaseKey, requirements
from assay.checks.undescribed import Undescribed, undescribed
from assay.cluster import software
from assay.cluster.description import Cluster
from assay.cluster.fingerprint import HostChange
from assay.judge.campaign import judge_campaign
from assay.judge.causes import Cause, causes
from assay.judge.chain import Chain, chains
from assay.judge.contradicted import contradicted
from assay.judge.coverage import Coverage, coverage, named, shares
from assay.judge.declared import REST, Declared, declared, undeclared
from assay.judge.engines import Engines, engines
from assay.judge.evidence import Evidence, evidence
from assay.judge.in_force import in_force
from assay.judge.judgement import Judgement
from assay.judge.narrowed import narrowed
from assay.judge.on_word import on_word
from assay.judge.recovery import Recovery, recoveries
from assay.judge.strangers import strangers
from assay.judge.verdict import Verdict
from assay.judge.waivers import MOST_BY_PATTERN, Excused, Waiver, excuse
from assay.judge.weakened import Weakened, weakened


class Gate(StrEnum):
    """What a campaign must show."""

    ACCEPTANCE = "acceptance"
    """No metric may be missing, implausible, below, unsteady or measured with less than the scale
    asks for. In each layer and direction that the plan requires, each host must have a metric that
    is judged, or a named waiver; a yardstick weaker than the reference does not suffice. Of DAOS,
    the plan must have what users write and read."""

    MEASURED = "measured"
    """Every metric must be measured, and none may be implausible; no speed is required."""


FAILING = {
    Gate.ACCEPTANCE: (Verdict.MISSING, Verdict.IMPLAUSIBLE, Verdict.BELOW, Verdict.UNSTEADY),
    Gate.MEASURED: (Verdict.MISSING, Verdict.IMPLAUSIBLE),
}
"""The verdicts that each gate refuses."""


@dataclass(frozen=True)
class SignOff:
    """A campaign with a judgement for every metric required of the cluster."""

    cluster: Cluster
    gate: Gate
    scale: str
    """How much was measured: `quick` or `acceptance`."""
    judgements: tuple[Judgement, ...]
    comparisons: int
    """Number of comparisons of the whole campaign that could have raised a false alarm."""
    reports: tuple[Path, ...]
    """The ReFrame run reports that were judged."""
    measured_from: datetime
    measured_to: datetime
    made_at: datetime
    versions: dict[str, str]
    excused: tuple[Excused, ...] = ()
    """The metrics that are waived."""
    approver: str | None = None
    """Who approves the sign-off."""
    waivers: tuple[Waiver, ...] = ()
    """All waivers, including those that cover no metric."""
    deviations: tuple[Deviation, ...] = ()
    """The settings that differ from those of the scale."""
    baseline: Accepted | None = None
    """The accepted campaign whose figures are required again."""
    host_changes: tuple[HostChange, ...] = ()
    """The changes of hosts while they were measured."""
    findings: tuple[str, ...] = ()
    """What all metrics have in common, and populations that are declared, in sentences; it blocks
    no gate."""
    declared: tuple[Declared, ...] = ()
    """The populations that are declared."""
    engines: tuple[Engines, ...] = ()
    """The engines' reports on the checks that watch them."""
    in_force: Mapping[str, str] = field(default_factory=dict)
    """The properties of DAOS's pool and container before the checks, by the words of each."""
    recoveries: tuple[Recovery, ...] = ()
    """What clients did while a part of the system was lost and came back."""
    found: tuple[Undescribed, ...] = ()
    """What was found on hosts, and is not described or otherwise there."""
    strangers: tuple[str, ...] = ()
    """The hosts of the system that the plan does not have."""
    contradicted: tuple[str, ...] = ()
    """Where the running system contradicts its description."""
    standing: CampaignStanding | None = None
    """Which campaign of its plan this is, and how the others ended; None if nobody asked."""
    described: Mapping[str, str] = field(default_factory=dict)
    """The digest of each part of the description that is judged; older bundles have none."""
    redescribed: str = ""
    """What of the description was changed since the campaign was begun; empty if nothing was."""
    evidence: tuple[Evidence, ...] | None = ()
    """The evidence for bad figures of DAOS; None if the bundle is older than that."""

    @cached_property
    def counts(self) -> dict[Verdict, int]:
        """Number of metrics with each verdict; every verdict is a key."""
        counted = Counter(judgement.verdict for judgement in self.judgements)
        return {verdict: counted[verdict] for verdict in Verdict}

    @cached_property
    def stopped_by(self) -> tuple[Judgement, ...]:
        """The judgements that the gate refuses, the worst first."""
        failing = FAILING[self.gate]
        stopping = [judgement for judgement in self.judgements if judgement.verdict in failing]
        return tuple(sorted(stopping, key=lambda judgement: failing.index(judgement.verdict)))

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The causes of missing, implausible, slow and unsteady metrics, the worst first."""
        return tuple(causes(self.judgements))

    def is_blocked_by(self, cause: Cause) -> bool:
        """Whether the gate refuses a cause."""
        return cause.verdict in FAILING[self.gate]

    @cached_property
    def stopped_by_less(self) -> tuple[Deviation, ...]:
        """The settings that measured less than the scale asks for, if the gate refuses that."""
        if self.gate is Gate.MEASURED:
            return ()
        return tuple(deviation for deviation in self.deviations if deviation.less)

    @property
    def stopped_by_changes(self) -> tuple[HostChange, ...]:
        """The changes after which hosts are not what was measured, if the gate refuses that."""
        return () if self.gate is Gate.MEASURED else self.host_changes

    @cached_property
    def coverage(self) -> tuple[Coverage, ...]:
        """The coverage of each layer and direction."""
        return tuple(coverage(self.judgements, self.excused))

    @cached_property
    def unjudged(self) -> tuple[Coverage, ...]:
        """The layers and directions of which too little was judged, if the gate requires that."""
        if self.gate is not Gate.ACCEPTANCE:
            return ()
        return tuple(each for each in self.coverage if each.gaps)

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        """What was not judged, if the gate requires that, each in words."""
        unjudged = (gap for each in self.unjudged for gap in each.gaps)
        return (*unjudged, *self._narrowed(), *self._by_patterns())

    def _narrowed(self) -> Iterator[str]:
        """What the plan leaves out or takes for another system's, if the gate requires it."""
        if self.gate is Gate.ACCEPTANCE:
            plan = [each.requirement for each in self.judgements]
            yield from self.contradicted
            yield from narrowed(self.cluster, plan, self.baseline)

    @cached_property
    def undescribed(self) -> tuple[str, ...]:
        """What was found, and is not described or otherwise there."""
        return (*map(str, self.found), *self.strangers)

    @cached_property
    def weakened(self) -> tuple[Weakened, ...]:
        """The site's yardsticks that require less than the reference."""
        return tuple(weakened(self.judgements))

    def _by_patterns(self) -> Iterator[str]:
        """The number of metrics that patterns waive, if the gate refuses so many."""
        count, total = sum(each.waiver.is_pattern for each in self.excused), len(self.judgements)
        if self.gate is Gate.ACCEPTANCE and count > MOST_BY_PATTERN * total:
            yield (
                f"patterns waive {count:,} of {total:,} metrics, and at most {MOST_BY_PATTERN:.0%}"
                " may be: name each of the others"
            )

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """Where it is slow."""
        return tuple(chains(self.cluster, self.judgements))

    @property
    def passed(self) -> bool:
        """Whether the campaign passes the gate; without any judged metric it does not."""
        less = self.stopped_by_less or self.stopped_by_changes or self.gaps
        stopped = self.stopped_by or less
        return self.counts[Verdict.WAIVED] < len(self.judgements) and not stopped

    @property
    def headline(self) -> str:
        """The outcome in one sentence, which counts every verdict."""
        return f"{self.outcome} {self.cluster.name}: {self.statement}"

    @property
    def outcome(self) -> str:
        """The outcome in one or two words."""
        if self.counts[Verdict.WAIVED] == len(self.judgements):
            return "REFUSED"
        word = "ACCEPTED" if self.gate is Gate.ACCEPTANCE else "MEASURED"
        return word if self.passed else f"NOT {word}"

    @property
    def statement(self) -> str:
        """The number of metrics with each verdict, and what the outcome means or rests on."""
        total = len(self.judgements)
        if not total:
            return "the plan requires no metric, so there is nothing to accept"
        if self.counts[Verdict.WAIVED] == total:
            return f"all {total:,} metrics are waived, so there is nothing to accept"
        return "; ".join((", ".join(self._counted()), *self._grounds()))

    def _counted(self) -> Iterator[str]:
        yield f"{self.counts[Verdict.PASS]:,} of {len(self.judgements):,} metrics pass"
        for verdict, count in self.counts.items():
            if count and verdict is Verdict.WAIVED:
                yield f"{count:,} {verdict} ({', '.join(shares(self.judgements))})"
            elif count and verdict is not Verdict.PASS:
                yield f"{count:,} {verdict}"

    def _grounds(self) -> Iterator[str]:
        if self.passed and self.gate is Gate.ACCEPTANCE:
            yield f"on a campaign of the scale {self.scale}"
        elif self.passed:
            yield "this is a measurement and not an acceptance"
        if self.stopped_by:
            first, *others = self.causes
            yield f"{f'{len(others) + 1} causes, first' if others else '1 cause'}: {first.title}"
        loads = {each.check for each in self.stopped_by_less if each.is_load}
        if loads:
            yield f"another number in flight than the scale's in {', '.join(sorted(loads))}"
        if less := {each.check for each in self.stopped_by_less if not each.is_load}:
            yield f"less than the scale asks for in {', '.join(sorted(less))}"
        if hosts := dict.fromkeys(change.host for change in self.stopped_by_changes):
            yield f"changed during the campaign: {', '.join(hosts)}"
        if nothing := [each for each in self.unjudged if each.is_unjudged]:
            yield f"nothing was judged in {', '.join(map(str, nothing))}"
        if hosts := dict.fromkeys(host for each in self.unjudged for host in each.hosts):
            yield f"not judged in every layer: {named(tuple(hosts))}"
        yield from (gap for each in self.unjudged for gap in each.waived_by_patterns())
        if names := [str(each) for each in self.unjudged if each.alone or each.saved]:
            yield f"no verdict but by weakened yardsticks in {', '.join(names)}"
        if count := sum(len(each.judgements) for each in self.weakened):
            by = named(tuple(dict.fromkeys(each.by for each in self.weakened)))
            yield f"weakened yardsticks for {count:,} metrics: {by}"
        yield from self._narrowed()
        yield from self._by_patterns()
        if self.gate is Gate.ACCEPTANCE:
            yield from self._to_know()

    def _to_know(self) -> Iterator[str]:
        """What blocks nothing, and who accepts should know first."""
        if self.redescribed:
            yield self.redescribed
        if which := self.standing and self.standing.heading:
            yield which if self.baseline else f"{which}, without a baseline"
        if both := [name for name in self.cluster.clients if name in self.cluster.servers]:
            yield f"clients and servers at once, which is for trials: {named(tuple(both))}"
        if spared := [each.name or REST for each in self.declared if each.spared]:
            yield f"figures worse than their peers pass by declared populations: {named(spared)}"
        if words := on_word(self.cluster, self.judgements):
            yield f"on the site's word alone: {named(words)}"
        if again := [each for each in self.deviations if each.variable in (RUNS, INTERRUPTED)]:
            yield named(tuple(map(str, again)))
        if found := self.undescribed:
            also = f"; also {named(others)}" if (others := self._other_kinds()) else ""
            yield f"found and not described so, {len(found)}: {found[0]}{also}"

    def _other_kinds(self) -> tuple[str, ...]:
        """The first place of each further kind of these: none hides behind others."""
        kinds: dict[str, str] = {}
        for each in self.found:
            kinds.setdefault(each.kind, each.place)
        if self.strangers:
            kinds.setdefault("strangers", "dmg system query")
        return tuple(kinds.values())[1:]


def sign_off(
    cluster: Cluster,
    results: Results,
    gate: Gate,
    waivers: Sequence[Waiver] = (),
    approver: str | None = None,
    made_at: datetime | None = None,
    baseline: Accepted | None = None,
    described: Mapping[str, str] | None = None,
) -> SignOff:
    """Judge every metric of the plan, in its order, from the lowest layer up.

    Args:
        cluster: the cluster.
        plan: its plan, at the scale of the campaign.
        results: the results of the campaign.
        gate: what the campaign must show.
        waivers: the metrics that are accepted regardless, and who answers for them.
        approver: who approves the sign-off.
        baseline: an accepted campaign of this cluster, whose figures are required again.
        made_at: the time of the sign-off, by default now. A waiver must be valid on that day.
        described: the digest of each part of the description, as the record of campaigns has it.

    Raises:
        WaiverError: a waiver has expired, or names no metric of the plan.
    """
    made_at = made_at or datetime.now(UTC)
    plan = requirements(cluster, results.scale)
    reported = engines(cluster, plan, results)
    found, _ = judge_campaign(cluster, plan, results, baseline, reported, results.looks)
    scattering = {each.requirement.case for each in found.judgements if each.scatters}
    populations: tuple[Declared, ...] = ()
    if cluster.populations:
        as_one, _ = judge_campaign(
            undeclared(cluster), plan, results, baseline, reported, results.looks
        )
        populations = tuple(declared(cluster, found.judgements, as_one.judgements))
    judgements, excused = excuse(found.judgements, waivers, made_at.astimezone(UTC).date())
    return SignOff(
        cluster=cluster,
        gate=gate,
        scale=results.scale,
        judgements=judgements,
        comparisons=found.comparisons,
        reports=tuple(results.reports),
        measured_from=results.started,
        measured_to=results.ended,
        made_at=made_at,
        versions={"daos-assay": __version__, "ReFrame": results.reframe, **cluster.versions}
        | software.versions(cluster.built),
        excused=excused,
        approver=approver,
        waivers=tuple(waivers),
        deviations=tuple(_settled(results, found.decided)),
        baseline=baseline,
        host_changes=results.host_changes,
        findings=(
            *map(str, populations),
            *further_rounds(results),
            *not_taken(results, scattering),
            *found.findings,
        ),
        declared=populations,
        engines=reported,
        in_force=in_force(cluster, results),
        found=tuple(undescribed(cluster, with_fingerprints(cluster.hosts, results.fingerprints))),
        strangers=strangers(cluster, results),
        contradicted=contradicted(cluster, results),
        standing=standing(results.begun, cluster.name, results.scale, results.started),
        described=described or {},
        redescribed=redescribed(results.begun, results.scale, results.started, described or {}),
        recoveries=recoveries(cluster, plan, results),
        evidence=evidence(cluster, plan, results, found.judgements, reported),
    )


def _settled(results: Results, decided: Collection[CaseKey]) -> Iterator[Deviation]:
    """The deviations; the samples of a check that stopped are marked if they decided."""
    for each in results.deviations:
        stopped = each.case in results.stopped and each.case in decided
        enough = each.variable == REPETITIONS and stopped
        yield replace(each, decided=True) if enough else each
