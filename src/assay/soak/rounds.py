"""The directory of `assay soak`: one of `assay health`, whose nights are the rounds, and more.

rounds/20261123T020000.json       a round: its outcome, and what kernels and pools reported
soak.json                         the outcome so far
soak.lock                         held by the soak that runs
"""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from assay.foreign import limits
from assay.health.measure import BUSY, MeasureError
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
    held: bool = Field(
        default=False, description="whether its figures were held against a baseline"
    )

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

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep any other soak out of the directory: it would not know of the rounds of this one.

        Raises:
            MeasureError: another soak is running there.
            HistoryError: the directory cannot be written.
        """
        path = self.nights.directory / "soak.lock"
        with contextlib.ExitStack() as stack:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = stack.enter_context(path.open("ab"))
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                where = self.nights.directory
                raise MeasureError(f"another soak is running in {where}", BUSY) from error
            except OSError as error:
                raise HistoryError(f"{path} cannot be locked: {error.strerror}") from error
            yield

    def begin(self) -> None:
        """Make this the directory of a soak, also where its first round is killed.

        Raises:
            HistoryError: it cannot be written.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HistoryError(f"{self.directory} cannot be made: {error.strerror}") from error

    def add(self, one: Round) -> None:
        """Keep a round.

        Raises:
            HistoryError: it cannot be written.
        """
        save({self.directory / f"{self.name(one)}.json": text_of(one)})

    @staticmethod
    def name(one: Round) -> str:
        """The name of a round, its campaign and its figures."""
        return one.health.measured_from.strftime(STAMP)

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
        paths = sorted(self.directory.glob("*.json"))
        return [load(path, Round, limits.RECORD_BYTES) for path in paths]

    def figures(self, rounds: Iterable[Round]) -> list[Night]:
        """The figures of these rounds, of those that have some, in their order.

        Raises:
            HistoryError: a file is not one of figures, is not there, or cannot be read.
        """
        kept = (
            (each.health.figures, self.nights.history / f"{self.name(each)}.json")
            for each in rounds
        )
        return [load(path, Night) for figures, path in kept if figures]

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
