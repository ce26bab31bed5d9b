"""The time line of a part that is taken away: what was done, what dmg answered, and when.

`reframe-checks/lose_rank.py` writes it while the load runs, a JSON object in each line: an `event`
with its `time` in seconds since the epoch, or what dmg reported at that time. What a client
notes of its agent is of the same form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ValidationError

from assay.tools.daos.recovery import PoolState, Service

NAME = "timeline"
"""The beginning of its file's name among the answers of dmg; the number of the loss follows."""

SETTLED_S = 15.0
"""Seconds after a reintegration or extension before a pool at rest counts as whole although nobody
saw it busy: its state is `Ready`, and its rebuild still `done`, until data begins to move. Seen
with DAOS 2.8: 1 s; this is our own choice."""

REST_S = 5.0
"""Seconds of rest after which nothing more is expected to move (own choice): the reclaim of a
rebuild is queued after it is done. With DAOS 2.8, no answer of one a second came in between."""

Event = Literal["lost", "started", "reintegrated", "extended", "failed"]
"""What was done: the part was taken away, its engine started, it was taken back, the pool was
extended to it, or all failed."""

Moment = Literal["served", "excluded", "redundant", "at_rest", "joined", "whole", "connected"]
"""What the system reached by itself; `Timeline` has each."""


class Observed(BaseModel):
    """A line: an event, or a state of the rank, the pool or its service that dmg reported."""

    time: float
    event: Event | None = None
    why: str = ""
    rank: str = ""
    pool: PoolState | None = None
    service: Service | None = None
    connects: bool | None = None
    """Whether a new process of the client, which ended at that time, has connected."""

    def line(self) -> str:
        """The line of the file."""
        return self.model_dump_json(exclude_defaults=True) + "\n"


@dataclass(frozen=True, slots=True)
class Timeline:
    """When a part was lost, and when the system had recovered; None for what never happened.

    Times are seconds since the epoch at which dmg had answered, so each is late by the time between
    two answers.
    """

    lost: float | None = None
    served: float | None = None
    """When another rank than before the loss led the service of the pool."""
    excluded: float | None = None
    redundant: float | None = None
    """When all data had its redundancy again, on the targets that were left."""
    at_rest: float | None = None
    """When targets were excluded, and no data moved any more until they were taken back."""
    started: float | None = None
    joined: float | None = None
    reintegrated: float | None = None
    """When the reintegration was asked for."""
    extended: float | None = None
    """When the extension was asked for."""
    whole: float | None = None
    """When all targets were back, and no data moved any more."""
    connected: float | None = None
    """When a new process of the client had connected again."""
    problems: tuple[str, ...] = ()


def parse(text: str) -> Timeline:
    """Read a time line; a line that is cut off, as after a loss of power, ends it."""
    entries: list[Observed] = []
    for line in text.splitlines():
        try:
            entries.append(Observed.model_validate(json.loads(line)))
        except (ValueError, ValidationError):
            break
    return timeline(entries)


def timeline(entries: Iterable[Observed]) -> Timeline:
    """The moments of the entries."""
    entries = sorted(entries, key=lambda each: each.time)
    times = {each.event: each.time for each in entries if each.event}
    lost, started = times.get("lost"), times.get("started")
    reintegrated, extended = times.get("reintegrated"), times.get("extended")

    def first(after: float | None, seen: Callable[[Observed], bool]) -> float | None:
        if after is None:
            return None
        return next((e.time for e in entries if e.time > after and seen(e)), None)

    until = started if started is not None else float("inf")
    excluded = first(lost, _excludes)
    redundant = first(excluded, lambda e: _is_redundant(e) and e.time < until)
    return Timeline(
        lost=lost,
        served=first(lost, _leads_other_than(entries, lost)),
        excluded=excluded,
        redundant=redundant,
        at_rest=_at_rest(entries, excluded, reintegrated),
        started=started,
        joined=first(started, lambda e: e.rank == "joined"),
        reintegrated=reintegrated,
        extended=extended,
        whole=_whole(entries, reintegrated or extended, _targets(entries, extended)),
        connected=first(lost, lambda e: e.connects is True),
        problems=tuple(each.why for each in entries if each.event == "failed"),
    )


def _leads_other_than(
    entries: Iterable[Observed], lost: float | None
) -> Callable[[Observed], bool]:
    """Whether an entry has another leader than the last one before the loss.

    What was asked before the loss may be answered after it.
    """
    leaders = [e.service.svc_ldr for e in entries if e.service and e.time <= (lost or 0)]
    return lambda e: e.service is not None and leaders != [] and e.service.svc_ldr != leaders[-1]


def _excludes(entry: Observed) -> bool:
    return entry.rank == "excluded" or (entry.pool is not None and entry.pool.excludes)


def _is_redundant(entry: Observed) -> bool:
    return entry.pool is not None and entry.pool.excludes and not entry.pool.rebuild.degraded


def _at_rest(
    entries: Iterable[Observed], excluded: float | None, reintegrated: float | None
) -> float | None:
    """The beginning of the last rest, which has lasted or was ended by the reintegration."""
    rest, seen = None, 0.0
    for entry in entries:
        if reintegrated is not None and entry.time >= reintegrated:
            break
        if excluded is None or entry.time < excluded or entry.pool is None:
            continue
        rests = entry.pool.excludes and not entry.pool.rebuild.runs
        rest, seen = ((rest or entry.time) if rests else None), entry.time
    has_lasted = rest is not None and (reintegrated is not None or seen >= rest + REST_S)
    return rest if has_lasted else None


def _targets(entries: Iterable[Observed], extended: float | None) -> int:
    """The targets of the pool when it was extended; 0 if it never was.

    What was seen earlier may be the last pool of this name, which had been extended.
    """
    before = (e for e in entries if extended is not None and e.time <= extended)
    targets = [e.pool.total_targets for e in before if e.pool]
    return targets[-1] if targets else 0


def _whole(entries: Iterable[Observed], asked: float | None, targets: int = 0) -> float | None:
    """The first time at which the pool was at rest after it had been seen busy.

    Args:
        entries: all entries, in their order.
        asked: when it was asked for.
        targets: how many it must have more than: a pool that is extended has its old ones, and is
            at rest, until the engines agree (DAOS 2.8: for 8 s).
    """
    was_busy = False
    for entry in entries:
        if asked is None or entry.time <= asked or entry.pool is None:
            continue
        if entry.pool.total_targets <= targets:
            continue
        was_busy = was_busy or entry.pool.rebuild.runs
        if entry.pool.is_whole and (was_busy or entry.time >= asked + SETTLED_S):
            return entry.time
    return None
