"""Ports whose speed differs from the others in their network: some have fallen back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.cluster.description import Host, Site


class OddPort(NamedTuple):
    """A port, its speed, and that of most others; in Gbit/s."""

    host: str
    interface: str
    network: str
    speed_gbits: float
    usual_gbits: float


def odd_ports(site: Site, hosts: Mapping[str, Host]) -> Iterator[OddPort]:
    """The ports of engines or checks with another speed than most in the same network.

    Servers and clients are compared separately, since sites give them different cards.
    """
    for members in (site.servers, site.clients):
        by_network: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
        for name in members:
            host = hosts.get(name)
            used = {e.fabric_iface for e in host.engines} | {host.interface} if host else set()
            for iface, interface in host.interfaces.items() if host else ():
                if iface in used and interface.network and interface.speed_gbits:
                    by_network[interface.network].append((name, iface, interface.speed_gbits))
        for network, ports in by_network.items():
            counts = Counter(speed for _, _, speed in ports)
            usual = max(counts, key=lambda speed: (counts[speed], speed))
            for name, iface, speed in ports:
                if speed != usual:
                    yield OddPort(name, iface, network, speed, usual)
