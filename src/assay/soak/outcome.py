"""The outcome of a soak: what is wrong, what is not known, and what else was seen."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from assay.health.outcome import STATUS, State


class Soak(BaseModel):
    """The outcome of a soak, or of what there is of it so far."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cluster: str
    hours: float = Field(description="how long it should be")
    measured_h: float = Field(description="how long its rounds took, without pauses")
    began: AwareDatetime
    ended: AwareDatetime
    rounds: int
    figures: int = Field(description="number of figures of which variation and drift are judged")
    variation: float | None = Field(description="the largest coefficient of variation")
    limit: float = Field(description="the largest that is allowed")
    counted: int = Field(description="number of hosts whose kernels' counters were read each time")
    findings: tuple[str, ...] = Field(description="what is wrong, the most important first")
    unknown: tuple[str, ...] = Field(description="what was not measured, or cannot be judged")
    notes: tuple[str, ...]

    @property
    def state(self) -> State:
        """The state of the cluster."""
        if self.findings:
            return State.ALARM
        return State.UNKNOWN if self.unknown else State.OK

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUS[self.state]

    @property
    def headline(self) -> str:
        """The outcome in one line."""
        word = self.state.upper()
        length = f"{self.rounds} round{'s' * (self.rounds != 1)} in {self.measured_h:.1f} h"
        first, *others = (*self.findings, *self.unknown) or (self._all_well(),)
        more = f"; {len(others):,} more" if others else ""
        return f"{word} {self.cluster}: {length}: {first}{more}"

    def _all_well(self) -> str:
        varies = "" if self.variation is None else f" (the most {self.variation:.1%})"
        return (
            f"{self.figures:,} figures, none worse than its limits or its first rounds, none varies"
            f" significantly by more than {self.limit:.0%}{varies}; nothing failed, and no kernel"
            f" of {self.counted:,} hosts counted an error"
        )

    def lines(self) -> Iterator[str]:
        """The headline, and all that it is about."""
        yield self.headline
        yield from (f"  {each}" for each in self.findings)
        yield from (f"  unknown: {each}" for each in self.unknown)
        yield from (f"  {each}" for each in self.notes)
