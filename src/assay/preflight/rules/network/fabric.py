"""The interfaces of engines and agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assay.cluster.description import Host
from assay.cluster.rails import leaves_rdma, needs_rdma
from assay.preflight.rules.context import OfHost, OfSystem
from assay.problems import Problem


@OfSystem.rule
def fabric_rules(of: OfSystem) -> Iterator[Problem]:
    """Require for each engine an interface that is up and fits the provider."""
    for name, host in of.servers:
        yield from _interfaces(name, host, of.provider)


def _interfaces(name: str, host: Host, provider: str) -> Iterator[Problem]:
    for number, engine in enumerate(host.engines):
        interface = host.interfaces.get(engine.fabric_iface)
        if interface is None:
            continue
        key = f"engines[{number}].fabric_iface"
        if not interface.up:
            yield Problem(name, key, engine.fabric_iface, "should be up; this interface is down")
        elif interface.has_address is False:
            yield Problem(
                name,
                key,
                engine.fabric_iface,
                "should have an IP address, which DAOS requires with every provider; with"
                " InfiniBand, that of IPoIB",
            )
        elif needs_rdma(provider) and (interface.rdma is False or engine.fabric_iface == "lo"):
            able = ", ".join(n for n, other in host.interfaces.items() if other.rdma) or "none"
            yield Problem(
                name,
                key,
                engine.fabric_iface,
                f"should have an RDMA device for {provider}; on this host, these have one: {able}."
                " Without any, the provider is ofi+tcp",
            )
        elif provider.startswith(("ofi+tcp", "ucx+tcp")) and leaves_rdma(
            engine.fabric_iface, interface
        ):
            seen = "has an RDMA device" if interface.rdma else "is by its name one of InfiniBand"
            yield Problem(
                name,
                key,
                engine.fabric_iface,
                f"{seen}, which {provider} leaves unused: ofi+verbs;ofi_rxm and ucx+dc_x use it,"
                " where its switches are set up for it"
                + "; ofi+tcp is right on Omni-Path"
                * (not interface.rdma),
                severity="warning",
            )
        elif "cxi" in provider and interface.rdma:
            yield Problem(
                name,
                key,
                engine.fabric_iface,
                f"should be a port of Slingshot (hsn0) for {provider}; this one is of InfiniBand or"
                " RoCE, whose provider is ofi+verbs;ofi_rxm or ucx+dc_x",
            )
    yield from _shared_subnets(name, host)


_LOOKALIKES = str.maketrans("OolI", "0011")
"""Letters that are read as digits."""


@OfHost.rule
def agent_rules(of: OfHost) -> Iterator[Problem]:
    """Require that an agent hands out at least one interface, and only those of its host."""
    name, host = of.name, of.host
    agent = host.agent
    if agent.include_fabric_ifaces and agent.exclude_fabric_ifaces:
        yield Problem(
            name,
            "agent.exclude_fabric_ifaces",
            ", ".join(agent.exclude_fabric_ifaces),
            "should not be combined with include_fabric_ifaces: the agent uses only one of the two",
        )
    known = ", ".join(sorted(host.interfaces)) or "none"
    if "agent" in host.model_fields_set and agent.exclude_fabric_ifaces:
        left = [n for n in host.interfaces if n not in (*agent.exclude_fabric_ifaces, "lo")]
        if not left:
            yield Problem(
                name,
                "agent.exclude_fabric_ifaces",
                ", ".join(agent.exclude_fabric_ifaces),
                f"should leave an interface for the fabric; this host has {known}",
            )
    for iface in agent.exclude_fabric_ifaces:
        meant = iface.translate(_LOOKALIKES)
        if iface not in host.interfaces and meant in host.interfaces:
            yield Problem(
                name,
                "agent.exclude_fabric_ifaces",
                iface,
                f"should be an interface of this host (did you mean {meant}?), which clients still"
                " get",
                severity="warning",
            )
    # To exclude an absent interface does no harm, and one list may serve all hosts.
    absent = [iface for iface in agent.include_fabric_ifaces if iface not in host.interfaces]
    if absent:
        yield Problem(
            name,
            "agent.include_fabric_ifaces",
            ", ".join(absent),
            f"should be interfaces of this host: {known}",
        )


def _shared_subnets(name: str, host: Host) -> Iterator[Problem]:
    """Warn of several interfaces in one subnet: without sysctls they answer for one another."""
    by_network: dict[str, set[str]] = defaultdict(set)
    for engine in host.engines:
        interface = host.interfaces.get(engine.fabric_iface)
        if interface is not None and interface.network is not None:
            by_network[interface.network].add(engine.fabric_iface)
    for network, interfaces in by_network.items():
        known = {iface: host.setup.arp.get(iface) for iface in interfaces}
        wrong = [f"{i} has {arp.wrong}" for i, arp in sorted(known.items()) if arp and arp.wrong]
        if len(interfaces) > 1 and (wrong or not all(known.values())):
            # Source: Multi-rail/NIC setup in docs/admin/predeployment_check.md of DAOS.
            yield Problem(
                name,
                "interfaces",
                f"{', '.join(sorted(interfaces))} in {network}",
                "should each have their own subnet, or in net.ipv4.conf accept_local=1,"
                " arp_ignore=2 and rp_filter=2, as the role daos_host sets them"
                + (f": {'; '.join(wrong)}" if wrong else ""),
                severity="warning",
            )
