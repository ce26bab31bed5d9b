"""The MTU along the fabric: equal on all interfaces of a network, and large where they are fast."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from assay.preflight.rules.context import OfSystem
from assay.problems import Problem


@OfSystem.rule
def mtu_rules(of: OfSystem) -> Iterator[Problem]:
    """Require one MTU of all interfaces in a network of engines: the one that most of them have.

    An interface with a larger MTU sends packets that others drop. DAOS then hangs at large
    transfers, but not at small ones.
    """
    system, hosts = of.system, of.hosts
    fabric = {
        interface.network
        for name in system.servers
        if name in hosts
        for engine in hosts[name].engines
        if (interface := hosts[name].interfaces.get(engine.fabric_iface)) is not None
    }
    by_network: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for name in dict.fromkeys((*system.servers, *system.agents)):
        for iface, interface in hosts[name].interfaces.items() if name in hosts else ():
            if interface.network in fabric and interface.network and interface.mtu:
                by_network[interface.network].append((name, iface, interface.mtu))
    for network, interfaces in by_network.items():
        counts = Counter(mtu for _, _, mtu in interfaces)
        usual = min(counts, key=lambda mtu: (-counts[mtu], -mtu))
        for name, iface, mtu in interfaces:
            if mtu != usual:
                yield Problem(
                    name,
                    f"interfaces.{iface}.mtu",
                    mtu,
                    f"should be {usual} bytes, as the other interfaces in {network} have",
                )


FAST_GBITS, SMALL_MTU = 100, 1500
"""Own choice: DAOS's docs/admin/fabrics.md asks for "the largest supported value, typically 9000"
on native Ethernet; at 25 Gbit/s the small one is rarely what limits."""


@OfSystem.rule
def small_mtu_rules(of: OfSystem) -> Iterator[Problem]:
    """Warn of Ethernet's default MTU on fast interfaces of engines."""
    for name, host in of.servers:
        for iface in dict.fromkeys(engine.fabric_iface for engine in host.engines):
            interface = host.interfaces.get(iface)
            if interface is None or interface.mtu is None or interface.speed_gbits is None:
                continue
            if interface.mtu <= SMALL_MTU and interface.speed_gbits >= FAST_GBITS:
                yield Problem(
                    name,
                    f"interfaces.{iface}.mtu",
                    interface.mtu,
                    f"should be 9000 at {interface.speed_gbits:g} Gbit/s, here, on the clients and"
                    " on the switches: each packet costs the CPU time (docs/admin/fabrics.md)",
                    severity="warning",
                )
