"""The interfaces of engines and agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from assay.cluster.description import Host
from assay.problems import Problem


def fabric_rules(name: str, host: Host, provider: str, port: int) -> Iterator[Problem]:
    """Require for each engine an interface that is up and fits the provider, and free ports.

    Args:
        name: the host's name.
        host: the host.
        provider: the provider of the system.
        port: the port of `daos_server`.
    """
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
        elif "verbs" in provider and (interface.rdma is False or engine.fabric_iface == "lo"):
            able = ", ".join(n for n, other in host.interfaces.items() if other.rdma) or "none"
            yield Problem(
                name,
                key,
                engine.fabric_iface,
                f"should have an RDMA device for {provider}; on this host, these have one: {able}."
                " Without any, the provider is ofi+tcp",
            )
    yield from _ports(name, host, provider, port)
    yield from _shared_ports(name, host)
    yield from _shared_subnets(name, host)


def agent_rules(name: str, host: Host) -> Iterator[Problem]:
    """Require that an agent hands out at least one interface, and only those of its host."""
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
    # To exclude an absent interface does no harm, and one list may serve all hosts.
    absent = [iface for iface in agent.include_fabric_ifaces if iface not in host.interfaces]
    if absent:
        yield Problem(
            name,
            "agent.include_fabric_ifaces",
            ", ".join(absent),
            f"should be interfaces of this host: {known}",
        )


def telemetry_rules(name: str, host: Host) -> Iterator[Problem]:
    """Require a valid port for telemetry; DAOS starts with any number."""
    for key, port in (
        ("server", host.server.telemetry_port),
        ("agent", host.agent.telemetry_port),
    ):
        if port is not None and port > LAST_PORT:
            yield Problem(
                name,
                f"{key}.telemetry_port",
                port,
                f"should be at most {LAST_PORT}: DAOS accepts it and starts, but serves no metrics",
            )


LAST_PORT = 65535
_WITHOUT_PORTS = ("ofi+cxi", "ofi+opx")
"""Providers that do not use TCP ports."""


def _ports(name: str, host: Host, provider: str, server_port: int) -> Iterator[Problem]:
    """Require a port for each engine; its range must be valid and free of other services."""
    services = {server_port: "daos_server (daos_port)"}
    for port, whose in (
        (host.server.telemetry_port, "the server's metrics (daos_server_telemetry_port)"),
        (host.agent.telemetry_port, "the clients' metrics (daos_agent_telemetry_port)"),
    ):
        if port is not None and services.setdefault(port, whose) != whose:
            key = "agent" if whose.startswith("the clients") else "server"
            allowed = f"should be a port of its own: {services[port]} has this one"
            yield Problem(name, f"{key}.telemetry_port", port, allowed)
    for number, engine in enumerate(host.engines):
        key = f"engines[{number}].fabric_iface_port"
        first, last = engine.fabric_iface_port, engine.fabric_iface_port + engine.xstreams - 1
        taken = [port for port in services if first <= port <= last]
        if "fabric_iface_port" not in engine.model_fields_set:
            yield Problem(
                name, key, None, "is missing: set it, since DAOS has no default; 31316 is usual"
            )
        elif provider in _WITHOUT_PORTS:
            continue
        elif last > LAST_PORT:
            yield Problem(
                name,
                key,
                first,
                f"should be at most {LAST_PORT - engine.xstreams + 1}: each of the engine's"
                f" {engine.xstreams} execution streams has a port from there on",
            )
        elif taken:
            yield Problem(
                name,
                key,
                first,
                f"should leave {taken[0]} to {services[taken[0]]}: the engine has the ports"
                f" {first} to {last}",
            )


def _shared_ports(name: str, host: Host) -> Iterator[Problem]:
    """Require that the port ranges of engines on one interface do not overlap.

    Each stream listens on a port of its own, from `fabric_iface_port` on.

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
    """Warn of several interfaces in one subnet: without sysctls they answer for one another."""
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
                "should each have their own subnet, or accept_local, arp_ignore and rp_filter as"
                " the role daos_host sets them",
                severity="warning",
            )
