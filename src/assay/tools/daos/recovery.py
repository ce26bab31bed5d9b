"""What dmg is asked to take a part of a system away and to bring it back, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ValidationError

from assay.cluster.releases import since
from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.dmg import begin, members

RELEASES = since("2.8")
"""The releases whose `dmg system reintegrate` brings a rank back into all pools at once, and whose
commands of pools have `--ranks`: up to 2.6.3 it is `--rank` (src/control/cmd/dmg/pool.go)."""


def stop(rank: int, config: str) -> list[str]:
    """Command line that ends a rank's engine by SIGKILL, without a word to the others."""
    return [*begin(config), "system", "stop", "--force", "--ranks", str(rank)]


def start(rank: int, config: str) -> list[str]:
    """Command line that starts the engine of a rank again."""
    return [*begin(config), "system", "start", "--ranks", str(rank)]


def reintegrate(rank: int, config: str) -> list[str]:
    """Command line that takes a rank back into every pool that excluded it."""
    return [*begin(config), "system", "reintegrate", "--ranks", str(rank)]


def pool_drain(pool: str, rank: int, config: str) -> list[str]:
    """Command line that moves a pool's data off a rank, which serves it until it has moved."""
    return [*begin(config), "pool", "drain", "--ranks", str(rank), pool]


def pool_exclude(pool: str, rank: int, targets: Sequence[int], config: str) -> list[str]:
    """Command line that excludes targets of a rank from a pool, as if they had failed."""
    return [*begin(config), "pool", "exclude", "--ranks", str(rank), *_of(targets), pool]


def pool_reintegrate(pool: str, rank: int, config: str, targets: Sequence[int] = ()) -> list[str]:
    """Command line that takes targets of a rank back into a pool; without any, all of them."""
    return [*begin(config), "pool", "reintegrate", "--ranks", str(rank), *_of(targets), pool]


def _of(targets: Sequence[int]) -> list[str]:
    return ["--target-idx", ",".join(map(str, targets))] if targets else []


def pool_extend(pool: str, rank: int, config: str) -> list[str]:
    """Command line that extends a pool to a rank, to which its data is then spread."""
    return [*begin(config), "pool", "extend", "--ranks", str(rank), pool]


def service_query(pool: str, config: str) -> list[str]:
    """Command line that asks the service of a pool, whose leader answers alone.

    Without these options it waits for every engine, also for one that is gone, to report its space
    (`pool_query_handler` in DAOS 2.8's src/pool/srv_pool.c), and asks a second time.
    """
    return [*begin(config), "pool", "query", "--health-only", "--no-self-heal-check", pool]


def pool_create(
    label: str, size: str, owner: str, config: str, ranks: Sequence[int] = ()
) -> list[str]:
    """Command line that makes a pool whose data survives the loss of a rank.

    Its size is that on all ranks together; without any they are those of the system.
    """
    made = ["--size", size, "--user", f"{owner}@", "--properties", "rd_fac:1"]
    on = ["--ranks", ",".join(map(str, ranks))] if ranks else []
    return [*begin(config), "pool", "create", *made, *on, label]


def set_healthy(pool: str, container: str) -> list[str]:
    """Command line that mends a container whose redundancy was less than what was lost."""
    return ["daos", "-j", "container", "set-prop", pool, container, "--properties=status:healthy"]


LEAST_REPLICAS = 3
"""Replicas of a pool's service of which a majority is left without one."""


class Service(BaseModel):
    """The service of a pool, as its query and its creation report it."""

    svc_ldr: int
    """The rank that leads it."""
    svc_reps: list[int]
    """The ranks that have a replica."""

    @property
    def unable(self) -> str:
        """Why it would not survive the loss of its leader; empty if it would."""
        count = len(self.svc_reps)
        if count >= LEAST_REPLICAS:
            return ""
        return (
            f"the service of the pool has {count} of the {LEAST_REPLICAS} replicas that it needs to"
            " survive the loss of its leader: see svc_rf of the pool"
        )


class Rebuild(BaseModel):
    """The movement of data in a pool, as `dmg -j pool query` reports it."""

    state: str = "idle"
    derived_state: str = ""
    status: int = 0
    degraded: bool = False

    @property
    def runs(self) -> bool:
        """Whether data moves, or space is reclaimed: DAOS 2.8 reports both as busy."""
        return (self.derived_state or self.state) not in ("idle", "done")


class PoolState(BaseModel):
    """The targets of a pool, and whether its data is as redundant as it should be."""

    total_targets: int
    active_targets: int
    rebuild: Rebuild

    @property
    def excludes(self) -> bool:
        """Whether targets are excluded."""
        return self.active_targets < self.total_targets

    @property
    def is_whole(self) -> bool:
        """Whether it has all of its targets, and nothing moves or lacks redundancy."""
        return not (self.excludes or self.rebuild.runs or self.rebuild.degraded)


def pool_state(text: str) -> PoolState | None:
    """The state of a pool from `dmg -j pool query`; None if it was not answered."""
    answer = read_answer(text)
    try:
        return None if answer.error else PoolState.model_validate(answer.response)
    except ValidationError:
        return None


def service(text: str) -> Service | None:
    """The service of a pool from an answer of dmg about the pool; None if there is none."""
    answer = read_answer(text)
    try:
        return None if answer.error else Service.model_validate(answer.response)
    except ValidationError:
        return None


def rank_state(text: str, rank: int) -> str:
    """The state of a rank in lower case from `dmg -j system query`; empty if it is unknown."""
    states = (each.state.lower() for each in members(read_answer(text)) if each.rank == rank)
    return next(states, "")
