"""What DAOS's agents have to give to clients; `reframe-checks/attach.py` asks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.cluster.description import Cluster, Host


def expected(cluster: Cluster, hosts: Iterable[str]) -> list[str]:
    """What each host's agent may give: ``c1=ib0/0/ib1/1``, with the NUMA node of each interface.

    No name of an interface has a slash.

    An agent gives what `fabric_ifaces` fixes, what its configuration includes, or all but what it
    excludes.

    Args:
        cluster: the cluster.
        hosts: its clients; one without an interface that it could give is left out.
    """
    described = ((name, list(_interfaces(cluster.hosts[name]))) for name in hosts)
    return [f"{name}={'/'.join(interfaces)}" for name, interfaces in described if interfaces]


def _interfaces(host: Host) -> Iterator[str]:
    agent, nodes = host.agent, {name: each.numa_node for name, each in host.interfaces.items()}
    if fixed := agent.settings.get("fabric_ifaces"):
        given = {
            device["iface"]: entry.get("numa_node")
            for entry in fixed
            for device in entry.get("devices", ())
        }
    elif agent.include_fabric_ifaces:
        given = {name: nodes.get(name) for name in agent.include_fabric_ifaces}
    else:
        given = {n: node for n, node in nodes.items() if n not in agent.exclude_fabric_ifaces}
    yield from (f"{name}/{'' if node is None else node}" for name, node in given.items())
