"""What the engines did in the steps of a check, by the differences between two readings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from assay.checks import ranks
from assay.checks.bounds.devices import Direction
from assay.checks.bounds.path import of_files
from assay.checks.plan import CHECKS
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.cluster.description import Cluster
from assay.cluster.object_class import PLAIN
from assay.foreign.files import ForeignError
from assay.foreign.sources import Missing
from assay.subject import Subject
from assay.tools.daos.device_health import of_targets
from assay.tools.daos.telemetry import (
    COUNTED,
    ERRORS,
    MOVED,
    REBUILT,
    STARTED,
    Place,
    Snapshot,
    parse,
    unpacked,
)

FEWEST_OPERATIONS = 8
"""Minimum number of operations for a mean latency (own choice)."""

Way = tuple[Subject, Direction]
"""A subject of a check, and the direction of its data."""

DIRECTIONS: Mapping[str, Direction] = {"update": "write", "fetch": "read"}
"""The engines' names of the directions."""


@dataclass(slots=True)
class Activity:
    """What the engines did during the steps of a check."""

    latency: dict[tuple[str, str], dict[Hashable, dict[Place, tuple[float, float]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    """By operation and size, and by step: operations and the sum of their squares, by target."""
    moved: dict[Way, float] = field(default_factory=lambda: defaultdict(float))
    """Bytes that the engines moved in steps for which the benchmark reports its own bytes."""
    asked: dict[Way, float] = field(default_factory=lambda: defaultdict(float))
    """Bytes that the benchmark's data requires, including redundancy."""
    parts: float = 1.0
    """How many times as much a write stores if it is of parts of stripes."""
    failed: dict[tuple[int, str, str], float] = field(default_factory=lambda: defaultdict(float))
    """Errors by rank, metric, and further labels."""
    rebuilt: set[int] = field(default_factory=set)
    hosts: dict[int, str] = field(default_factory=dict)
    ssds: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    """The SSDs with the data of each target."""
    restarted: set[int] = field(default_factory=set)
    silent: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    claimed: dict[str, None] = field(default_factory=dict)
    """Ranks that servers reported and that are not theirs, in words."""
    steps: int = 0
    ranks: int = 0
    """Number of ranks that each reading should have."""
    all_ranks: int = 0
    """Number of ranks that all readings together should have."""


def add(
    seen: Activity, cluster: Cluster, check: str, subject: Subject, raw: RawOutputs, job: int
) -> None:
    """Add the effect of each step of a subject, which is the difference between two readings."""
    reading, left = CHECKS[check].reading, raw.of(subject)
    # A pool on one rank has no redundancy.
    code = PLAIN if reading.of_one_rank else of_files(cluster)
    stored = code.stored
    seen.parts = max(seen.parts, code.copies(whole_stripes=False) / stored)
    cost = {"update": stored, "fetch": 1.0}
    try:
        own = _rank(cluster, subject, raw) if reading.of_one_rank else None
        on = owners(cluster, raw)
        before = _reading(left, "start", on, own)
        note(seen, before)
        for step in left.steps():
            after = _reading(left, step.name, on, own)
            note(seen, after)
            if isinstance(before, Snapshot) and isinstance(after, Snapshot):
                moved = (reading.moved(left, step.name) if reading.moved else None) or {}
                asked = {(subject, DIRECTIONS[by]): moved[by] * cost[by] for by in moved}
                # Ranks that are measured one by one have their steps of the same name compared.
                together = (job, step.name, None if reading.of_one_rank else subject)
                compare(seen, before, after, asked, together)
            before = after
    except (ForeignError, OSError, ranks.NoRankError) as error:
        seen.problems.append(f"what the engines reported cannot be read: {error}")


def _rank(cluster: Cluster, engine: Subject, raw: RawOutputs) -> int:
    """The rank of an engine, by what dmg answered before the job."""
    return ranks.rank(cluster, engine, raw.answer(ranks.SYSTEM_BEFORE))


def owners(cluster: Cluster, raw: RawOutputs) -> Mapping[int, str]:
    """The server of each rank, in the words of the description; empty if nobody reports that.

    Raises:
        ForeignError, OSError: dmg's answer cannot be read.
    """
    if cluster.daos is None:
        return {}
    if cluster.daos.found:
        return cluster.daos.found.servers_of_ranks
    return ranks.servers(cluster, raw.answer(ranks.SYSTEM_BEFORE))


def ssds(raw: RawOutputs) -> Mapping[Place, tuple[str, ...]]:
    """The SSDs of each target, as dmg listed them before the job; none if it cannot be read."""
    try:
        return of_targets(raw.answer("devices.before"))
    except (ForeignError, OSError):
        return {}


def _reading(
    left: SubjectOutputs, name: str, on: Mapping[int, str], own: int | None
) -> Snapshot | Missing | None:
    """The reading of the engines after a step, or of one rank; None if they were not read."""
    packed = left.packed(f"{name}.engines.gz")
    if not packed:
        return None
    text = unpacked(packed)
    if isinstance(text, Missing):
        return Missing(f"{name}.engines.gz {text}")
    whole = parse(text, on)
    return whole if own is None else whole.of(own)


def note(seen: Activity, reading: Snapshot | Missing | None) -> None:
    """Add the servers of a reading and those that did not answer, or why it is missing."""
    if isinstance(reading, Missing):
        seen.problems.append(str(reading))
    elif reading is not None:
        seen.hosts.update(reading.hosts)
        seen.silent.update(reading.silent)
        seen.claimed.update(dict.fromkeys(reading.claimed))


def compare(
    seen: Activity, before: Snapshot, after: Snapshot, asked: Mapping[Way, float], step: Hashable
) -> None:
    """Add the differences between two readings.

    Args:
        seen: the result to extend.
        before: the first reading.
        after: the second reading.
        asked: bytes that the benchmark's data requires; empty if the benchmark does not report
            them.
        step: what the differences belong to; those of one step are compared.
    """
    latency: dict[tuple[str, str], dict[Place, tuple[float, float]]] = defaultdict(dict)
    moved: dict[str, float] = defaultdict(float)
    seen.restarted |= _restarted(before, after)
    whole = _whole(seen, before, after)
    for (metric, rank, target, detail), value in after.values.items():
        if rank not in before.hosts or rank in seen.restarted:
            continue
        grown = value - before.values.get((metric, rank, target, detail), 0.0)
        if grown < 0 and metric in MOVED:
            whole = False
        if grown <= 0:
            continue
        if metric in ERRORS:
            seen.failed[rank, metric, detail] += grown
        elif metric == REBUILT:
            seen.rebuilt.add(rank)
        elif operation := MOVED.get(metric):
            moved[DIRECTIONS[operation]] += grown
        elif counted := COUNTED.get(metric):
            times = metric.replace("_samples", "_sumsquares"), rank, target, detail
            squares = after.values.get(times, 0.0) - before.values.get(times, 0.0)
            if grown >= FEWEST_OPERATIONS and squares > 0:
                latency[counted, detail][rank, target] = grown, squares
    seen.steps += 1
    for key, by_place in latency.items():
        seen.latency[key][step] |= by_place
    if whole and any(asked.values()):
        for way, required in asked.items():
            seen.moved[way] += moved[way[1]]
            seen.asked[way] += required


def _restarted(before: Snapshot, after: Snapshot) -> set[int]:
    """The ranks whose engine started between two readings."""
    return {
        rank
        for (metric, rank, target, detail), value in after.values.items()
        if metric == STARTED
        and rank in before.hosts
        and value > before.values.get((metric, rank, target, detail), 0.0)
    }


def _whole(seen: Activity, before: Snapshot, after: Snapshot) -> bool:
    """Whether two readings have the bytes of every rank; with one less, their sum says nothing."""
    return (
        not (before.silent or after.silent or seen.restarted)
        and before.hosts == after.hosts
        and len(before.hosts) >= max(seen.ranks, 1)
    )
