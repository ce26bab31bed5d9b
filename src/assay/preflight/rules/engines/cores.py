"""The cores on which the execution streams of engines run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from assay.cluster.daos import SYSTEM_TAGS, Engine
from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.problems import Problem

HELPERS_PER_TARGET = 2
"""Maximum number of helpers that DAOS starts; it ignores the others without an error.

Source: `dss_tgt_nr_check` in DAOS 2.8.0, src/engine/init.c.
"""


@OfServer.rule
def core_rules(of: OfServer) -> Iterator[Problem]:
    """Require for each engine cores of its own, enough for all of its execution streams."""
    name, host = of.name, of.host
    for number, engine in enumerate(host.engines):
        where = f"engines[{number}]"
        most_helpers = HELPERS_PER_TARGET * engine.targets
        if engine.nr_xs_helpers > most_helpers:
            yield Problem(
                name,
                f"{where}.nr_xs_helpers",
                engine.nr_xs_helpers,
                f"should be at most {HELPERS_PER_TARGET} per target, here {most_helpers}:"
                " DAOS starts no more",
            )
        elif engine.first_core is not None and engine.first_core >= host.cores:
            yield Problem(
                name,
                f"{where}.first_core",
                engine.first_core,
                f"should be a core of this host: 0 to {host.cores - 1}",
            )
        else:
            yield from _too_few(name, host, number, engine)
    yield from _shared(name, host)


def _too_few(name: str, host: Host, number: int, engine: Engine) -> Iterator[Problem]:
    if _is_on_one_node(host, engine):
        cores, place = host.cores // host.numa_nodes, "its NUMA node"
    else:
        cores, place = host.cores - (engine.first_core or 0), "the host"
    if engine.xstreams <= cores or _is_a_trial(host, engine):
        return
    own = len(SYSTEM_TAGS)
    has = f"{place} has {cores} core{'s' * (cores != 1)} for it"
    yield Problem(
        name,
        f"engines[{number}].targets",
        f"{engine.targets}, with nr_xs_helpers = {engine.nr_xs_helpers}",
        f"should add up to at most {cores - own}: {has}, and {own} of them serve the engine itself"
        if cores > own
        else f"should be of an engine with at least {own + 1} cores, of which {own} serve the"
        f" engine itself: {has}. For a trial, set DAOS_TARGET_OVERSUBSCRIBE=1 in its env_vars",
        # DAOS would also refuse it without DAOS_TARGET_OVERSUBSCRIBE.
        severity="warning" if engine.oversubscribes else "error",
    )


def _is_a_trial(host: Host, engine: Engine) -> bool:
    """Whether an engine may share cores, on a host with too few cores for any configuration.

    No change of the configuration could satisfy a warning there.
    """
    least = len(host.engines) * (len(SYSTEM_TAGS) + 1)
    return engine.oversubscribes and host.cores < least


def _is_on_one_node(host: Host, engine: Engine) -> bool:
    """Whether an engine is pinned to a node, by the inventory or by DAOS itself.

    DAOS does not pin an engine with `first_core`, nor the only engine of a host if it is near
    node 0. Source: `SetEngineAffinities` in src/control/server/config/server.go of 2.8.0.
    """
    if engine.pinned_numa_node is not None:
        return True
    interface = host.interfaces.get(engine.fabric_iface)
    is_near_node_0 = interface is None or not interface.numa_node
    return engine.first_core is None and (len(host.engines) > 1 or not is_near_node_0)


def _shared(name: str, host: Host) -> Iterator[Problem]:
    """Require that engines with `first_core`, which use the cores from there on, share none."""
    placed = sorted(
        (engine.first_core, number, engine)
        for number, engine in enumerate(host.engines)
        if engine.first_core is not None and engine.pinned_numa_node is None
    )
    for (start, number, engine), (other_start, other_number, other) in pairwise(placed):
        end = start + engine.xstreams - 1
        if other_start <= end and not _is_a_trial(host, other):
            yield Problem(
                name,
                f"engines[{other_number}].first_core",
                other_start,
                f"should be above {end}: engines[{number}] runs on the cores {start} to {end}",
                severity="warning" if other.oversubscribes else "error",
            )
