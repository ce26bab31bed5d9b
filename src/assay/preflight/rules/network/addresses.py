"""The addresses of hosts, and of the interfaces of engines: each once, and reachable by peers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_network

from assay.cluster.daos import System
from assay.cluster.description import Host
from assay.preflight.rules.context import OfSystem
from assay.problems import Problem


@OfSystem.rule
def address_rules(of: OfSystem) -> Iterator[Problem]:
    """Require different addresses that other hosts can reach."""
    system, provider, hosts = of.system, of.provider, of.hosts
    owners: dict[str, str] = {}
    for name, host in hosts.items():
        address = str(host.address)
        if allowed := _no_address_of_a_host(host):
            yield Problem(name, "address", address, allowed)
        elif not host.address.is_loopback and owners.setdefault(address, name) != name:
            yield Problem(
                name,
                "address",
                address,
                f"should be an address of its own: {owners[address]} has this one",
            )
    yield from _on_the_fabric(system, hosts)
    yield from _loopback(system, provider, hosts)


def _no_address_of_a_host(host: Host) -> str | None:
    """The allowed addresses if no host can have this one, otherwise None."""
    address = host.address
    if address.is_unspecified or address.is_multicast:
        return "should be an address of this host, and not one that stands for many (daos_server)"
    if address.version == 6 and address.is_link_local:
        return "should be an address that needs no interface's name beside it (fe80::1%ib0)"
    for network in {i.network for i in host.interfaces.values() if i.network is not None}:
        if address in _ends(network):
            return f"should be an address of a host: this one is of the whole network {network}"
    return None


def _ends(network: str) -> tuple[object, ...]:
    """The addresses of a whole network and of all its hosts, if it has more than two hosts."""
    try:
        parsed = ip_network(network, strict=False)
    except ValueError:
        return ()
    is_wide = parsed.prefixlen < parsed.max_prefixlen - 1
    return (parsed.network_address, parsed.broadcast_address) if is_wide else ()


def _on_the_fabric(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Require that no two servers have one address on the fabric, where engines listen."""
    owners: dict[str, str] = {}
    for name in system.servers if len(system.servers) > 1 else ():
        host = hosts.get(name)
        for iface in dict.fromkeys(e.fabric_iface for e in host.engines) if host else ():
            interface = host.interfaces.get(iface) if host else None
            address = None if interface is None else interface.address
            if address is None or address.startswith("127."):
                continue
            if owners.setdefault(address, name) != name:
                yield Problem(
                    name,
                    f"interfaces.{iface}.address",
                    address,
                    f"should be an address of its own: {owners[address]} has this one, and other"
                    " engines would reach only one of them",
                )


def _loopback(system: System, provider: str, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Refuse loopback for a server that other hosts have to reach."""
    members = dict.fromkeys((*system.servers, *system.agents))
    for name in system.servers:
        host = hosts.get(name)
        peers = [n for n in members if n != name and n in hosts]
        peers = [n for n in peers if not hosts[n].address.is_loopback]
        if host is None or not peers:
            continue
        if host.address.is_loopback:
            yield Problem(
                name,
                "address",
                str(host.address),
                f"should be an address that {peers[0]} can reach, and not of loopback",
            )
        for number, engine in enumerate(host.engines if "verbs" not in provider else ()):
            if engine.fabric_iface == "lo":
                yield Problem(
                    name,
                    f"engines[{number}].fabric_iface",
                    "lo",
                    f"should be an interface at which {peers[0]} can reach the engine",
                )
