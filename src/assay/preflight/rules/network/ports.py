"""The TCP ports of `daos_server`, of metrics and of engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

from assay.cluster.description import Host, Site
from assay.preflight.rules.context import OfHost, OfSystem
from assay.problems import Problem

LAST_PORT = 65535
_WITHOUT_PORTS = ("ofi+cxi", "ofi+opx")
"""Providers that do not use TCP ports."""

SERVER = "daos_server (daos_port)"
SERVER_METRICS = "the server's metrics (daos_server_telemetry_port)"
CLIENT_METRICS = "the clients' metrics (daos_agent_telemetry_port)"
_KEYS = {
    SERVER: "daos.port",
    SERVER_METRICS: "server.telemetry_port",
    CLIENT_METRICS: "agent.telemetry_port",
}

FIRST_FREE = 1024
"""The first port at which other users than root may listen (ip(7))."""

EPHEMERAL = (32768, 60999)
"""The kernel's default range for outgoing connections (ip(7), ip_local_port_range)."""


def services_of(site: Site, name: str) -> dict[int, str]:
    """The ports of other services that a host surely has: Ansible's ssh, and the roles' Slurm."""
    services = {22: "sshd"}
    if site.slurm is None:
        if name == site.controller:
            services[6817] = "slurmctld"
        if name in site.clients or (name in site.servers and site.servers_scheduler == "slurm"):
            services[6818] = "slurmd"
    return services


@OfHost.rule
def telemetry_rules(of: OfHost) -> Iterator[Problem]:
    """Require a valid port for telemetry; DAOS starts with any number."""
    name, host = of.name, of.host
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


@OfSystem.rule
def port_rules(of: OfSystem) -> Iterator[Problem]:
    """Require ports for `daos_server`, metrics and engines that are valid and free."""
    for name, host in of.servers:
        yield from _ports(name, host, of.provider, of.system.port, services_of(of.site, name))


def _ports(
    name: str, host: Host, provider: str, server_port: int, others: Mapping[int, str]
) -> Iterator[Problem]:
    """The ports of one server.

    Args:
        name: the host's name.
        host: the host.
        provider: the provider of the system.
        server_port: the port of `daos_server`.
        others: ports of other services of the host.
    """
    services = dict(others)
    for port, whose in (
        (server_port, SERVER),
        (host.server.telemetry_port, SERVER_METRICS),
        (host.agent.telemetry_port, CLIENT_METRICS),
    ):
        if port is not None and services.setdefault(port, whose) != whose:
            allowed = f"should be a port of its own: {services[port]} has this one"
            yield Problem(name, _KEYS[whose], port, allowed)
        elif port is not None:
            yield from _doubtful(name, _KEYS[whose], host, port, port)
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
        else:
            yield from _doubtful(name, key, host, first, last)
    yield from _shared_ports(name, host)


def _doubtful(name: str, key: str, host: Host, first: int, last: int) -> Iterator[Problem]:
    """Report ports for which only root may listen, and ports that the kernel gives to others."""
    if first < FIRST_FREE:
        yield Problem(
            name,
            key,
            first,
            f"should be at least {FIRST_FREE}: only root may listen below, and services of the"
            " system are there",
            severity="error" if host.setup.needs_helper else "warning",
        )
    elif first <= EPHEMERAL[1] and last >= EPHEMERAL[0]:
        yield Problem(
            name,
            key,
            first,
            f"should be outside of {EPHEMERAL[0]} to {EPHEMERAL[1]}, which the kernel gives to"
            " connections (net.ipv4.ip_local_port_range): one may have the port when DAOS starts",
            severity="warning",
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
