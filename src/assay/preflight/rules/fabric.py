"""The interfaces of engines and agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from assay.cluster.description import Host
from assay.problems import Problem


def fabric_rules(name: str, host: Host) -> Iterator[Problem]:
    """The interface of each engine is up, and has ports for all of its streams."""
    for number, engine in enumerate(host.engines):
        interface = host.interfaces.get(engine.fabric_iface)
        if interface is None:
            continue
        key = f"engines[{number}].fabric_iface"
        if not interface.up:
            yield Problem(name, key, engine.fabric_iface, "should be up; this interface is down")
    yield from _shared_ports(name, host)
    yield from _shared_subnets(name, host)


def agent_rules(name: str, host: Host) -> Iterator[Problem]:
    """An agent is told which interfaces to hand out, or which not to; and it has them."""
    agent = host.agent
    if agent.include_fabric_ifaces and agent.exclude_fabric_ifaces:
        yield Problem(
            name,
            "agent.exclude_fabric_ifaces",
            ", ".join(agent.exclude_fabric_ifaces),
            "should not be combined with include_fabric_ifaces: the agent uses only one of the two",
        )
    known = ", ".join(sorted(host.interfaces)) or "none"
    # To leave out what is not there harms nobody, and may be said for all hosts at once.
    absent = [iface for iface in agent.include_fabric_ifaces if iface not in host.interfaces]
    if absent:
        yield Problem(
            name,
            "agent.include_fabric_ifaces",
            ", ".join(absent),
            f"should be interfaces of this host: {known}",
        )


def _shared_ports(name: str, host: Host) -> Iterator[Problem]:
    """Each stream listens on a port of its own, from `fabric_iface_port` on.

    Source: `crt_get_info_string` in src/cart/crt_hg.c of DAOS 2.8.0.
    """
    by_interface: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, engine in enumerate(host.engines):
        by_interface[engine.fabric_iface].append((engine.fabric_iface_port, number))
    for interface, users in by_interface.items():
        users.sort()
        for (start, number), (other_start, other_number) in pairwise(users):
            end = start + host.engines[number].xstreams - 1
            if other_start <= end:
                yield Problem(
                    name,
                    f"engines[{other_number}].fabric_iface_port",
                    other_start,
                    f"should be above {end}: engines[{number}] has the ports {start} to {end}"
                    f" of {interface}",
                )


def _shared_subnets(name: str, host: Host) -> Iterator[Problem]:
    """Several interfaces in one subnet answer for one another, unless the kernel is told."""
    by_network: dict[str, set[str]] = defaultdict(set)
    for engine in host.engines:
        interface = host.interfaces.get(engine.fabric_iface)
        if interface is not None and interface.network is not None:
            by_network[interface.network].add(engine.fabric_iface)
    for network, interfaces in by_network.items():
        if len(interfaces) > 1:
            yield Problem(
                name,
                "interfaces",
                f"{', '.join(sorted(interfaces))} in {network}",
                "should have a subnet each, or accept_local, arp_ignore and rp_filter as the role"
                " daos_host sets them",
                severity="warning",
            )
