"""The MTU along the fabric: equal on all interfaces of a network."""

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
        usual = min(counts, key=lambda mtu: (-counts[mtu], mtu))
        for name, iface, mtu in interfaces:
            if mtu != usual:
                yield Problem(
                    name,
                    f"interfaces.{iface}.mtu",
                    mtu,
                    f"should be {usual} bytes, as the other interfaces in {network} have",
                )
