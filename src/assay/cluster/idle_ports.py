"""Ports that are faster than the one an engine uses, and that no engine uses.

The bounds of an engine are those of its port, so a slower one lowers them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.cluster.description import Host, Site
from assay.cluster.rails import is_able


class IdlePort(NamedTuple):
    """A port that is used, and a faster one that is not; in Gbit/s."""

    host: str
    key: str
    """Where the used one is described."""
    used: str
    used_gbits: float
    idle: str
    idle_gbits: float

    @property
    def why(self) -> str:
        """Which port is faster."""
        return (
            f"it has {self.used_gbits:g} Gbit/s, and {self.idle} with {self.idle_gbits:g} Gbit/s is"
            " up and unused"
        )


def idle_ports(site: Site, hosts: Mapping[str, Host]) -> Iterator[IdlePort]:
    """The ports of engines, or without DAOS of the checks, beside which faster ones lie idle."""
    for name, host in hosts.items():
        ports = {f"engines[{n}].fabric_iface": e.fabric_iface for n, e in enumerate(host.engines)}
        if not ports and site.daos is None and name in (*site.clients, *site.servers):
            ports = {"interface": host.interface}
        idle = [
            (interface.speed_gbits, iface)
            for iface, interface in host.interfaces.items()
            if iface not in ports.values()
            and interface.speed_gbits
            and is_able(interface, site.provider)
        ]
        if not idle:
            continue
        fastest, unused = max(idle)
        for key, iface in ports.items():
            speed = host.interfaces[iface].speed_gbits if iface in host.interfaces else None
            if speed and speed < fastest:
                yield IdlePort(name, key, iface, speed, unused, fastest)
