"""How long DAOS may take to notice that a part is gone, and what must be left meanwhile.

The times follow from DAOS's own timeouts, so each sentence says which setting shortens it.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.checks.entry import Expectation, Measured, Requirement
from assay.checks.figures import nothing
from assay.cluster.daos import Engine
from assay.cluster.description import Cluster
from assay.units import Quantity

SWIM = "src/cart/swim/swim_internal.h"
"""Where DAOS has the defaults of SWIM, which did not change from 2.4 to 2.8."""

SUSPECT_MS, PERIOD_MS = 20_000, 1_000
"""SWIM_SUSPECT_TIMEOUT and SWIM_PROTOCOL_PERIOD_LEN in milliseconds (`SWIM`, DAOS 2.8)."""

PERIODS = 10
"""Periods of SWIM, beyond the suspicion, within which a loss is pinged, agreed on and seen by dmg
(own choice; 3.5 were seen with DAOS 2.8 on three engines)."""

RPC_S = 60
"""CRT_TIMEOUT_DEFAULT in seconds (src/cart/crt_rpc.h, DAOS 2.8)."""

RPCS = 2
"""RPCs of a client that may time out one after the other before it has the pool's new map (a client
of DAOS 2.8 stalled for 131 s)."""

LEFT = 0.5
"""Least part of what the remaining engines should do that a degraded system must do (own choice):
it reads what is lost from fewer places."""

BACK = 0.8
"""Least part of the bandwidth of before that the system must have again (own choice)."""

Rule = Callable[[Cluster, Requirement, Measured], Expectation]


def _engine(cluster: Cluster, requirement: Requirement) -> Engine:
    return cluster.engine(requirement.subject)


def _number(engine: Engine, key: str, otherwise: int) -> int:
    value = engine.env(key) or ""
    return int(value) if value.isdigit() and int(value) else otherwise


def suspicion_s(engine: Engine) -> float:
    """Seconds for which SWIM suspects an engine that does not answer, before it is dead."""
    return _number(engine, "SWIM_SUSPECT_TIMEOUT", SUSPECT_MS) / 1000


def rpc_s(cluster: Cluster, requirement: Requirement) -> float:
    """Seconds after which an RPC without an answer has failed; clients get it from the servers."""
    engine = _engine(cluster, requirement)
    servers = cluster.hosts[requirement.host].server.settings.get("crt_timeout")
    if type(servers) is int and servers > 0:
        return float(servers)
    return float(engine.crt_timeout or _number(engine, "CRT_TIMEOUT", RPC_S))


def _at_most(requirement: Requirement, limit_s: float, derivation: str) -> Expectation:
    limit = Quantity(limit_s, "s").to(requirement.unit).value
    return Expectation(requirement.unit, "reference", None, None, limit, derivation)


def exclusion(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """The suspicion of SWIM, and some of its periods."""
    engine = _engine(cluster, requirement)
    suspicion = suspicion_s(engine)
    period = _number(engine, "SWIM_PROTOCOL_PERIOD_LEN", PERIOD_MS) / 1000
    limit = suspicion + PERIODS * period
    return _at_most(
        requirement,
        limit,
        f"at most {limit:g} s: SWIM suspects an engine for {suspicion:g} s"
        f" (SWIM_SUSPECT_TIMEOUT in env_vars shortens it; {SWIM}), and {PERIODS} periods of"
        f" {period:g} s (own choice)",
    )


def stall(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """RPCs that time out one after the other, and the suspicion of SWIM."""
    engine = _engine(cluster, requirement)
    rpc, suspicion = rpc_s(cluster, requirement), suspicion_s(engine)
    limit = RPCS * rpc + suspicion
    return _at_most(
        requirement,
        limit,
        f"at most {limit:g} s: {RPCS} RPCs of {rpc:g} s that time out one after the other"
        f" (crt_timeout shortens them; src/cart/crt_rpc.h), and {suspicion:g} s until the engine"
        " is excluded",
    )


def no_timeout(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """No RPC may time out: every engine is there and answers, if only that its map is newer.

    A client then gets the new map and repeats the RPC after at most 3 s (`dc_obj_retry_delay` in
    DAOS 2.8's src/object/cli_obj.c).
    """
    rpc = rpc_s(cluster, requirement)
    return _at_most(
        requirement,
        rpc,
        f"at most {rpc:g} s: no engine is gone, so no RPC may time out, which takes {rpc:g} s"
        " (crt_timeout; src/cart/crt_rpc.h)",
    )


def part_of(before: str, part: Callable[[Cluster], float], why: str) -> Rule:
    """The rule of a bandwidth that must be a part of the one before the loss.

    Args:
        before: the name of the metric before the loss, of the same check and subject.
        part: the part, from the cluster.
        why: where the part comes from.
    """

    def rule(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
        figure = f"{requirement.check}.{before}"
        found = measured.medians(figure).get(requirement.subject)
        if found is None:
            return nothing(requirement, f"{figure} has not been measured")
        share = part(cluster)
        floor = found * share
        derivation = f"floor {share:.0%} of {Quantity(found, requirement.unit)} before: {why}"
        return Expectation(requirement.unit, "measured", None, floor, None, derivation)

    return rule


def ranks(cluster: Cluster) -> int:
    """The number of engines of the system."""
    servers = cluster.daos.servers if cluster.daos else ()
    return sum(len(cluster.hosts[name].engines) for name in servers)


def left(cluster: Cluster) -> float:
    """The least part of the bandwidth that must be left without one engine."""
    count = ranks(cluster)
    return LEFT * (count - 1) / count


def left_of_targets(cluster: Cluster) -> float:
    """The least part of the bandwidth that must be left without one target."""
    servers = cluster.daos.servers if cluster.daos else ()
    targets = sum(each.targets for name in servers for each in cluster.hosts[name].engines)
    return LEFT * (targets - 1) / targets


def without_one(cluster: Cluster) -> float:
    """The least part that must be there when one engine is not used, and all data is redundant."""
    count = ranks(cluster)
    return BACK * (count - 1) / count


def back(_: Cluster) -> float:
    """The least part of the bandwidth that must be there again."""
    return BACK
