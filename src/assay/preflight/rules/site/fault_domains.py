"""The fault domains of servers: of one depth, and with replicas in several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assay.cluster.daos import System
from assay.cluster.description import Host
from assay.cluster.fault_domains import levels
from assay.preflight.rules.context import OfSystem
from assay.problems import Problem


@OfSystem.rule
def fault_domain_rules(of: OfSystem) -> Iterator[Problem]:
    """Require one depth of all servers; DAOS lets no other join (`FaultBadFaultDomainDepth`)."""
    system, hosts = of.system, of.hosts
    paths = {
        name: path
        for name in system.servers
        if name in hosts and (path := levels(name, hosts[name])) is not None
    }
    counts = Counter(len(path) for path in paths.values())
    usual = max(counts, key=lambda depth: (counts[depth], depth), default=0)
    like = next((path for path in paths.values() if len(path) == usual), ())
    for name, path in paths.items():
        if len(path) != usual:
            yield Problem(
                name,
                "server.settings.fault_path",
                f"/{'/'.join(path)}",
                "should have as many levels as those of the other servers, such as"
                f" /{'/'.join(like)}: DAOS lets no server join at another depth, and without"
                " fault_path it is /HOSTNAME",
            )


def replica_domains(
    system: System, replicas: Sequence[str], hosts: Mapping[str, Host]
) -> Iterator[Problem]:
    """Warn if one fault domain has most replicas, and others have servers without one.

    Args:
        system: the system.
        replicas: the servers that are replicas.
        hosts: the hosts.
    """
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    places = Counter(levels(name, servers[name]) for name in {*replicas} if name in servers)
    place, having = next(iter(places.most_common(1)), (None, 0))
    others = [name for name in servers if levels(name, servers[name]) != place]
    if place is not None and len(replicas) > 1 and others and having * 2 > len(replicas):
        yield Problem(
            None,
            "daos.mgmt_svc_replicas",
            f"{having} of {len(replicas)} in /{'/'.join(place)}",
            f"should be spread over fault domains, such as to {others[0]}: with that one, the"
            " majority is lost, and with it the management of the system",
            severity="warning",
        )
