"""What the engines say about a check: which of them stands out, who else used them, what failed.

The job reads the engines' metrics before and after each step. A rank or a target stands out where
its operations take longer than those of its peers, in all steps of a check together, by more than
peers differ by nature and than steps differ from each other. The chance to name any of a sound
system is held at `FALSE_NAMES` for each check.

A latency is the root of the mean square here: pauses, which hit few operations, count for more than
in the mean. (An engine that was stopped for 0.3 s of each second was 1.2 to 1.8 times as slow as
the other by the mean, and 1.5 to 2.4 times by this; two sound ones 0.7 to 1.25 and 0.8 to 1.3.)

Nothing here changes a verdict: it explains one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import t as student

from assay.campaign.results import Case, Results
from assay.checks.bounds.path import of_files
from assay.checks.plan import CHECKS, requirements
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.cluster.description import Cluster
from assay.foreign.files import ForeignError, Tree
from assay.judge.populations import deviation, scale
from assay.judge.stats import Array, middle
from assay.tools.telemetry import (
    COUNTED,
    ERRORS,
    MOVED,
    OPERATIONS,
    REBUILT,
    SCHEDULER,
    STARTED,
    Place,
    Snapshot,
    parse,
    unpacked,
)

FALSE_NAMES = 0.005
"""The chance that a check of a sound system names anybody, half of what is allowed (own choice)."""

SLOWER = 0.15
"""Minimum relative deviation of a latency from that of its peers (this project's own choice)."""

NATURAL = 0.10
"""By how much the latencies of sound peers differ, before anything is known of them (own choice).

Two engines of one busy machine were seen 2 to 25 % apart in single steps (DAOS 2.8, DRAM).
"""

UNSURE = 0.20
"""How much one step's mean latency differs from another's, where a check has one step only (own
choice)."""

UNSURE_FREEDOM = 8.0
"""Degrees of freedom that this counts for (own choice)."""

FEWEST_OPERATIONS = 8
"""A mean of fewer operations is no latency (own choice)."""

FEWEST_PEERS = 4
"""Fewer peers say nothing of how much they differ; then `NATURAL` alone does."""

FOREIGN = 0.05
"""Share of the engines' bytes, beyond the benchmark's, that others must have moved to be reported;
metadata and the benchmark's own files are less (own choice)."""

MOST_NAMED = 5
"""How many one sentence names."""

_ERROR_OF_MEDIAN = 1.2533
"""The error of a median of normal figures, in those of their mean."""


_WHAT = {
    **{name: f"{name} latency" for name in OPERATIONS},
    SCHEDULER: "duration of scheduler cycles (paused, or short of CPU)",
}


@dataclass(frozen=True, slots=True)
class Outlier:
    """A rank, or one of its targets, whose operations take longer than those of its peers."""

    operation: str
    rank: int
    target: int | None
    """None where all of the rank stands out."""
    ratio: float
    """Of its latency to that of its peers."""
    peers: int

    def in_words(self, cluster: Cluster, hosts: Mapping[int, str]) -> str:
        """Which rank, host, target and SSD, and by how much."""
        of = "" if self.target is None else f", target {self.target}"
        peers = "its peer" if self.peers == 1 else f"its {self.peers} peers"
        host = hosts[self.rank]
        return (
            f"rank {self.rank} on {host}{of}{_ssds(cluster, host)}: {_WHAT[self.operation]}"
            f" {self.ratio:.2g} times that of {peers}"
        )


@dataclass(frozen=True, slots=True)
class Engines:
    """What the engines say about one check on one partition."""

    check: str
    partition: str
    outliers: tuple[str, ...]
    """Who stands out, the worst first, each in a sentence."""
    findings: tuple[str, ...]
    """What else speaks against the figures: others' load, errors, a rebuild."""
    unread: str = ""
    """Why nothing was read, or not all; empty where it was."""

    @property
    def sentence(self) -> str:
        """All of it."""
        if self.unread and not (self.outliers or self.findings):
            return f"{self.unread}; figures are judged without them"
        shown = [*self.outliers[:MOST_NAMED], *self.findings]
        if more := len(self.outliers) - MOST_NAMED:
            shown += [f"and {more} more"] if more > 0 else []
        said = "; ".join(shown) or "no rank and no target stands out by its latency"
        return f"{said}; {self.unread}" if self.unread else said


@dataclass(slots=True)
class _Seen:
    """What the steps of a check did to the engines."""

    latency: dict[tuple[str, str], list[dict[Place, tuple[float, float]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By operation and size: for each step, operations and the sum of their squares, by target."""
    moved: float = 0.0
    """Bytes that the engines moved while the benchmark says what it moved."""
    asked: float = 0.0
    """Bytes that this takes, redundancy included."""
    failed: dict[tuple[int, str, str], float] = field(default_factory=lambda: defaultdict(float))
    """By rank, metric, and what else distinguishes it."""
    rebuilt: set[int] = field(default_factory=set)
    hosts: dict[int, str] = field(default_factory=dict)
    restarted: set[int] = field(default_factory=set)
    silent: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    steps: int = 0


def engines(cluster: Cluster, results: Results) -> tuple[Engines, ...]:
    """What the engines say about each check whose job watches them, in the order of the plan."""
    watched = dict.fromkeys(
        (each.check, each.partition)
        for each in requirements(cluster)
        if CHECKS[each.check].reading.watches_engines
    )
    cases = (results.cases.get(key) for key in watched)
    found = (_of_case(cluster, case) for case in cases if case is not None)
    return tuple(each for each in found if each is not None)


def _of_case(cluster: Cluster, case: Case) -> Engines | None:
    """What they say about one check; None where it never reached DAOS."""
    if case.output is None or cluster.daos is None:
        return None
    subjects = dict.fromkeys(
        each.subject
        for each in requirements(cluster)
        if (each.check, each.partition) == (case.check, case.partition)
        and each.subject.backend != _WITHOUT_DAOS
    )
    if not subjects:
        return None
    unwatched = [
        name for name in cluster.daos.servers if not cluster.hosts[name].server.telemetry_port
    ]
    if unwatched:
        also = f" and {len(unwatched) - 1} more" if len(unwatched) > 1 else ""
        why = f"the engines' metrics were not read: no telemetry port on {unwatched[0]}{also}"
        return Engines(case.check, case.partition, (), (), why)
    raw = RawOutputs(Tree(case.output.root), f"{case.output.place}/raw")
    seen = _Seen()
    for subject in subjects:
        _add(seen, cluster, case.check, raw.of(subject))
    return _judged(cluster, case, seen)


_WITHOUT_DAOS = "posix"
"""The backend that is no path to DAOS."""


# What the steps did.


def _add(seen: _Seen, cluster: Cluster, check: str, left: SubjectOutputs) -> None:
    """Add what each step of a subject did: the differences between readings."""
    moved_by = CHECKS[check].reading.moved
    stored = of_files(cluster).stored
    try:
        before = _reading(left, "start")
        _note(seen, before)
        for step in left.steps():
            after = _reading(left, step.name)
            _note(seen, after)
            if before is not None and after is not None:
                moved = moved_by(left, step.name) if moved_by else None
                asked = None if moved is None else moved["update"] * stored + moved["fetch"]
                _compare(seen, before, after, asked)
            before = after
    except (ForeignError, OSError) as error:
        seen.problems.append(f"what the engines said cannot be read: {error}")


def _reading(left: SubjectOutputs, name: str) -> Snapshot | None:
    """What the engines said after a step; None where they were not asked."""
    packed = left.packed(f"{name}.engines.gz")
    if not packed:
        return None
    try:
        return parse(unpacked(packed))
    except ValueError as error:
        return Snapshot({}, {}, {}, (f"{name}.engines.gz: {error}",))


def _note(seen: _Seen, reading: Snapshot | None) -> None:
    """Add who spoke, and what was wrong with it."""
    if reading is not None:
        seen.hosts.update(reading.hosts)
        seen.silent.update(reading.silent)
        seen.problems += reading.problems


def _compare(seen: _Seen, before: Snapshot, after: Snapshot, asked: float | None) -> None:
    """Add what happened between two readings.

    Args:
        seen: where.
        before: the first.
        after: the second.
        asked: the bytes that the benchmark's own data takes; None where it does not say.
    """
    latency: dict[tuple[str, str], dict[Place, tuple[float, float]]] = defaultdict(dict)
    bytes_moved = 0.0
    for (metric, rank, target, detail), value in after.values.items():
        if rank not in before.hosts or rank in seen.restarted:
            continue
        grown = value - before.values.get((metric, rank, target, detail), 0.0)
        if metric == STARTED and grown:
            seen.restarted.add(rank)
        if grown <= 0:
            continue
        if metric in ERRORS:
            seen.failed[rank, metric, detail] += grown
        elif metric == REBUILT:
            seen.rebuilt.add(rank)
        elif metric in MOVED:
            bytes_moved += grown
        elif operation := COUNTED.get(metric):
            of = metric.replace("_samples", "_sumsquares"), rank, target, detail
            squares = after.values.get(of, 0.0) - before.values.get(of, 0.0)
            if grown >= FEWEST_OPERATIONS and squares > 0:
                latency[operation, detail][rank, target] = grown, squares
    seen.steps += 1
    for key, by_place in latency.items():
        seen.latency[key].append(by_place)
    # Without one of the servers nobody knows what all of them moved.
    whole = before.hosts and before.hosts == after.hosts
    if asked and whole and not (before.silent or after.silent):
        seen.moved += bytes_moved
        seen.asked += asked


# What speaks against the figures.


def _judged(cluster: Cluster, case: Case, seen: _Seen) -> Engines:
    unread = ""
    if seen.silent:
        host, why = next(iter(seen.silent.items()))
        more = f", as {len(seen.silent) - 1} more" if len(seen.silent) > 1 else ""
        unread = f"the metrics of {host} were not read{more}: {why}"
    elif seen.problems:
        unread = seen.problems[0]
    elif not seen.steps:
        unread = "the engines' metrics were not read by the job"
    outliers = sorted(_outliers(seen), key=lambda each: -each.ratio)
    return Engines(
        case.check,
        case.partition,
        tuple(each.in_words(cluster, seen.hosts) for each in outliers),
        tuple(_findings(seen)),
        unread,
    )


def _findings(seen: _Seen) -> Iterator[str]:
    if seen.asked:
        others = 1 - seen.asked / seen.moved if seen.moved else -1.0
        if others > FOREIGN:
            yield f"others used the system: {others:.0%} of the bytes were not ours"
        elif seen.moved < seen.asked * (1 - FOREIGN):
            yield (
                f"the engines moved {seen.moved / seen.asked:.0%} of what the benchmark says that"
                " it moved: a cache or a hole gave the rest"
            )
    for rank in sorted(seen.restarted):
        yield f"rank {rank} on {seen.hosts[rank]} restarted during the check"
    if seen.rebuilt:
        ranks = ", ".join(map(str, sorted(seen.rebuilt)[:MOST_NAMED]))
        yield f"a rebuild or reintegration moved data between engines meanwhile: rank {ranks}"
    errors = sorted(seen.failed.items(), key=lambda item: -item[1])
    for (rank, metric, detail), count in errors[:MOST_NAMED]:
        what = f"{ERRORS[metric]}{f' ({detail})' if 'nvme' in metric and detail else ''}"
        yield f"rank {rank} on {seen.hosts[rank]} counted {count:.0f} {what}"
    if len(errors) > MOST_NAMED:
        yield f"and {len(errors) - MOST_NAMED} more counts of errors"


# Who stands out.


def _outliers(seen: _Seen) -> Iterator[Outlier]:
    for operation in _WHAT:
        sizes = {key: steps for key, steps in seen.latency.items() if key[0] == operation}
        if sizes:
            # Of sizes the one that took the engines longest: others are metadata and remainders.
            steps = max(sizes.values(), key=_busy)
            yield from outliers(operation, steps)


def _busy(steps: Iterable[Mapping[Place, tuple[float, float]]]) -> float:
    return sum(squares for step in steps for _, squares in step.values())


def outliers(
    operation: str, steps: Sequence[Mapping[Place, tuple[float, float]]]
) -> Iterator[Outlier]:
    """The ranks and targets whose operations take longer than those of their peers.

    A rank stands out by all of its operations, and a target by its own. A rank of which one target
    alone is slow does not: the target does.

    Args:
        operation: what it is called.
        steps: for each step, operations and the sum of their squared times, by target.
    """
    ranks = _effects([_of_ranks(step) for step in steps])
    targets = _effects(
        [{place: squares / n for place, (n, squares) in step.items()} for step in steps]
    )
    slow_ranks = {rank for (rank, _) in ranks.slow()}
    slow_targets = set(targets.slow())
    for rank in sorted(slow_ranks):
        own = [place for place in targets.gain if place[0] == rank]
        if _is_one_target(own, targets, slow_targets):
            continue
        slow_targets -= set(own)
        ratio = float(np.exp(ranks.gain[rank, -1]))
        yield Outlier(operation, rank, None, ratio, len(ranks.gain) - 1)
    for place in sorted(slow_targets):
        ratio = float(np.exp(targets.gain[place]))
        yield Outlier(operation, *place, ratio, len(targets.gain) - 1)


def _is_one_target(own: Sequence[Place], targets: _Effects, slow: set[Place]) -> bool:
    """Whether a rank is slow by its slowest target, and not by the rest of its own."""
    *others, slowest = sorted(own, key=lambda place: targets.gain[place]) or [(-1, -1)]
    if not others or slowest not in slow:
        return False
    return middle(np.array([targets.gain[place] for place in others])) < SLOWER


def _of_ranks(step: Mapping[Place, tuple[float, float]]) -> dict[Place, float]:
    """The mean square latency of each rank."""
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (rank, _), (count, squares) in step.items():
        sums[rank][0] += count
        sums[rank][1] += squares
    return {(rank, -1): squares / count for rank, (count, squares) in sums.items()}


@dataclass(frozen=True, slots=True)
class _Effects:
    """By how much each of some peers is slower than the others, as a logarithm."""

    gain: Mapping[Place, float]
    error: float
    """How far one usually is from the others, as a standard deviation."""
    freedom: float

    def slow(self) -> list[Place]:
        """Those that are slower, and surely so."""
        if len(self.gain) < 2 or not self.error:
            return []
        # Each operation, by rank and by target.
        chance = FALSE_NAMES / (2 * len(_WHAT) * len(self.gain))
        least = max(float(student.isf(chance, self.freedom)) * self.error, np.log1p(SLOWER))
        return [place for place, gain in self.gain.items() if gain > least]


def _effects(steps: Sequence[Mapping[Place, float]]) -> _Effects:
    """Compare the mean squares of peers over all steps in which each of them was busy."""
    places = sorted(set[Place]().union(*steps))
    # A target that the benchmark did not touch in some step has nothing to compare there.
    whole = [step for step in steps if len(step) == len(places)]
    if len(places) < 2 or not whole:
        return _Effects({}, 0.0, 1.0)
    logs: Array = np.log(np.array([[step[place] for place in places] for step in whole])) / 2
    count, peers = logs.shape
    centred = logs - np.median(logs, axis=1, keepdims=True)
    each = np.median(centred, axis=0)
    if count > 1:
        rest = centred - each
        known = float((count - 1) * (peers - 1))
        unsure = float(np.sqrt((rest**2).sum() / known)) * _ERROR_OF_MEDIAN / np.sqrt(count)
    else:
        unsure, known = UNSURE, UNSURE_FREEDOM
    # Of a few, each is held against the others: it would be a large part of their median.
    enough = peers >= FEWEST_PEERS
    if enough:
        gain = each - middle(each)
    else:
        gain = each - [middle(np.delete(each, number)) for number in range(peers)]
    error, freedom = scale(
        deviation(each) if enough else 0.0,
        max(unsure, 1e-6),
        known,
        float(peers - 1) if enough else 0.0,
        natural=NATURAL,
    )
    error *= np.sqrt(1 + min(1.0, _ERROR_OF_MEDIAN**2 / (peers - 1)))
    return _Effects(dict(zip(places, gain.tolist(), strict=True)), float(error), freedom)


def _ssds(cluster: Cluster, host: str) -> str:
    """The SSDs of a host's engine, where it has one engine, so that there is no doubt whose."""
    own = cluster.hosts[host].engines if host in cluster.hosts else ()
    if len(own) != 1:
        return ""
    named = [
        device
        for tier in own[0].bdev_tiers
        if not tier.bdev_roles or "data" in tier.bdev_roles
        for device in tier.devices
    ]
    if not named:
        return ""
    if len(named) == 1:
        return f", SSD {named[0]}"
    return f", one of {len(named)} SSDs ({', '.join(named[:MOST_NAMED])})"
