"""The ways in which a part of a DAOS system is taken away and comes back, or is added.

A kind says what dmg or the job is asked, what is waited for after it, and in which words. Whoever
goes through it (`reframe-checks/lose_rank.py`), reads it and shows it knows no kind by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pydantic import BaseModel

from assay.tools.daos import recovery
from assay.tools.daos.timeline import Event, Moment, Timeline


class Part(BaseModel):
    """What is taken away."""

    rank: int
    pool: str
    """The pool of the check."""
    control: str
    """The configuration of dmg."""
    client: str = ""
    """The host that loses its agent; empty if the rank is what is lost."""

    @property
    def words(self) -> str:
        """What is lost."""
        return f"the agent of {self.client}" if self.client else f"rank {self.rank}"


@dataclass(frozen=True, slots=True)
class Wait:
    """Something that the system does by itself."""

    moment: Moment
    missing: str
    """A sentence without end, if it was not observed."""
    late: str
    """A sentence with `{rank}` and `{limit_s}`, if it did not happen in time."""
    words: str = ""
    """What the report calls it; empty if it is not shown."""
    by_settings: bool = False
    """Whether properties of the pool may prevent it."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something that dmg or the job is asked to do, and what is waited for after it."""

    event: Event
    verb: str
    """What it does to the rank: `dmg did not VERB rank 2`."""
    command: Callable[[Part], list[str]] | None
    """The command line of dmg; None if the job does it on the client, and notes it."""
    words: str
    waits: tuple[Wait, ...]

    @property
    def undone(self) -> str:
        """A sentence without end, if it was never asked for."""
        if self.command is None:
            return f"the job was not asked to {self.verb} the client"
        return f"dmg was not asked to {self.verb} the rank"


@dataclass(frozen=True, slots=True)
class Loss:
    """One way to lose a part under a load, and to take it back under another one."""

    name: str
    """What is done, in a word."""
    happened: str
    """What the report says of the engine."""
    since: str
    """What the time line of the report begins with."""
    away: tuple[Act, ...]
    back: tuple[Act, ...]
    ends_engine: bool = field(default=False, kw_only=True)
    """Whether the engine ends, and all pools lose its rank; else only the check's pool does."""
    takes_leader: bool = field(default=False, kw_only=True)
    """Whether the rank is the one that then leads the service of the check's pool."""
    grows: bool = field(default=False, kw_only=True)
    """Whether the check's pool is made without the rank, and anew for each time."""

    @property
    def first(self) -> Act:
        """The act with which it begins."""
        return (*self.away, *self.back)[0]

    @property
    def waits(self) -> Iterator[Wait]:
        """All that is waited for, in its order."""
        return (wait for act in (*self.away, *self.back) for wait in act.waits)

    @property
    def by_job(self) -> bool:
        """Whether the job takes the part away, on a client."""
        return self.first.command is None

    def moments(self, line: Timeline) -> dict[str, float]:
        """The moments of a time line that were reached, in their order, by their words."""
        times: dict[str, float | None] = {}
        for act in (*self.away, *self.back):
            times[act.words] = getattr(line, act.event)
            times |= {wait.words: getattr(line, wait.moment) for wait in act.waits if wait.words}
        return {words: time for words, time in times.items() if time is not None}


EXCLUDED = Wait(
    "excluded",
    "the rank was not excluded",
    "rank {rank} was not excluded within {limit_s} s",
    "excluded",
    by_settings=True,
)
REDUNDANT = Wait(
    "redundant",
    "the data did not become redundant again",
    "the data was not redundant again within {limit_s} s after rank {rank} was excluded",
    "redundant again",
    by_settings=True,
)
JOINED = Wait(
    "joined",
    "the engine did not start again",
    "rank {rank} did not join within {limit_s} s",
)
WHOLE = Wait(
    "whole",
    "the rank was not taken back",
    "the pool was not whole within {limit_s} s after rank {rank} was taken back",
    "whole again",
)

KILL = Loss(
    "kill",
    "was lost",
    "the loss",
    (
        Act(
            "lost",
            "stop",
            lambda part: recovery.stop(part.rank, part.control),
            "rank lost",
            (EXCLUDED, REDUNDANT),
        ),
    ),
    (
        Act(
            "started",
            "start",
            lambda part: recovery.start(part.rank, part.control),
            "engine started",
            (JOINED,),
        ),
        Act(
            "reintegrated",
            "reintegrate",
            lambda part: recovery.reintegrate(part.rank, part.control),
            "reintegration",
            (WHOLE,),
        ),
    ),
    ends_engine=True,
)
"""An engine is killed: all pools lose its rank."""

SERVED = Wait(
    "served",
    "no other rank led the service of the pool",
    "no rank but {rank} led the service of the pool within {limit_s} s",
    "another leader",
)

LEADER = replace(
    KILL,
    name="leader",
    happened="lost the engine that led the service of the pool",
    away=(replace(KILL.first, waits=(SERVED, *KILL.first.waits)),),
    takes_leader=True,
)
"""The engine that leads the service of the check's pool is killed, whichever it is."""

DRAIN = Loss(
    "drain",
    "was drained",
    "the drain began",
    (
        Act(
            "lost",
            "drain",
            lambda part: recovery.pool_drain(part.pool, part.rank, part.control),
            "drain",
            (
                Wait(
                    "at_rest",
                    "the rank was not drained",
                    "rank {rank} was not drained within {limit_s} s",
                    "drained",
                ),
            ),
        ),
    ),
    (
        Act(
            "reintegrated",
            "reintegrate",
            lambda part: recovery.pool_reintegrate(part.pool, part.rank, part.control),
            "reintegration",
            (WHOLE,),
        ),
    ),
)
"""The data of one pool is moved off a rank that goes on serving it, as before maintenance."""

TARGETS = (0,)
"""The targets of the rank that `EXCLUDE` takes away: the first one, as if its SSD had failed."""

EXCLUDE = Loss(
    "exclude",
    "lost a target",
    "the loss",
    (
        Act(
            "lost",
            "exclude a target of",
            lambda part: recovery.pool_exclude(part.pool, part.rank, TARGETS, part.control),
            "target lost",
            # Who excludes it by hand need not wait until somebody notices; the rank stays joined.
            (REDUNDANT,),
        ),
    ),
    (
        Act(
            "reintegrated",
            "reintegrate a target of",
            lambda part: recovery.pool_reintegrate(part.pool, part.rank, part.control, TARGETS),
            "reintegration",
            (WHOLE,),
        ),
    ),
)
"""A target of one pool is excluded by the administrator: its data has one copy less."""

EXTEND = Loss(
    "extend",
    "was added",
    "the extension",
    (),
    (
        Act(
            "extended",
            "extend the pool to",
            lambda part: recovery.pool_extend(part.pool, part.rank, part.control),
            "extension",
            (
                Wait(
                    "whole",
                    "the data was not spread to the rank",
                    "the data was not spread to rank {rank} within {limit_s} s",
                    "spread",
                ),
            ),
        ),
    ),
    grows=True,
)
"""A pool that lacks a rank is extended to it, as after a purchase: part of its data moves there."""

AGENT = Loss(
    "agent",
    "lost its agent",
    "the agent ended",
    (
        Act(
            "lost",
            "end the agent of",
            None,
            "agent ended",
            (
                Wait(
                    "connected",
                    "no new process of the client connected",
                    "no new process of the client connected within {limit_s} s",
                    "connected again",
                ),
            ),
        ),
    ),
    (),
)
"""The agent of a client is killed, and systemd starts it again; the servers lose nothing."""

LOSSES = {each.name: each for each in (KILL, LEADER, DRAIN, EXCLUDE, EXTEND, AGENT)}
"""Every kind of loss, by its name."""
