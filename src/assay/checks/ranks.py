"""The rank of each engine, and the server of each rank, by what dmg answered before a job."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.daos import dmg

SYSTEM_BEFORE = "system.before"
"""The name of the kept answer of dmg with the rank of each engine."""


class NoRankError(LookupError):
    """The system reports no rank for an engine."""


def rank(cluster: Cluster, engine: Subject, answer: str) -> int:
    """The rank of an engine in dmg's answer; DAOS assigns ranks when engines join.

    Raises:
        NoRankError: dmg does not know the engine.
    """
    address = _address(cluster, engine)
    ranks = _ranks(answer)
    if address not in ranks:
        known = ", ".join(ranks) or "none"
        raise NoRankError(f"no rank listens at {address}, {engine}; dmg knows {known}")
    return ranks[address]


def servers(cluster: Cluster, answer: str) -> Mapping[int, str]:
    """The server of each rank that dmg's answer has at the address of a described engine."""
    ranks = _ranks(answer)
    engines = (
        Subject(name, engine=number)
        for name in (cluster.daos.servers if cluster.daos else ())
        for number in range(len(cluster.hosts[name].engines))
    )
    at = ((_address(cluster, engine), engine.host) for engine in engines)
    return {ranks[address]: host for address, host in at if address in ranks}


def _address(cluster: Cluster, engine: Subject) -> str:
    described = cluster.engine(engine)
    interface = cluster.hosts[engine.host].interfaces[described.fabric_iface]
    return f"{interface.address}:{described.fabric_iface_port}"


@lru_cache(maxsize=2)
def _ranks(answer: str) -> Mapping[str, int]:
    """The parsed answer, cached: for a large system it is long, and every run needs it."""
    return dmg.ranks(answer)
