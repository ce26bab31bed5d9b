"""The links of SSDs and network cards: their PCIe lanes, and the speed of their ports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from assay.cluster.setup import PcieLink, Slot
from assay.preflight.rules.context import OfHost, OfSite
from assay.problems import Problem


@OfHost.rule
def pcie_rules(of: OfHost) -> Iterator[Problem]:
    """Warn of a card with fewer or slower PCIe lanes than it supports."""
    name, host = of.name, of.host
    used = {device.lower() for device in host.engine_devices}
    for address, slot in host.setup.pcie.items():
        is_ssd = address in host.nvme
        if is_ssd and used and address not in used:
            continue
        if slot.now.gts < slot.card.gts or slot.now.lanes < slot.card.lanes:
            yield Problem(
                name,
                f"setup.pcie.{address}",
                f"{'SSD' if is_ssd else 'network card'} at {slot.now}",
                f"should be at {slot.card}, which the card supports: {_reason(slot)}",
                severity="warning",
            )


def _reason(slot: Slot) -> str:
    limit: PcieLink | None = slot.slot
    if limit and (limit.gts < slot.card.gts or limit.lanes < slot.card.lanes):
        return f"its slot supports {limit}. Move it to another slot, or check riser and bifurcation"
    return "its slot supports it, too. Reseat the card, and look for link errors (lspci -vv, dmesg)"


@OfSite.rule
def speed_rules(of: OfSite) -> Iterator[Problem]:
    """Warn of interfaces whose speed differs from the others in a network of engines or checks.

    Nothing else reports a port that has fallen back to a lower speed. Servers and clients are
    compared separately, since sites give them different cards.
    """
    site, hosts = of.site, of.hosts
    for members in (site.servers, site.clients):
        by_network: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
        for name in members:
            host = hosts.get(name)
            used = {e.fabric_iface for e in host.engines} | {host.interface} if host else set()
            for iface, interface in host.interfaces.items() if host else ():
                if iface in used and interface.network and interface.speed_gbits:
                    by_network[interface.network].append((name, iface, interface.speed_gbits))
        for network, interfaces in by_network.items():
            counts = Counter(speed for _, _, speed in interfaces)
            usual = max(counts, key=lambda speed: (counts[speed], speed))
            for name, iface, speed in interfaces:
                if speed != usual:
                    yield Problem(
                        name,
                        f"interfaces.{iface}.speed_gbits",
                        speed,
                        f"should be {usual:g} Gbit/s, as the other interfaces in {network} have."
                        " Check the cable, the transceiver and the switch port (ethtool"
                        f" {iface}, ibstat)",
                        severity="warning",
                    )
