"""How much of the plan was judged: only what was judged can be accepted.

A class is a layer in one direction, such as reads of SSDs; scratch disks and the SSDs of engines
are classes of their own. If no metric of a class on a host has a floor, it is unknown whether that
part of the cluster is slow. So it is if the site's own yardstick asks for less than the reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from assay.checks.bounds.devices import Direction
from assay.checks.entry import Layer
from assay.checks.figures import is_judged
from assay.checks.plan import crosses_daos
from assay.cluster.description import PARTITIONS
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict
from assay.judge.waivers import MOST_BY_PATTERN, Excused
from assay.judge.weakened import is_saved, is_weakened

_IN_NAME = re.compile(r"[\w.-]")
"""A character of host names: next to a match, it shows that the match is part of a longer name."""


DISKS, OF_ENGINES = "scratch disks", "engines' SSDs"
"""The kinds of devices in the layer `ssd`: one does not show whether the other is slow."""

ELSEWHERE = "not DAOS"
"""The kind of what users write to local disks and shared directories, where there is DAOS."""


_BY_PATTERN = "by a pattern"
"""The metrics that a pattern waives, whether they were judged or could not be."""

WEAKENED = "judged by weakened yardsticks alone"


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was judged of a layer in one direction, and by what."""

    layer: Layer
    direction: Direction | None
    """None for metrics that neither write to the storage nor read from it."""
    kind: str
    """The kind of device, where a layer has several."""
    required: int
    judged: int
    """Number of metrics that were compared with a floor, or with a count, as strict as the
    reference."""
    weakened: int
    """Number of those compared with a yardstick that is weaker."""
    waived: int
    by_patterns: int
    """Number of waived metrics that were judged, and that a pattern waives."""
    checks: tuple[Share, ...]
    """The share of each check."""
    hosts: tuple[str, ...]
    """Hosts of which nothing is judged or waived by name, although others of their partition are
    judged."""
    alone: tuple[str, ...]
    """Checks on subjects, each judged by weakened yardsticks alone, without a waiver."""
    saved: tuple[str, ...]
    """The metrics that miss the reference, and pass by a weakened yardstick, without a waiver."""

    @property
    def is_unjudged(self) -> bool:
        """Whether none of its metrics has a verdict on its speed, and not all are waived."""
        return not self.judged and not self.weakened and self.waived < self.required

    @property
    def gaps(self) -> tuple[str, ...]:
        """What acceptance lacks, each in words."""
        if self.is_unjudged:
            return (f"not judged: {self}, {self.required:,} metrics",)
        return (
            *self.waived_by_patterns(),
            *([f"not judged: {self} on {named(self.hosts)}"] if self.hosts else ()),
            *([f"{WEAKENED}: {self}: {named(self.alone)}"] if self.alone else ()),
            *([f"misses the reference: {self}: {named(self.saved)}"] if self.saved else ()),
        )

    def waived_by_patterns(self) -> Iterator[str]:
        """What patterns waive, if they waive more than they may."""
        could = self.judged + self.weakened + self.by_patterns
        if self.by_patterns > MOST_BY_PATTERN * could:
            yield (
                f"waived by patterns: {self}, {self.by_patterns:,} of {could:,} metrics, and at"
                f" most {MOST_BY_PATTERN:.0%} may be: name each of the others"
            )

    def __str__(self) -> str:
        where = f"{self.layer} {self.direction or 'of neither direction'}"
        return f"{where} ({self.kind})" if self.kind else where


@dataclass(frozen=True, slots=True)
class Share:
    """How many subjects of a check were judged, and by what."""

    check: str
    subjects: int
    judged: int
    """Of these, those with a metric judged as strictly as by the reference."""
    grounds: Mapping[str, int]
    """Number of metrics by what they were judged by, or by why they were not."""

    def __str__(self) -> str:
        by = ", ".join(f"{count:,} {ground}" for ground, count in self.grounds.items())
        return f"{self.check}: {self.judged:,} of {self.subjects:,} subjects judged ({by})"


MOST_NAMED = 4
"""Maximum number of hosts or subjects that a gap names (own choice)."""


def named(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def coverage(judgements: Iterable[Judgement], excused: Iterable[Excused] = ()) -> list[Coverage]:
    """The coverage of each class that the plan requires, from the lowest layer up.

    Args:
        judgements: those of all metrics.
        excused: the metrics that are waived.
    """
    by_pattern = {
        each.judgement.requirement: each.judgement for each in excused if each.waiver.is_pattern
    }
    classes: dict[tuple[Layer, Direction | None, str], _Class] = {}
    asked, every = cache(is_judged), tuple(judgements)
    on_daos = any(crosses_daos(each.requirement) for each in every)
    for judgement in every:
        required = judgement.requirement
        if not asked(required.metric):
            continue
        # IO500's phases of mdtest do not show the bandwidth of its other phases.
        layer = "metadata" if required.metric.unit in ("op/s", "kop/s") else required.layer
        kind = ""
        if layer == "ssd":
            kind = OF_ENGINES if required.subject.device else DISKS
        elif layer == "endtoend" and on_daos and not crosses_daos(required):
            kind = ELSEWHERE
        its = classes.setdefault((layer, required.metric.direction, kind), _Class())
        its.add(judgement, by_pattern.get(required))
    if any(kind == OF_ENGINES for *_, kind in classes):  # scratch disks are no part of the storage
        classes = {key: each for key, each in classes.items() if key[-1] != DISKS or each.is_judged}
    if on_daos:  # as what is written elsewhere
        beside = [key for key, each in classes.items() if key[-1] == ELSEWHERE]
        classes = {k: each for k, each in classes.items() if k not in beside or each.is_judged}
    return [each.coverage(*key) for key, each in classes.items()]


@dataclass(slots=True)
class _Class:
    """The metrics of a class, as they are counted."""

    counts: Counter[str] = field(default_factory=Counter)
    hosts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    """By partition and host."""
    ends: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    """By check and end of a subject."""
    grounds: dict[str, Counter[str]] = field(default_factory=dict)
    saved: list[str] = field(default_factory=list)
    by_patterns: int = 0

    def add(self, judgement: Judgement, by_pattern: Judgement | None) -> None:
        """Count a metric; if a pattern waives it, as it was judged before that."""
        required = judgement.requirement
        self.by_patterns += by_pattern is not None and has_been_judged(by_pattern)
        state = _state(judgement)
        ground = judgement.expectation.ground if state == "judged" else state
        self.grounds.setdefault(required.check, Counter())[ground] += 1
        if state == "weakened" and is_saved(judgement):
            self.saved.append(required.key)
        counters = [self.counts]
        for host in required.subject.hosts:
            counters.append(self.hosts.setdefault((required.partition, host), Counter()))
        for end in required.subject.ends:
            counters.append(self.ends.setdefault((required.check, str(end)), Counter()))
        for counter in counters:
            counter["required"] += 1
            counter[state] += 1
            counter[_BY_PATTERN] += by_pattern is not None

    def coverage(self, layer: Layer, direction: Direction | None, kind: str) -> Coverage:
        counts = self.counts
        return Coverage(
            layer,
            direction,
            kind,
            counts["required"],
            counts["judged"],
            counts["weakened"],
            counts["waived"],
            self.by_patterns,
            tuple(self._share(check) for check in self.grounds),
            tuple(self._uncovered()),
            tuple(
                f"{check} on {end}"
                for (check, end), its in self.ends.items()
                if its["weakened"] and not its["judged"]
            ),
            tuple(self.saved),
        )

    @property
    def is_judged(self) -> bool:
        return self.counts["judged"] + self.counts["weakened"] > 0

    def _uncovered(self) -> Iterator[str]:
        judged = {on for (on, _), its in self.hosts.items() if its["judged"] + its["weakened"]}
        for (on, host), its in self.hosts.items():
            # Patterns may waive a part of what could judge a host, and not all of it.
            by_name = its["waived"] == its["required"] and not its[_BY_PATTERN]
            covered = its["judged"] + its["weakened"] or by_name
            if on in judged and not covered:
                yield host

    def _share(self, check: str) -> Share:
        its = [counts for (name, _), counts in self.ends.items() if name == check]
        judged = sum(counts["judged"] > 0 for counts in its)
        return Share(check, len(its), judged, self.grounds[check])


def _state(judgement: Judgement) -> str:
    if judgement.verdict is Verdict.WAIVED:
        return "waived"
    if judgement.verdict is not Verdict.MISSING and is_weakened(judgement):
        return "weakened"
    return "judged" if has_been_judged(judgement) else str(judgement.verdict)


def has_been_judged(judgement: Judgement) -> bool:
    """Whether a metric was measured and compared with a limit on its slow side."""
    limit = judgement.requirement.slowest(judgement.expectation)
    excused = judgement.verdict in (Verdict.MISSING, Verdict.WAIVED, Verdict.UNRATED)
    return limit is not None and not excused


def causes(judgements: Iterable[Judgement]) -> Counter[str]:
    """The causes for which metrics are unrated, without hosts and devices, and their numbers."""
    return Counter(
        _cause(judgement) for judgement in judgements if judgement.verdict is Verdict.UNRATED
    )


def _cause(judgement: Judgement) -> str:
    reason = judgement.expectation.derivation.removeprefix("nothing to judge by: ")
    subject = judgement.requirement.subject
    if judgement.expectation.ground != "nothing":
        side = "floor" if judgement.requirement.metric.better == "higher" else "ceiling"
        return f"{judgement.requirement.figure} has a bound, but no {side}"
    for name in sorted({str(subject), *subject.hosts}, key=len, reverse=True):
        if name not in PARTITIONS:  # "the clients" are in the sentences of hosts, too
            reason = _without(reason, name)
    return reason


def _without(reason: str, name: str) -> str:
    """A sentence without a name, if it is a whole word; a pattern for each host would be slow."""
    first, *rest = reason.split(name)
    for part in rest:
        inside = _IN_NAME.match(first[-1:]) or _IN_NAME.match(part)
        first += (name if inside else "…") + part
    return first


def shares(judgements: Sequence[Judgement]) -> list[str]:
    """The waived share of each layer, for ``9 waived (12 % of network)``."""
    total = Counter(judgement.requirement.layer for judgement in judgements)
    waived = Counter(j.requirement.layer for j in judgements if j.verdict is Verdict.WAIVED)
    return [f"{count / total[layer]:.0%} of {layer}" for layer, count in waived.items()]
