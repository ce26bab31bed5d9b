"""A soak judged: its rounds' alarms, how figures vary, errors, and space that is not given back."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

from assay.checks.plan import requirements
from assay.cluster.description import Cluster
from assay.health.chart import FEWEST
from assay.health.choice import UNITS_OF_COUNTS
from assay.health.nights import Night
from assay.health.outcome import Finding
from assay.soak.decline import declined
from assay.soak.errors import (
    FAULTS,
    Look,
    full,
    grown,
    restarts,
    retransmitted,
    uncounted,
    vanished,
)
from assay.soak.outcome import Soak
from assay.soak.rounds import Round, looks, seconds
from assay.soak.variation import variation

KEPT_SPACE = 0.05
"""Share of a pool by which it may be fuller after the last round than after the first one (own
choice): DAOS reclaims space some time after files are removed."""

PAUSE = timedelta(minutes=10)
"""Time between two rounds above which it is said that the soak paused (own choice)."""


def judged(
    cluster: Cluster,
    rounds: Sequence[Round],
    figures: Sequence[Night],
    hours: float,
    limit: float,
) -> Soak:
    """Judge a soak, or what there is of it.

    Args:
        cluster: the cluster.
        rounds: all rounds, of which there is at least one, in their order.
        figures: their figures.
        hours: how long the soak should be.
        limit: the largest coefficient of variation.
    """
    names = {
        each.key: (each.figure, str(each.subject))
        for each in requirements(cluster)
        if each.unit not in UNITS_OF_COUNTS
    }
    lower = {each.key for each in requirements(cluster) if each.metric.better == "lower"}
    medians = [each.medians for each in figures]
    varies = variation(medians, names, limit, lower)
    all_looks = looks(rounds)
    growths = grown(cluster, all_looks)
    measured_h = seconds(rounds) / 3600
    unseen = tuple(_unseen(rounds))
    read = set.intersection(*(set(each.after) & set(each.before) for each in rounds))
    return Soak(
        cluster=cluster.name,
        hours=hours,
        measured_h=measured_h,
        began=rounds[0].health.measured_from,
        ended=rounds[-1].health.measured_to,
        rounds=len(rounds),
        figures=varies.judged,
        variation=varies.largest,
        limit=limit,
        counted=len(read),
        findings=(
            *_alarms(rounds),
            *declined(medians, names, lower),
            *map(str, varies.varying),
            *_restarts(all_looks),
            *vanished(cluster, all_looks),
            *(str(each) for each in growths if each.kind in FAULTS),
            *_engines(rounds),
            *_space(rounds),
        ),
        unknown=(
            *_too_short(rounds, figures, hours, measured_h),
            *_gaps(rounds),
            *_differing(rounds),
            *_unread(rounds),
            *full(all_looks),
            *_unqueried(rounds),
            *(unseen if _is_watched(cluster) else ()),
        ),
        notes=(
            *(str(each) for each in growths if each.kind not in FAULTS),
            *retransmitted(all_looks),
            *varies.unsure,
            *varies.single,
            *uncounted(all_looks),
            *(() if _is_watched(cluster) else unseen),
            *_pauses(rounds),
            *dict.fromkeys(note for each in rounds for note in each.health.notes),
        ),
    )


def _alarms(rounds: Sequence[Round]) -> Iterator[str]:
    """The findings of the rounds, each once with the number of rounds that have it."""
    found: dict[tuple[str, str, str, str], list[tuple[Round, Finding]]] = defaultdict(list)
    for one in rounds:
        for each in one.health.findings:
            found[each.layer, each.what, each.subject, each.against].append((one, each))
    for same in sorted(found.values(), key=len, reverse=True):
        (first, _), (_, last) = same[0], same[-1]
        yield f"{last}{_in(len(same), rounds, first)}"


def _restarts(all_looks: Sequence[Look]) -> Iterator[str]:
    for host, at in restarts(all_looks):
        yield f"{host} was started anew, seen at {at:%Y-%m-%d %H:%M} UTC"


def _in(count: int, rounds: Sequence[Round], first: Round) -> str:
    at = first.health.measured_from
    return f" (in {count} of {len(rounds)} rounds, first at {at:%Y-%m-%d %H:%M} UTC)"


_COUNT = re.compile(r": \d+$")


def _engines(rounds: Sequence[Round]) -> Iterator[str]:
    """The errors that engines counted; their numbers differ from round to round."""
    found: dict[str, list[Round]] = defaultdict(list)
    for one in rounds:
        for what in dict.fromkeys(_COUNT.sub("", each) for each in one.health.engines):
            found[what].append(one)
    for what, those in found.items():
        yield f"the engines report on {what}{_in(len(those), rounds, those[0])}"


def _space(rounds: Sequence[Round]) -> Iterator[str]:
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for one in rounds:
        for pool, used in one.pools.items():
            first.setdefault(pool, used)
            last[pool] = used
    for pool, used in last.items():
        if used > first[pool] + KEPT_SPACE:
            yield (
                f"the fullest target of the pool {pool} was {first[pool]:.0%} full after the first"
                f" round, and is {used:.0%} full after the last one: space is not given back"
            )


def _too_short(
    rounds: Sequence[Round], figures: Sequence[Night], hours: float, measured_h: float
) -> Iterator[str]:
    if measured_h < hours:
        yield f"{measured_h:.1f} of {hours:g} h are measured"
    if len(figures) <= FEWEST:
        yield (
            f"{len(figures)} of {len(rounds)} rounds have figures, and drift is judged from the"
            f" {FEWEST + 1}th on"
        )


def _gaps(rounds: Sequence[Round]) -> Iterator[str]:
    """Figures that were not measured, by check and reason; and suspicions that were left open."""
    found: dict[tuple[str, str], list[tuple[Round, str]]] = defaultdict(list)
    for one in rounds:
        for gap in one.health.gaps:
            found[gap.check, gap.reason].append((one, str(gap)))
    for same in sorted(found.values(), key=len, reverse=True):
        yield f"{same[0][1]}{_in(len(same), rounds, same[0][0])}"
    suspected: dict[tuple[str, str, str, str], list[tuple[Round, str]]] = defaultdict(list)
    for one in rounds:
        for each in one.health.unconfirmed:
            key = (each.layer, each.what, each.subject, each.against)
            suspected[key].append((one, f"not measured again: {each}"))
    for same in sorted(suspected.values(), key=len, reverse=True):
        yield f"{same[-1][1]}{_in(len(same), rounds, same[0][0])}"


def _differing(rounds: Sequence[Round]) -> Iterator[str]:
    """The checks and the baseline that only some rounds have: the others say nothing of them."""
    having = Counter(check for one in rounds for check in one.health.checks)
    for check, count in having.items():
        if count < len(rounds):
            yield f"{check} belongs to {count} of {len(rounds)} rounds: resumed with other options"
    held = sum(one.held for one in rounds)
    if 0 < held < len(rounds):
        yield f"{held} of {len(rounds)} rounds were held against a baseline"


def _unread(rounds: Sequence[Round]) -> Iterator[str]:
    # Slurm's words have the numbers of jobs: those of the last time stand for all.
    counts: Counter[str] = Counter()
    last: dict[str, str] = {}
    for why in (why for one in rounds for why in one.unread):
        hosts = why.partition(": ")[0]
        counts[hosts] += 1
        last[hosts] = why
    for hosts, count in counts.items():
        of = f" ({count} of {2 * len(rounds)} times)"
        yield f"the counters of kernels were not read on {last[hosts]}{of}"


def _is_watched(cluster: Cluster) -> bool:
    """Whether the metrics of all engines can be read."""
    daos = cluster.daos
    if daos is None:
        return False
    if daos.found:
        return bool(daos.found.telemetry)
    return all(cluster.hosts[name].server.telemetry_port for name in daos.servers)


def _unseen(rounds: Sequence[Round]) -> Iterator[str]:
    """Checks during which engines were not seen."""
    found: dict[str, list[Round]] = defaultdict(list)
    for one in rounds:
        for check in dict.fromkeys(each.partition(": ")[0] for each in one.health.unseen):
            found[check].append(one)
    why = {
        check: reason
        for one in rounds
        for check, _, reason in (each.partition(": ") for each in one.health.unseen)
    }
    for check, those in found.items():
        yield f"{check}: {why[check]}{_in(len(those), rounds, those[0])}"


def _unqueried(rounds: Sequence[Round]) -> Iterator[str]:
    """Pools that the last round that measured did not see."""
    measured = [one for one in rounds if one.health.figures]
    known = dict.fromkeys(pool for one in rounds for pool in one.pools)
    for pool in known:
        if not measured or pool not in measured[-1].pools:
            yield f"how full the pool {pool} is was not read in the last round"


def _pauses(rounds: Sequence[Round]) -> Iterator[str]:
    for before, after in pairwise(rounds):
        paused = after.health.measured_from - before.health.measured_to
        if paused > PAUSE:
            yield (
                f"paused for {_length(paused)} after the round of"
                f" {before.health.measured_from:%Y-%m-%d %H:%M} UTC"
            )


def _length(time: timedelta) -> str:
    minutes = time.total_seconds() / 60
    return f"{minutes / 60:.1f} h" if minutes >= 60 else f"{minutes:.0f} min"
