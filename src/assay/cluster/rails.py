"""The rails of a client: the network interfaces that DAOS's agent gives to its processes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import cycle, islice

from assay.cluster.daos import Agent
from assay.cluster.description import Cluster, Host, Interface, Site
from assay.cluster.once import once


def rails(cluster: Cluster, client: str) -> tuple[str, ...]:
    """The interfaces among which the agent of a client chooses, in the order of their names.

    The agent gives an interface that is up, has an address, supports the provider, and is not
    excluded, or is in the list of those to include. It takes those of the process's own NUMA node
    in turn, and those of another node only if there is none. It compares the class of the servers'
    interfaces, which a description does not have: of interfaces in several networks, only those in
    a network of the servers count, if there are any.

    Without DAOS, it is the interface of the checks.

    Source: `NUMAFabric` in src/control/cmd/daos_agent/fabric.go of DAOS 2.8.
    """
    return _rails(cluster).get(client, ())


def turns(cluster: Cluster, client: str, processes: int) -> tuple[int, ...]:
    """The NUMA nodes on which processes of a client use all of its rails; empty: they do anywhere.

    The agent gives a process rails of the first NUMA node of those on which the process may run
    (`findNUMANodeWithCPUSet` in src/control/lib/hardware/hwloc/provider.go of DAOS 2.8). So a
    process that is bound to none uses no rail of any other node.
    """
    interfaces, places = cluster.hosts[client].interfaces, dict[int, int]()
    in_turn = []
    for rail in rails(cluster, client):
        node = interfaces[rail].numa_node if rail in interfaces else None
        if node is None:
            return ()
        places[node] = places.get(node, 0) + 1
        in_turn.append((places[node], node))
    if len(places) < 2:
        return ()
    nodes = [node for _, node in sorted(in_turn)]
    return tuple(sorted(islice(cycle(nodes), processes)))


@once
def most_rails(cluster: Cluster) -> int:
    """The number of rails of the client that has the most."""
    return max((len(rails(cluster, name)) for name in cluster.clients), default=1)


@once
def _rails(cluster: Cluster) -> dict[str, tuple[str, ...]]:
    networks = networks_of_servers(cluster, cluster.hosts)
    return {
        name: rails_by(cluster, host, host.agent, networks)
        for name in cluster.clients
        for host in [cluster.hosts[name]]
    }


def rails_by(site: Site, host: Host, agent: Agent, networks: frozenset[str]) -> tuple[str, ...]:
    """The rails of a client if its agent were configured so.

    Args:
        site: the settings of the cluster.
        host: the client.
        agent: the configuration.
        networks: those of the servers.
    """
    if site.daos is None:
        return (host.interface,)
    listed = agent.include_fabric_ifaces or tuple(_written(agent))
    allowed = {
        name: host.interfaces[name]
        for name in listed or host.interfaces
        if name in host.interfaces and name not in agent.exclude_fabric_ifaces
    }
    if listed:
        return tuple(sorted(allowed)) or (host.interface,)
    able = [
        name
        for name, interface in allowed.items()
        if (name == host.interface or is_physical(interface)) and is_able(interface, site.provider)
    ]
    near = [name for name in able if host.interfaces[name].network in networks]
    return tuple(sorted(near or able)) or (host.interface,)


def _written(agent: Agent) -> Iterator[str]:
    """The interfaces of `fabric_ifaces` in daos_agent.yml, which the agent takes as given."""
    groups = agent.settings.get("fabric_ifaces")
    for group in groups if isinstance(groups, list) else ():
        devices = group.get("devices") if isinstance(group, dict) else None
        for device in devices if isinstance(devices, list) else ():
            if isinstance(device, dict) and isinstance(device.get("iface"), str):
                yield device["iface"]


def is_physical(interface: Interface) -> bool:
    """Whether it is a port of a card; a bridge or a tunnel carries no rail of its own."""
    return interface.numa_node is not None or interface.speed_gbits is not None


def is_able(interface: Interface, provider: str) -> bool:
    """Whether an agent would give it to a client; what is unknown does not exclude it."""
    if not interface.up or interface.has_address is False:
        return False
    return interface.rdma is not False or not needs_rdma(provider)


def needs_rdma(provider: str) -> bool:
    """Whether a provider works on RDMA devices alone: verbs, and UCX's RC, UD and DC."""
    return "verbs" in provider or (provider.startswith("ucx+") and provider != "ucx+tcp")


_INFINIBAND = re.compile(r"ib([0-9]+|[ps][0-9]\w*|P[0-9]+s\w*)")
"""Names that the kernel and systemd give to interfaces of IPoIB: ib0, ibs1, ibp59s0, ibP1s3."""


def leaves_rdma(name: str, interface: Interface) -> bool:
    """Whether an interface has RDMA that TCP leaves unused; for Omni-Path it is the right one."""
    if interface == Interface():  # of which the name alone is known
        return _INFINIBAND.fullmatch(name) is not None
    return interface.rdma is True and not (interface.rdma_device or "").startswith("hfi1")


def device_class(provider: str) -> str:
    """The class of Linux in which a provider's domains are: net, infiniband or cxi.

    Source: the fabric scan of src/control/lib/hardware/sysfs/provider.go of DAOS.
    """
    if "cxi" in provider:
        return "cxi"
    return "net" if provider.endswith(("tcp", "sockets", "tcp;ofi_rxm")) else "infiniband"


def networks_of_servers(site: Site, hosts: Mapping[str, Host]) -> frozenset[str]:
    """The networks of the engines' interfaces."""
    return frozenset(
        interface.network
        for name in (site.daos.servers if site.daos else ())
        if name in hosts
        for engine in hosts[name].engines
        if (interface := hosts[name].interfaces.get(engine.fabric_iface)) is not None
        and interface.network is not None
    )
