"""Bring back what a failure check took away, if anything; otherwise do nothing.

Usage: bring_back.py [LEDGER]

A check writes down what it is about to take away, and removes the ledger when the system is whole
again. Whoever finds the ledger brings the system back: the check's own process, also when ReFrame
is killed; the next campaign; or `stop.sh`. Only one does so at a time. Every step may be repeated.

Ends with 0 if the system is whole, and with 1, and a sentence, if it is not.
"""

import fcntl
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from assay.foreign import programs
from assay.foreign.files import ForeignError, Tree
from assay.tools.daos import container, dmg, recovery
from assay.tools.daos.losses import KILL, Part

LEDGER = Path(os.environ.get("ASSAY_LEDGER", "/var/lib/assay/failure.json"))
"""On the controller; only root, who alone runs these checks, may write there."""

ANSWER_LIMIT_S, COMMAND_LIMIT_S = 30, 300
"""Time limits of questions and of commands that change something, in seconds: `dmg system start`
took 8 to 17 s, and a question without an answer takes minutes (DAOS 2.8; own choice)."""

JOINED_S, WHOLE_S = 300, 7200
"""How long a rank may take to join, and data to move back, in seconds (own choice)."""

DESTROYED_S = 120
"""How long a pool may stay busy, in seconds: a benchmark that was killed keeps it so until its
agent has seen that it is gone (own choice)."""


class Lost(Part):
    """What a check takes away; its pool is destroyed, and with it what only that pool lost."""

    system: str
    kind: str = KILL.name
    """What was done to it: the name of a `Loss`."""
    prefix: str
    """The directory of DAOS's programs."""
    containers: tuple[tuple[str, str], ...] = ()
    """Pools and containers of the system that may have no redundancy of their own."""


Say = Callable[[str], None]


class Asker:
    """Asks dmg and daos about a system, within time limits."""

    def __init__(self, lost: Lost) -> None:
        self.lost = lost

    def ask(self, words: list[str], limit_s: float = ANSWER_LIMIT_S) -> str:
        """What a program of DAOS prints."""
        program, *arguments = words
        system = ["--sys-name", self.lost.system] if program == "daos" else []
        return programs.ask(
            [f"{self.lost.prefix}/bin/{program}", *system, *arguments], program, limit_s
        )

    def change(self, words: list[str]) -> str:
        """Run a command that changes something; why it failed, or nothing."""
        return dmg.failure(self.ask(words, COMMAND_LIMIT_S))

    def rank(self) -> str:
        """The state of the rank; empty if it is unknown."""
        return recovery.rank_state(self.ask(dmg.system_query(self.lost.control)), self.lost.rank)

    def pool(self, label: str, limit_s: float = ANSWER_LIMIT_S) -> recovery.PoolState | None:
        """The state of a pool; None if there is no answer."""
        return recovery.pool_state(self.ask(dmg.pool_query(label, self.lost.control), limit_s))

    def service(self) -> recovery.Service | None:
        """The service of the check's pool; None if there is no answer."""
        return recovery.service(self.ask(recovery.service_query(self.lost.pool, self.lost.control)))

    def pools(self) -> list[str] | None:
        """The labels of all pools; None if there is no answer."""
        return dmg.known_labels(self.ask(dmg.pool_list(self.lost.control)))


def until(true: Callable[[], bool], limit_s: float, pause_s: float = 2) -> bool:
    """Whether something becomes true within a time."""
    end = time.monotonic() + limit_s
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(pause_s)
    return True


def restore(lost: Lost, say: Say) -> list[str]:
    """Bring a system back, step by step; why it is not whole, in sentences."""
    asker = Asker(lost)
    if asker.rank() != "joined":
        say(f"starting rank {lost.rank}")
        failed = asker.change(recovery.start(lost.rank, lost.control))
        if not until(lambda: asker.rank() == "joined", JOINED_S):
            why = failed or f"it is {asker.rank() or 'not to be seen'} after {JOINED_S} s"
            return [f"rank {lost.rank} did not come back: {why}; see the log of its engine"]
    destroyed = until(lambda: _destroyed(asker, say), DESTROYED_S)
    labels = asker.pools()
    if not destroyed or labels is None:
        return [f"the pool {lost.pool} was not destroyed: dmg pool destroy --force {lost.pool}"]
    if any(_excludes(asker, label) for label in labels):
        say(f"taking rank {lost.rank} back into the pools")
        if why := asker.change(recovery.reintegrate(lost.rank, lost.control)):
            say(f"dmg system reintegrate: {why}")
        # Its pools are Ready before the reintegration begins.
        time.sleep(5)
    if not until(lambda: all(_is_whole(asker, label) for label in labels), WHOLE_S):
        return ["a pool does not become whole: dmg pool list -v"]
    return [why for pool, label in lost.containers if (why := _mended(asker, pool, label, say))]


def _destroyed(asker: Asker, say: Say) -> bool:
    labels = asker.pools()
    if labels is None or asker.lost.pool not in labels:
        return labels is not None
    say(f"destroying the pool {asker.lost.pool}")
    return not asker.change(dmg.pool_destroy(asker.lost.pool, asker.lost.control))


def _excludes(asker: Asker, label: str) -> bool:
    state = asker.pool(label)
    return state is None or state.excludes


def _is_whole(asker: Asker, label: str) -> bool:
    state = asker.pool(label)
    return state is not None and state.is_whole


def _mended(asker: Asker, pool: str, label: str, say: Say) -> str:
    """Why a container without redundancy is still unclean; empty if it is healthy."""
    if not container.unclean(asker.ask(container.status(pool, label)), pool, label):
        return ""
    say(f"the container {label} of {pool} has no redundancy; what checks left in it may be lost")
    return asker.change(recovery.set_healthy(pool, label))


@contextmanager
def alone(ledger: Path) -> Iterator[None]:
    """Wait until nobody else brings this system back, or takes something away."""
    with Path(f"{ledger}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def keep(ledger: Path, lost: Lost) -> None:
    """Write down what is about to be taken away, all of it or nothing."""
    part = ledger.with_suffix(".part")
    part.write_text(lost.model_dump_json())
    part.rename(ledger)


def read(ledger: Path) -> Lost | None:
    """What the ledger says is away; None if nothing is.

    Raises:
        ForeignError, OSError, ValidationError: it cannot be read.
    """
    try:
        return Lost.model_validate_json(Tree(ledger.parent).read(ledger.name, 2**16))
    except FileNotFoundError:
        return None


def main(ledger: Path, say: Say = print) -> list[str]:
    """Bring back what the ledger says is away, and return why it is not."""
    if not ledger.parent.is_dir():
        return []
    with alone(ledger):
        try:
            lost = read(ledger)
        except (ForeignError, OSError, ValidationError) as error:
            return [f"{ledger} cannot be read, so what is away is unknown: {error}"]
        if lost is None:
            return []
        say(
            f"{lost.words} of {lost.system} was taken away by a check that did not end: {lost.kind}"
        )
        if not (problems := restore(lost, say)):
            ledger.unlink()
            say(f"the system {lost.system} is whole again")
        return problems


if __name__ == "__main__":
    found = main(Path(sys.argv[1]) if len(sys.argv) > 1 else LEDGER)
    sys.exit("\n".join(found) if found else 0)
