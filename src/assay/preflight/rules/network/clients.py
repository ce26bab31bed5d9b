"""The interfaces that agents give to clients, which must reach the engines."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.cluster.rails import is_able
from assay.preflight.rules.context import OfSystem
from assay.problems import Problem


@OfSystem.rule
def client_rules(of: OfSystem) -> Iterator[Problem]:
    """Require that every agent can give out an interface that is up, in a network of engines."""
    system, provider, hosts = of.system, of.provider, of.hosts
    networks = {
        interface.network
        for name in system.servers
        if name in hosts
        for engine in hosts[name].engines
        if (interface := hosts[name].interfaces.get(engine.fabric_iface)) is not None
        and interface.network is not None
    }
    for name in system.agents if networks else ():
        if name in hosts:
            yield from _reaches(name, hosts[name], networks, provider)


@OfSystem.rule
def member_clients(of: OfSystem) -> Iterator[Problem]:
    """Require an agent on each client: without one, no program there finds the servers."""
    site = of.site
    system = site.daos
    if system is None or not system.agents:
        return
    for name in site.clients:
        if name not in system.agents:
            yield Problem(
                name,
                "daos.agents",
                name,
                "should be in the group daos_agent, as other clients are: the checks run on all"
                " clients, and find the servers by an agent",
                severity="warning" if system.pool is None else "error",
            )


def _reaches(name: str, host: Host, networks: set[str], provider: str) -> Iterator[Problem]:
    near = {n: i for n, i in host.interfaces.items() if i.network in networks}
    if not near:
        known = {i.network for n, i in host.interfaces.items() if n != "lo" and i.network}
        if known:
            yield Problem(
                name,
                "interfaces",
                ", ".join(sorted(known)),
                "should include a network of the engines:"
                f" {', '.join(sorted(networks))}. Between networks it takes a route, which not all"
                " RDMA follows. Correct it, or go on if it is intended",
                severity="warning",
            )
        return
    agent = host.agent
    given = [
        n
        for n in near
        if n not in agent.exclude_fabric_ifaces
        and (not agent.include_fabric_ifaces or n in agent.include_fabric_ifaces)
    ]
    key = "include" if agent.include_fabric_ifaces else "exclude"
    if not given:
        ruled = getattr(agent, f"{key}_fabric_ifaces")
        yield Problem(
            name,
            f"agent.{key}_fabric_ifaces",
            ", ".join(ruled),
            f"should leave clients one of {', '.join(near)}, in the engines' networks"
            f" {', '.join(sorted(networks))}",
        )
    elif not any(is_able(near[n], provider) for n in given):
        yield Problem(
            name,
            "interfaces",
            ", ".join(given),
            f"should be up and support {provider}: no other interface is in the engines' networks",
        )
