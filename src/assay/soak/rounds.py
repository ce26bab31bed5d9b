"""The directory of `assay soak`: one of `assay health`, whose nights are the rounds, and more.

rounds/20261123T020000.json       a round: its outcome, and what kernels and pools reported
soak.json                         the outcome so far
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from assay.health.nights import STAMP, HistoryError, Night, Nights, load, save, text_of
from assay.health.outcome import Health
from assay.soak.errors import Look
from assay.soak.outcome import Soak
from assay.survey.host_counters import KernelCounts


class Round(BaseModel):
    """One round of a soak."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    health: Health = Field(description="its figures against limits and the rounds before")
    before: Mapping[str, KernelCounts] = Field(description="by host")
    after: Mapping[str, KernelCounts]
    unread: tuple[str, ...] = Field(description="hosts whose counters were not read, and why")
    pools: Mapping[str, float] = Field(description="used share of a pool's fullest target, after")

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.health.measured_to - self.health.measured_from).total_seconds()


class Rounds:
    """The rounds in a directory."""

    def __init__(self, directory: Path) -> None:
        self.nights = Nights(directory)
        self.directory = directory / "rounds"

    @property
    def outcome(self) -> Path:
        """The outcome so far."""
        return self.nights.directory / "soak.json"

    def add(self, one: Round) -> None:
        """Keep a round.

        Raises:
            HistoryError: it cannot be written.
        """
        name = one.health.measured_from.strftime(STAMP)
        save({self.directory / f"{name}.json": text_of(one)})

    def read(self) -> list[Round]:
        """All rounds, in their order.

        Raises:
            HistoryError: a file is not one of a round, or cannot be read; or the directory is one
                of `assay health` alone.
        """
        if not self.directory.exists() and any(self.nights.history.glob("*.json")):
            raise HistoryError(
                f"{self.nights.directory} has nights of `assay health`; name another directory for"
                " the soak"
            )
        return [load(path, Round) for path in sorted(self.directory.glob("*.json"))]

    def figures(self) -> list[Night]:
        """The figures of all rounds that have some, in their order.

        Raises:
            HistoryError: a file is not one of figures, or cannot be read.
        """
        paths = sorted(self.directory.glob("*.json"))
        kept = (self.nights.history / path.name for path in paths)
        return [load(path, Night) for path in kept if path.exists()]

    def keep(self, soak: Soak) -> None:
        """Keep the outcome so far.

        Raises:
            HistoryError: it cannot be written.
        """
        save({self.outcome: text_of(soak)})


def seconds(rounds: Iterable[Round]) -> float:
    """The time that was measured, without pauses."""
    return sum(each.seconds for each in rounds)


def looks(rounds: Sequence[Round]) -> list[Look]:
    """The counters of all hosts, before and after each round."""
    return [
        look
        for each in rounds
        for look in (
            Look(each.health.measured_from, each.before),
            Look(each.health.measured_to, each.after),
        )
    ]
