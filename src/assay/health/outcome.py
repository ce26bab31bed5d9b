"""The outcome of a night: what is wrong where, for people, programs and a later look."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from assay.subject import folded


class State(StrEnum):
    """The state of the cluster on a night; the worst come first."""

    ALARM = "alarm"
    """Something is worse than its limit or than its history, measured twice."""
    UNKNOWN = "unknown"
    """Something was not measured, or a suspicion was not measured again."""
    OK = "ok"


STATUS = {State.OK: 0, State.ALARM: 1, State.UNKNOWN: 3}
"""The exit status of each state; 2 is a misuse of the command."""


class Finding(BaseModel):
    """Something that is worse, or better than possible."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    layer: str
    what: str = Field(description="the metric, the check, or everything measured of a host")
    subject: str = Field(description="the host, engine, device or pair; empty for all subjects")
    hosts: tuple[str, ...] = Field(description="the hosts of the subject; none for all subjects")
    against: Literal["limit", "history"]
    reason: str
    loss: float | None = Field(description="relative loss against the history; negative: a gain")

    def __str__(self) -> str:
        of_subject = f" of {self.subject}" if self.subject else ""
        return f"{self.layer}: {self.what}{of_subject}: {self.reason}"


class Gap(BaseModel):
    """Figures that were not measured, for one reason."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    check: str
    hosts: tuple[str, ...]
    figures: int
    reason: str

    def __str__(self) -> str:
        where = f" on {folded(self.hosts)}" if self.hosts else ""
        return f"not measured: {self.check}{where}, {self.figures:,} figures: {self.reason}"


class Health(BaseModel):
    """The outcome of a night."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cluster: str
    scale: str
    measured_from: AwareDatetime
    measured_to: AwareDatetime
    checks: tuple[str, ...]
    left_out: tuple[str, ...] = Field(description="checks for which there was no time")
    figures: int = Field(description="number of measured figures")
    limited: int = Field(description="how many of them have a limit")
    charted: int = Field(description="how many of them have a history that is long enough")
    nights: int = Field(description="number of earlier nights that were read")
    findings: tuple[Finding, ...]
    unconfirmed: tuple[Finding, ...] = Field(description="suspicions not measured again")
    gaps: tuple[Gap, ...]
    notes: tuple[str, ...]
    engines: tuple[str, ...] = Field(default=(), description="errors that engines counted")
    unseen: tuple[str, ...] = Field(
        default=(), description="checks during which engines' metrics were not read, and why"
    )
    host: str | None = Field(default=None, description="the only host that it is about")

    @property
    def state(self) -> State:
        """The state of the cluster."""
        if self.findings:
            return State.ALARM
        return State.UNKNOWN if self.gaps or self.unconfirmed or not self.figures else State.OK

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUS[self.state]

    def of_host(self, host: str) -> Health:
        """The part of the outcome that names a host."""
        return self.model_copy(
            update={
                "host": host,
                "findings": tuple(each for each in self.findings if host in each.hosts),
                "unconfirmed": tuple(each for each in self.unconfirmed if host in each.hosts),
                "gaps": tuple(each for each in self.gaps if not each.hosts or host in each.hosts),
            }
        )

    @property
    def headline(self) -> str:
        """The state in one line."""
        if self.findings:
            more = len(self.findings) - 1
            return f"ALARM {self.cluster}: {self.findings[0]}{f'; {more:,} more' if more else ''}"
        if self.state is State.UNKNOWN:
            first = str(self.unconfirmed[0]) if self.unconfirmed else ""
            first = first or (str(self.gaps[0]) if self.gaps else "no figure was measured")
            more = max(len(self.unconfirmed) + len(self.gaps) - 1, 0)
            return f"UNKNOWN {self.cluster}: {first}{f'; {more:,} more' if more else ''}"
        minutes = (self.measured_to - self.measured_from).total_seconds() / 60
        checks = f"{len(self.checks)} check{'s' * (len(self.checks) != 1)}"
        if self.host is not None:
            of_all = f"{self.figures:,} figures of {checks} on all hosts"
            return f"OK {self.cluster}: nothing was worse on {self.host}; {of_all}"
        return (
            f"OK {self.cluster}: {self.figures:,} figures of {checks} in {minutes:.0f} min, none"
            f" worse than its limits ({self.limited:,} have some) or its history ({self.charted:,}"
            f" have one; {self.nights} nights)"
        )

    def lines(self) -> Iterator[str]:
        """The headline, and all that it is about."""
        yield self.headline
        yield from (f"  {each}" for each in self.findings)
        yield from (f"  not measured again: {each}" for each in self.unconfirmed)
        yield from (f"  {each}" for each in self.gaps)
        yield from (f"  the engines report on {each}" for each in self.engines)
        yield from (f"  {note}" for note in self.notes)
