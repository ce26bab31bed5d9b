"""How long DAOS may take to notice that a part is gone, and what must be left meanwhile.

The times follow from DAOS's own timeouts, so each sentence says which setting shortens it.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.checks.entry import Expectation, Measured, Requirement
from assay.checks.figures import nothing
from assay.checks.subjects import each_engine
from assay.cluster.daos import Engine
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.units import Quantity

SWIM = "src/cart/swim/swim_internal.h"
"""Where DAOS has the defaults of SWIM, which did not change from 2.4 to 2.8."""

SUSPECT_MS, PERIOD_MS = 20_000, 1_000
"""SWIM_SUSPECT_TIMEOUT and SWIM_PROTOCOL_PERIOD_LEN in milliseconds (`SWIM`, DAOS 2.8)."""

PERIODS = 10
"""Periods of SWIM, beyond the suspicion, within which a loss is pinged, agreed on and seen by dmg
(own choice; 3.5 were seen with DAOS 2.8 on three engines)."""

RAFT = "src/rdb/rdb_raft.c, src/rdb/raft/src/raft_server.c"
"""Where DAOS has the timeout of elections, which each replica lengthens at random up to twice."""

ELECTION_MS = 7_000
"""RDB_ELECTION_TIMEOUT in milliseconds (`RAFT`, DAOS 2.8)."""

ELECTED_S = 10
"""Seconds within which a replica that stands for election is elected, leads and is asked by dmg,
which does so once a second (own choice; all of it took 7 to 11 s with DAOS 2.8)."""

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

UNIT = "utils/systemd/daos_agent.service"
"""Where DAOS has the unit of the agent, from 2.4 to 2.8."""

RESTART_S = 10
"""RestartSec of the agent in seconds (`UNIT`, DAOS 2.8; also of the role daos_agent)."""

CONNECTED_S = 20
"""Seconds within which an agent starts, asks a server what it gives to clients, and a new process
that is tried once a second has connected (own choice; 4 s were seen with DAOS 2.8 on two busy
cores)."""

Rule = Callable[[Cluster, Requirement, Measured], Expectation]


def _engines(cluster: Cluster, requirement: Requirement) -> tuple[Subject, ...]:
    """The engine that is lost; all of them if it may be any."""
    if requirement.subject.engine is not None:
        return (requirement.subject,)
    return each_engine(cluster, requirement.partition)


def _number(engine: Engine, key: str, otherwise: int) -> int:
    value = engine.env(key) or ""
    return int(value) if value.isdigit() and int(value) else otherwise


def _seconds(cluster: Cluster, requirement: Requirement, key: str, otherwise_ms: int) -> float:
    """A timeout of the engine that is lost, in seconds; the longest one if it may be any."""
    engines = map(cluster.engine, _engines(cluster, requirement))
    return max(_number(engine, key, otherwise_ms) for engine in engines) / 1000


def suspicion_s(cluster: Cluster, requirement: Requirement) -> float:
    """Seconds for which SWIM suspects an engine that does not answer, before it is dead."""
    return _seconds(cluster, requirement, "SWIM_SUSPECT_TIMEOUT", SUSPECT_MS)


def rpc_s(cluster: Cluster, requirement: Requirement) -> float:
    """Seconds after which an RPC without an answer has failed; clients get it from the servers."""
    return max(_rpc_s(cluster, each) for each in _engines(cluster, requirement))


def _rpc_s(cluster: Cluster, subject: Subject) -> float:
    engine = cluster.engine(subject)
    servers = cluster.hosts[subject.host].server.settings.get("crt_timeout")
    if type(servers) is int and servers > 0:
        return float(servers)
    return float(engine.crt_timeout or _number(engine, "CRT_TIMEOUT", RPC_S))


def _at_most(requirement: Requirement, limit_s: float, derivation: str) -> Expectation:
    limit = Quantity(limit_s, "s").to(requirement.unit).value
    return Expectation(requirement.unit, "reference", None, None, limit, derivation)


def exclusion(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """The suspicion of SWIM, and some of its periods."""
    suspicion = suspicion_s(cluster, requirement)
    period = _seconds(cluster, requirement, "SWIM_PROTOCOL_PERIOD_LEN", PERIOD_MS)
    limit = suspicion + PERIODS * period
    return _at_most(
        requirement,
        limit,
        f"at most {limit:g} s: SWIM suspects an engine for {suspicion:g} s"
        f" (SWIM_SUSPECT_TIMEOUT in env_vars shortens it; {SWIM}), and {PERIODS} periods of"
        f" {period:g} s (own choice)",
    )


def service(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """The longest time after which a replica stands for election, and what follows it."""
    timeout = _seconds(cluster, requirement, "RDB_ELECTION_TIMEOUT", ELECTION_MS)
    limit = 2 * timeout + ELECTED_S
    return _at_most(
        requirement,
        limit,
        f"at most {limit:g} s: a replica that hears no leader stands for election after up to twice"
        f" {timeout:g} s (RDB_ELECTION_TIMEOUT in env_vars shortens it; {RAFT}), and {ELECTED_S:g}"
        " s until it leads and dmg has asked it (own choice)",
    )


def reconnection(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """What systemd waits before it starts the agent again, and what follows it."""
    del cluster
    limit = RESTART_S + CONNECTED_S
    return _at_most(
        requirement,
        limit,
        f"at most {limit:g} s: systemd starts an agent {RESTART_S:g} s after it ended (RestartSec"
        f" of its unit shortens it; {UNIT}), and {CONNECTED_S:g} s until a new process has"
        " connected (own choice)",
    )


def stall(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    """RPCs that time out one after the other, and the suspicion of SWIM."""
    rpc, suspicion = rpc_s(cluster, requirement), suspicion_s(cluster, requirement)
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
