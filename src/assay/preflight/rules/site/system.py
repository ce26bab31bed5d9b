"""The DAOS system as a whole: its members, its management, and the settings of all engines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from assay.cluster.daos import System
from assay.cluster.description import Host
from assay.cluster.releases import (
    PROVIDERS,
    UNUSABLE_PROVIDERS,
    Version,
    is_preview,
    since,
    until,
)
from assay.preflight.rules.context import OfSystem
from assay.preflight.rules.site.fault_domains import replica_domains
from assay.problems import Problem

_UCX = re.compile(r"ucx\+(tcp|(rc|ud|dc)(_[a-z0-9]+)?)(,(rc|ud|dc)(_[a-z0-9]+)?)*")


@OfSystem.rule
def member_rules(of: OfSystem) -> Iterator[Problem]:
    """Require a description of every host of the system."""
    system, described = of.system, of.described
    known = ", ".join(sorted(described)) or "none"
    for key, members in (("servers", system.servers), ("agents", system.agents)):
        for name in members:
            if name not in described:
                yield Problem(
                    name, f"daos.{key}", name, f"should be one of the hosts described: {known}"
                )
    if system.admin not in described:
        yield Problem(
            None, "daos.admin", system.admin, f"should be one of the hosts described: {known}"
        )


@OfSystem.rule
def system_rules(of: OfSystem) -> Iterator[Problem]:
    """Require engines on servers only, all alike, and an odd number of management replicas."""
    system, provider, hosts = of.system, of.provider, of.hosts
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    yield from _provider(provider, system.version)
    yield from _providers(provider, servers)
    yield from _perf_pool(system)
    yield from _replicas(system, hosts)
    yield from _replica_ports(system)
    yield from _engines(servers, hosts)
    for key in ("targets", "nr_xs_helpers"):
        yield from _alike(servers, key)
    yield from _release(system, servers)


def _providers(provider: str, servers: Mapping[str, Host]) -> Iterator[Problem]:
    """Require the system's provider of every engine; DAOS ignores an engine's own."""
    for name, host in servers.items():
        for number, engine in enumerate(host.engines):
            if engine.provider is not None and engine.provider != provider:
                yield Problem(
                    name,
                    f"engines[{number}].provider",
                    engine.provider,
                    f"should be {provider}, as for the whole system (daos_provider), or left out:"
                    " DAOS ignores an engine's own",
                )


def _provider(provider: str, version: Version) -> Iterator[Problem]:
    """Require a provider that DAOS knows; 2.4 accepts several, with commas, later releases one."""
    if version in until("2.4") and "," in provider:
        for each in provider.split(","):
            yield from _provider(each.strip(), version)
        return
    known = PROVIDERS[version]
    of_ucx = version in since("2.6") and _UCX.fullmatch(provider)
    if provider not in known and not of_ucx:
        choices = f"should be {', '.join(known)}, or another provider of UCX"
        why = UNUSABLE_PROVIDERS.get(provider.partition(";")[0])
        yield Problem(None, "provider", provider, f"should be another: {why}" if why else choices)


def _perf_pool(system: System) -> Iterator[Problem]:
    if system.perf_pool is not None and system.perf_pool == system.pool:
        yield Problem(
            None,
            "daos.perf_pool",
            system.perf_pool,
            "should be another pool than daos.pool: daos_perf needs one to which nothing else"
            " is connected",
        )


def _engines(servers: Mapping[str, Host], hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Require engines on each server, and on no other host."""
    for name, host in hosts.items():
        if name in servers and not host.engines:
            yield Problem(
                name,
                "engines",
                None,
                "should have at least one engine, as every server of DAOS; or remove the host from"
                " the group daos_server",
            )
        elif name not in servers and host.engines:
            yield Problem(
                name,
                "engines",
                len(host.engines),
                "should be on a server of DAOS, and this host is not in the group daos_server",
            )


def _release(system: System, servers: Mapping[str, Host]) -> Iterator[Problem]:
    engines = [engine for host in servers.values() for engine in host.engines]
    if system.version in until("2.4") and any(engine.has_md_on_ssd for engine in engines):
        yield Problem(
            None,
            "daos.version",
            system.version,
            "should be 2.6 or later: metadata on SSDs is only a preview before",
            severity="warning",
        )
    if is_preview(system.version):
        yield Problem(
            None,
            "daos.version",
            system.version,
            "should be a release: upstream may still change the keys and defaults of this preview",
            severity="warning",
        )


def _replicas(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Require an odd number of servers, each once, as replicas of the management service."""
    key = "daos.mgmt_svc_replicas"
    servers = _servers_of(system, hosts)
    # The replica may be the address of an invalid host, which is unknown.
    if all(name in hosts for name in system.servers):
        for replica, server in zip(system.mgmt_svc_replicas, servers, strict=True):
            # An inventory whose hosts have such addresses themselves is a trial on one machine.
            named = server not in hosts or str(hosts[server].address) not in replica
            if named and _is_loopback(replica):
                if {*system.servers, *system.agents} != {server}:
                    yield Problem(
                        None,
                        key,
                        replica,
                        "should be a name or an address that other hosts reach: each takes this one"
                        " for itself",
                    )
            elif server not in system.servers:
                yield Problem(
                    None,
                    key,
                    replica,
                    f"should be a server of the system: {', '.join(system.servers)}",
                )
    yield from replica_domains(system, servers, hosts)
    twice = [server for server, times in Counter(servers).items() if times > 1]
    if twice:
        yield Problem(None, key, ", ".join(sorted(twice)), "should be listed once")
    elif len(servers) % 2 == 0:
        yield Problem(
            None,
            key,
            ", ".join(system.mgmt_svc_replicas) or "none",
            "should be an odd number of servers, such as 1, 3 or 5, so that there is a majority",
        )


def _servers_of(system: System, hosts: Mapping[str, Host]) -> list[str]:
    """The server of each replica, found by name or by address; if unknown, the replica itself."""
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    names = {
        known: name
        for name, host in servers.items()
        for known in (
            str(host.address),
            *host.names,
            *(i.address for n, i in host.interfaces.items() if i.address and n != "lo"),
        )
    } | {name: name for name in system.servers}
    for host in hosts.values():
        for other, addresses in host.setup.resolved.items():
            owners = {names[address] for address in addresses if address in names}
            if len(owners) == 1:
                names.setdefault(other, *owners)
    if len(system.servers) == 1:
        names |= dict.fromkeys(_LOOPBACK, system.servers[0])
    return [
        names.get(part)
        or names.get(part.partition(".")[0])
        or _by_interface(part, names)
        or replica
        for replica in system.mgmt_svc_replicas
        for part in (address_and_port(replica)[0],)
    ]


_LOOPBACK = ("localhost", "localhost.localdomain", "127.0.0.1", "::1")


def _is_loopback(replica: str) -> bool:
    return address_and_port(replica)[0] in _LOOPBACK


def _by_interface(name: str, names: Mapping[str, str]) -> str | None:
    """The server of a name such as srv05-ib0: that of one of its interfaces, or of management."""
    starts = (name[:end] for end in range(len(name), 0, -1) if name[end : end + 1] in ("-", "_"))
    return next((names[start] for start in starts if start in names), None)


def address_and_port(replica: str) -> tuple[str, str | None]:
    """Split a replica into address and port, if it has one; more than one colon is IPv6."""
    if replica.startswith("["):
        address, _, port = replica[1:].partition("]")
        return address, port.removeprefix(":") or None
    if replica.count(":") == 1:
        address, _, port = replica.partition(":")
        return address, port
    return replica, None


def _replica_ports(system: System) -> Iterator[Problem]:
    """Require the port of replicas on which every server listens."""
    for replica in system.mgmt_svc_replicas:
        port = address_and_port(replica)[1]
        if port is not None and port != str(system.port):
            yield Problem(
                None,
                "daos.mgmt_svc_replicas",
                replica,
                f"should have the port {system.port}, at which every server listens (daos_port), or"
                " none",
            )


def _alike(servers: Mapping[str, Host], key: str) -> Iterator[Problem]:
    """Require one value of all engines of a host, that of its first; DAOS lets hosts differ."""
    for name, host in servers.items():
        for number, engine in enumerate(host.engines):
            value, usual = getattr(engine, key), getattr(host.engines[0], key)
            if value != usual:
                yield Problem(
                    name,
                    f"engines[{number}].{key}",
                    value,
                    f"should be {usual}, as engines[0] has: DAOS requires all engines of a host to"
                    " be alike",
                )
