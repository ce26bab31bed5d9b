"""A DAOS system that the site runs: what a user without its administrator's key sees of it."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.cluster import releases
from assay.foreign import programs
from assay.foreign.limits import MIB
from assay.foreign.sources import Budget, Missing, fetch
from assay.subject import folded
from assay.survey.foreign_slurm import Seen
from assay.tools.daos import daos_properties, daos_user, dmg
from assay.tools.daos.container import Container
from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.daos_user import UnansweredError
from assay.tools.daos.telemetry import PORT, at

ANSWER_S = 60
"""How long `daos` and `dmg` may take to answer (own choice)."""

METRICS = Budget(seconds=5, bytes=16 * MIB, lines=400_000)
"""For the metrics of one server, as in a reading; the time is this project's own choice."""

Ask = Callable[[Sequence[str]], str]
"""Runs a command line, and returns what it printed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user named."""

    pool: str
    container: str | None = None
    """None: the checks make one, and destroy it."""
    mount: Path | None = None
    """Where a dfuse mounts the container on each client."""
    share: float | None = None
    """Of the pool's free space that the files of a check may take; None: the default."""
    control: Path = Path(dmg.CONTROL)
    """dmg's configuration, whose key the user may read, or not."""


@dataclass(frozen=True, slots=True)
class FoundDaos:
    """What was found, in the words of the description."""

    system: dict[str, Any]
    """The key `daos`."""
    provider: str
    colocated: bool
    """Whether engines run on clients."""
    refused_by_dmg: str
    """Why dmg did not answer; empty if it did."""


def ask(command: Sequence[str]) -> str:
    """What a program of DAOS prints, or why it prints nothing, in a sentence."""
    return programs.ask(command, "it", ANSWER_S)


def has_metrics(server: str) -> bool:
    """Whether a server gives the metrics of its engines to this host."""
    answer = fetch(at(server).partition("=")[2], METRICS)
    return not isinstance(answer, Missing) and b"engine_" in answer


def find(
    wanted: Wanted,
    here: Seen,
    seen: Sequence[Seen],
    asking: Ask = ask,
    gives_metrics: Callable[[str], bool] = has_metrics,
) -> FoundDaos:
    """Ask DAOS on this host about the system, the pool and the container.

    Args:
        wanted: what the user named.
        here: this host, which needs an agent, as the clients do.
        seen: the clients.
        asking: runs a command line.
        gives_metrics: asks a server.

    Raises:
        UnansweredError: there is no such pool or container, or the user may not read it.
    """
    prefix = _prefix(here, seen)
    daos = [f"{prefix}/bin/daos", "-j"]
    release = daos_user.read(
        daos_user.Version, asking([*daos, *daos_user.VERSION]), "the release of DAOS"
    ).version
    supported = releases.release_of(release)
    if supported is None:
        known = ", ".join(releases.names())
        raise UnansweredError(f"DAOS {release} is not one of the supported releases: {known}")
    system = daos_user.read(
        daos_user.AttachedSystem, asking([*daos, *daos_user.SYSTEM]), "the DAOS system"
    )
    pool = daos_user.read(
        daos_user.Pool,
        asking([*daos, *daos_user.pool_query(wanted.pool)]),
        f"the pool {wanted.pool}",
    )
    refused, of_pool = _as_administrator(here, prefix, wanted, asking)
    found: dict[str, Any] = {
        "release": release,
        "ranks": len(system.ranks),
        "targets": pool.targets,
        "free_mib": pool.free // 2**20,
        "own_container": wanted.container is None,
        "pool_properties": of_pool,
    }
    servers = [f"{address}:{PORT}" for address in sorted({each.address for each in system.ranks})]
    # Metrics of some engines would compare only some of them.
    if all(map(gives_metrics, servers)):
        found["telemetry"] = servers
        found["servers_of_ranks"] = {each.rank: each.address for each in system.ranks}
    if wanted.share is not None:
        found["share"] = wanted.share
    if not refused:
        found["control"] = str(wanted.control)
    described: dict[str, Any] = {
        "name": system.name,
        "version": supported,
        "servers": [],
        "mgmt_svc_replicas": [],
        "agents": [each.name for each in seen],
        "admin": here.name,
        "prefix": str(prefix),
        "pool": wanted.pool,
        "container": wanted.container or f"assay.{getpass.getuser()}",
    }
    if wanted.container is not None:
        described |= _container(daos, wanted.pool, wanted.container, found, asking)
    if wanted.mount is not None:
        described["mount"] = str(wanted.mount)
    return FoundDaos(
        described | {"found": found}, system.provider, _colocated(system, seen), refused
    )


def _prefix(here: Seen, seen: Sequence[Seen]) -> Path:
    """Where DAOS's programs are, on this host and on all clients."""
    program = here.programs.get("daos")
    if program is None:
        raise UnansweredError("daos is not on the PATH of this host; load the module that has it")
    other = [each.name for each in seen if each.programs.get("daos") != program]
    if other:
        raise UnansweredError(
            f"daos is {program} on this host, but not on {folded(other)}; load a module with"
            " --module, or run this where DAOS is installed as on the nodes"
        )
    return program.parent.parent


def _container(
    daos: Sequence[str], pool: str, label: str, found: dict[str, Any], asking: Ask
) -> dict[str, Any]:
    """The object classes of a container, if it reports them; its properties are noted."""
    container = daos_user.read(
        Container,
        asking([*daos, *daos_user.container_query(pool, label)]),
        f"the container {label} in the pool {pool}",
    )
    if container.layout != "POSIX":
        raise UnansweredError(
            f"the container {label} is of type {container.layout}, but the checks write files; name"
            " one that was made with --type=POSIX"
        )
    answer = asking([*daos, *daos_user.container_properties(pool, label)])
    found["container_properties"] = daos_properties.kept(answer, daos_properties.CONTAINER)
    classes = {"file_oclass": container.file_oclass, "dir_oclass": container.dir_oclass}
    return {key: name for key, name in classes.items() if name not in ("", "UNKNOWN")}


def _as_administrator(
    here: Seen, prefix: Path, wanted: Wanted, asking: Ask
) -> tuple[str, dict[str, str]]:
    """Why dmg does not answer this user, and the pool's properties if it does."""
    program = here.programs.get("dmg")
    if program is None:
        return "it is not on the PATH of this host", {}
    if program.parent.parent != prefix:
        return f"it is {program}, but daos is in {prefix}/bin", {}

    def answer(command: Sequence[str]) -> str:
        return asking([str(program), *command[1:]])

    control = str(wanted.control)
    if error := read_answer(answer(dmg.system_query(control))).error:
        return error, {}
    answered = answer(dmg.pool_properties(wanted.pool, control))
    return "", daos_properties.kept(answered, daos_properties.POOL)


def _colocated(system: daos_user.AttachedSystem, seen: Sequence[Seen]) -> bool:
    """Whether engines run on clients."""
    clients = {link.get("address") for each in seen for link in each.host["interfaces"].values()}
    return any(each.engines for each in seen) or any(
        rank.address in clients - {None} for rank in system.ranks
    )
