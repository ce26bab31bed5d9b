"""Pools and containers by name, and which of them the checks need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from assay.checks.benchmarks.ior_by_rank import LABEL
from assay.cluster.daos import System
from assay.preflight.rules.context import OfSystem
from assay.preflight.rules.pools.properties import Label
from assay.problems import Problem


@OfSystem.rule
def pool_name_rules(of: OfSystem) -> Iterator[Problem]:
    """Require pools and containers of one name each, which include those of the checks."""
    system = of.system
    yield from _names("daos.pools", system.pools)
    for number, pool in enumerate(system.pools):
        yield from _names(f"daos.pools[{number}].containers", containers_of(pool))
    for number, pool in enumerate(system.pools):
        if str(pool.get("name")).startswith(LABEL):
            yield Problem(
                None,
                f"daos.pools[{number}].name",
                str(pool.get("name")),
                f"should not begin with {LABEL}: IorByRank destroys pools with such labels",
            )
    if system.mount is not None and system.pool is None:
        yield Problem(
            None,
            "daos.mount",
            system.mount,
            "should be beside a pool: without one in daos_system_pools, no check writes to it",
            severity="warning",
        )
    if system.pools:
        yield from _measured(system)


def containers_of(pool: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The containers of a pool, except what is not keys and values."""
    given = pool.get("containers")
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []


def _names(
    where: str, given: tuple[Mapping[str, Any], ...] | list[Mapping[str, Any]]
) -> Iterator[Problem]:
    times = Counter(str(each["name"]) for each in given if each.get("name") is not None)
    for number, each in enumerate(given):
        name = each.get("name")
        if name is None:
            yield Problem(None, f"{where}[{number}].name", None, "is missing: set a label")
        elif allowed := Label().allowed(str(name)):
            yield Problem(None, f"{where}[{number}].name", str(name), allowed)
    for name, listed in times.items():
        if listed > 1:
            yield Problem(None, where, name, "should be listed once")


def _measured(system: System) -> Iterator[Problem]:
    """Require that the pools and the container of the checks are among those that are made."""
    pools = {str(pool.get("name")): pool for pool in system.pools}
    for key, label in (("pool", system.pool), ("perf_pool", system.perf_pool)):
        if label is not None and label not in pools:
            yield Problem(
                None, f"daos.{key}", label, f"should be one of daos.pools: {', '.join(pools)}"
            )
    containers = {str(c.get("name")): c for c in containers_of(pools.get(system.pool or "", {}))}
    container = containers.get(system.container or "")
    if system.container is not None and containers and container is None:
        yield Problem(
            None,
            "daos.container",
            system.container,
            f"should be one of the containers of {system.pool}: {', '.join(containers)}",
        )
    layout = None if container is None else container.get("type")
    if layout is not None and str(layout).upper() != "POSIX":
        yield Problem(
            None,
            "daos.container",
            f"{system.container} of type {layout}",
            "should be of type POSIX: the checks and dfuse have files there, and DAOS opens no"
            " other as a file system (dfs_mount). Name a POSIX container first",
        )
