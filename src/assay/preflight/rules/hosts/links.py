"""The links of SSDs and network cards: their PCIe lanes, and the speed of their ports."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.ports import odd_ports, uneven_rails
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

    Nothing else reports a port that has fallen back to a lower speed.
    """
    for port in odd_ports(of.site, of.hosts):
        yield Problem(
            port.host,
            f"interfaces.{port.interface}.speed_gbits",
            port.speed_gbits,
            f"should be {port.usual_gbits:g} Gbit/s, as the other interfaces in {port.network}"
            " have. Check the cable, the transceiver and the switch port (ethtool"
            f" {port.interface}, ibstat)",
            severity="warning",
        )


@OfSite.rule
def rail_rules(of: OfSite) -> Iterator[Problem]:
    """Warn of a client whose processes get rails of several speeds, if none has fallen back."""
    fallen_back = {port.host for port in odd_ports(of.site, of.hosts)}
    for name, rails in uneven_rails(of.site, of.hosts):
        if name in fallen_back:
            continue
        slowest, *_ = rails
        yield Problem(
            name,
            "agent.exclude_fabric_ifaces",
            ", ".join(f"{rail} at {speed:g} Gbit/s" for rail, speed in rails.items()),
            f"should leave clients rails of one speed, so without {slowest}: the agent gives rails"
            " in turn, whatever their speed, and floors count each as the slowest. Exclude the"
            " slower, or go on if it is intended",
            severity="warning",
        )
