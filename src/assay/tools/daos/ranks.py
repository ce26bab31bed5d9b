"""The ranks of a DAOS system, compared with the servers that it should have.

`dmg system query` exits 0 even if ranks are dead, and does not know engines that never joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.cluster.servers import ServerHost, Unformatted
from assay.tools.daos.daos_answer import Answer
from assay.tools.daos.dmg import Member, members


def unjoined(query: Answer, servers: Iterable[ServerHost]) -> list[ServerHost]:
    """The servers with fewer joined ranks than engines, according to `dmg system query`."""
    there = members(query)
    return [server for server in servers if _lacks(server, there)]


def problems(
    query: Answer, servers: Sequence[ServerHost], waiting: Sequence[Unformatted] = ()
) -> list[str]:
    """Why not all ranks are joined, according to `dmg system query`.

    Args:
        query: its answer.
        servers: the servers that there should be.
        waiting: engines without a superblock, which wait for a format. dmg does not report that.

    Returns:
        A sentence for each problem, with host, rank, state and log; empty if all ranks are joined.
    """
    if query.error:
        return [f"dmg system query: {query.error}"]
    there = members(query)
    lacking = [server for server in servers if _lacks(server, there)]
    problems = [sentence for server in lacking for sentence in _problems_of(server, there)]
    problems += [
        f"{each['engine']} waits for a format (format required, in its daos_server.log), since its"
        " superblock is missing: playbooks/deploy.yml formats it, or says what consent it needs"
        for each in waiting
        if each["host"] in {server["name"] for server in lacking}
    ]
    strange = [member for member in there if not any(_is_of(member, s) for s in servers)]
    if lacking and strange:
        addresses = ", ".join(sorted({member.addr for member in strange}))
        problems.append(f"ranks at {addresses} belong to no host of the group daos_server")
    return problems


def _lacks(server: ServerHost, there: Iterable[Member]) -> bool:
    joined = [member for member in _ranks(server, there) if member.problem() is None]
    return len(joined) < len(server["engines"])


def _problems_of(server: ServerHost, there: Iterable[Member]) -> list[str]:
    ranks = _ranks(server, there)
    without_rank = [engine["log"] for engine in server["engines"]]
    problems = []
    for member in ranks:
        log = _log(member, server)
        if log in without_rank:
            without_rank.remove(log)
        if member.problem():
            why = f" ({member.info})" if member.info else ""
            where = log or " and ".join(engine["log"] for engine in server["engines"])
            state = f"rank {member.rank} is {member.state}{why}"
            problems.append(f"{server['name']} {state}, see {where}")
    if len(ranks) < len(server["engines"]):
        problems += [
            f"{server['name']} has an engine without a rank, see {log}" for log in without_rank
        ]
    return problems


def _ranks(server: ServerHost, there: Iterable[Member]) -> list[Member]:
    return [member for member in there if _is_of(member, server)]


def _is_of(member: Member, server: ServerHost) -> bool:
    """Whether a rank is on a server, by its address or by the host in its fault domain.

    The address alone is not enough, since it may be a loopback address.
    """
    address = member.addr.rpartition(":")[0].strip("[]")
    host = member.fault_domain.rpartition("/")[2]
    return address in server["addresses"] or host in server["names"]


def _log(member: Member, server: ServerHost) -> str | None:
    """The log of a rank's engine, by its port; None if the provider's addresses have no port."""
    port = member.fabric_uri.rpartition(":")[2]
    logs = {str(engine["port"]): engine["log"] for engine in server["engines"]}
    return logs.get(port)
