"""Ports whose speed differs from the others in their network, and rails of several speeds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.cluster.description import Host, Site
from assay.cluster.rails import networks_of_servers, rails_by


class OddPort(NamedTuple):
    """A port, its speed, and that of most others; in Gbit/s."""

    host: str
    interface: str
    network: str
    speed_gbits: float
    usual_gbits: float


def odd_ports(site: Site, hosts: Mapping[str, Host]) -> Iterator[OddPort]:
    """The ports of engines, clients' rails or checks with another speed than most in their network.

    Servers and clients are compared separately, since sites give them different cards.
    """
    networks = networks_of_servers(site, hosts)
    for members in (site.servers, site.clients):
        by_network: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
        for name in members:
            host = hosts.get(name)
            if host is None:
                continue
            used = {e.fabric_iface for e in host.engines} | {host.interface}
            if name in site.clients:
                used.update(rails_by(site, host, host.agent, networks))
            for iface, interface in host.interfaces.items():
                if iface in used and interface.network and interface.speed_gbits:
                    by_network[interface.network].append((name, iface, interface.speed_gbits))
        for network, ports in by_network.items():
            counts = Counter(speed for _, _, speed in ports)
            usual = max(counts, key=lambda speed: (counts[speed], speed))
            for name, iface, speed in ports:
                if speed != usual:
                    yield OddPort(name, iface, network, speed, usual)


class UnevenRails(NamedTuple):
    """A client whose rails have several speeds, in Gbit/s."""

    client: str
    rails: Mapping[str, float]
    """Each rail, the slowest first."""


def uneven_rails(site: Site, hosts: Mapping[str, Host]) -> Iterator[UnevenRails]:
    """The clients whose agent gives processes rails of several speeds."""
    networks = networks_of_servers(site, hosts)
    for name in site.clients:
        if (host := hosts.get(name)) is None:
            continue
        faces = host.interfaces
        speeds = {
            rail: faces[rail].speed_gbits or 0.0
            for rail in rails_by(site, host, host.agent, networks)
            if rail in faces
        }
        if all(speeds.values()) and len(set(speeds.values())) > 1:
            yield UnevenRails(name, dict(sorted(speeds.items(), key=lambda pair: pair[1])))
