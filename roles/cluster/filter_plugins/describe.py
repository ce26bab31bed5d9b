"""Put what Ansible knows into the words of cluster.json."""

from __future__ import annotations

from typing import Any

VIRTUAL = {None, "bridge", "bonding", "tun", "veth", "virtio_net"}
"""Drivers of interfaces whose speed is no line rate."""


def describe_host(facts: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """One host of cluster.json, from its facts and from what the inventory tells of it.

    Args:
        facts: Ansible's facts of the host.
        told: `address`, and the keys of the host that facts do not have.
    """
    interfaces = {
        name: facts[name.replace("-", "_")]
        for name in sorted(facts["interfaces"])
        if name.replace("-", "_") in facts
    }
    return {
        **told,
        "cores": facts["processor_cores"] * facts["processor_count"],
        "memory": {"total_mib": facts["memtotal_mb"]},
        "interface": _carrier(told["address"], interfaces),
        "interfaces": {
            name: {"speed_gbits": _speed_gbits(interface)} for name, interface in interfaces.items()
        },
    }


def _carrier(address: str, interfaces: dict[str, dict[str, Any]]) -> str:
    """The interface that has an address; the address itself, for `assay check` to refuse."""
    for name, interface in interfaces.items():
        ipv4 = [interface.get("ipv4", {}), *interface.get("ipv4_secondaries", [])]
        if address in {entry.get("address") for entry in [*ipv4, *interface.get("ipv6", [])]}:
            return name
    return address


def _speed_gbits(interface: dict[str, Any]) -> float | None:
    speed_mbits = interface.get("speed", -1)
    if interface.get("module") in VIRTUAL or speed_mbits <= 0:
        return None
    return float(speed_mbits) / 1000


class FilterModule:
    """The filters of this role."""

    def filters(self) -> dict[str, Any]:
        """Their names in templates."""
        return {"cluster_describe_host": describe_host}
