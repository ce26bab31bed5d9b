"""Hosts of the DAOS system that the plan does not have, by `dmg system query` before the checks."""

from __future__ import annotations

from assay.campaign.results import Results
from assay.cluster.description import Cluster
from assay.judge.answers import answers
from assay.tools.daos import dmg
from assay.tools.daos.daos_answer import read_answer


def strangers(cluster: Cluster, results: Results) -> tuple[str, ...]:
    """The hosts with ranks of the system, each in a sentence, that are no server of the plan."""
    if cluster.daos is None or cluster.daos.found is not None:
        return ()
    known: set[str] = set()
    for name in cluster.daos.servers:
        host = cluster.hosts[name]
        addresses = (each.address for each in host.interfaces.values())
        known.update((name, str(host.address), *host.names, *filter(None, addresses)))
    ranks: dict[str, set[int]] = {}
    for answer in answers(results, "system.before"):
        for member in dmg.members(read_answer(answer)):
            address = member.addr.rpartition(":")[0].strip("[]")
            place = member.fault_domain.rpartition("/")[2]
            if known.isdisjoint((address, place, place.partition(".")[0])):
                ranks.setdefault(address, set()).add(member.rank)
    return tuple(
        f"dmg system query: rank {', '.join(map(str, sorted(its)))} at {address} is on no host of"
        " the plan"
        for address, its in sorted(ranks.items())
    )
