"""The ports at which the hosts of a cluster reach each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.cluster.daos import SYSTEM_TAGS

SLURMCTLD, SLURMD = 6817, 6818
"""Slurm's own defaults, which the role slurm keeps."""

EPHEMERAL = 0
"""Any port: the kernel chooses one, as for srun."""

MOST_STREAMS = 1024
"""Maximum number of streams of an engine; more is a mistake, which is refused elsewhere."""


def services(
    inventory: Mapping[str, Any],
    groups: list[str],
    facts: Mapping[str, Any],
    of: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """The services of a host: what listens at which ports, and the groups that connect to it.

    The agent of DAOS has a socket of Unix, and a client reaches nobody else's.

    Args:
        inventory: what the inventory says of the host: `engines`, `server`; not yet validated.
        groups: the groups of the host.
        facts: Ansible's facts of the host.
        of: the cluster's `provider`, DAOS's `port`, and the host's `slurm_address`.
    """
    found: list[dict[str, Any]] = []

    def add(service: str, address: Any, ports: list[Any], peers: list[str]) -> None:
        known = [port for port in ports if isinstance(port, int) and 0 <= port <= 65535]
        if isinstance(address, str) and address and known:
            found.append({"service": service, "address": address, "ports": known, "peers": peers})

    if "slurm" in groups:
        address = of["slurm_address"]
        if "controller" in groups:
            add("slurmctld", address, [SLURMCTLD], ["slurm"])
        add("slurmd", address, [SLURMD], ["slurm"])
        add("srun", address, [EPHEMERAL], ["slurm"])
    if "daos_server" in groups:
        server = inventory.get("server") or {}
        settings = server.get("settings")
        control = settings.get("control_iface") if isinstance(settings, dict) else None
        interface = control or facts.get("default_ipv4", {}).get("interface")
        address = _address(facts, interface)
        add("daos_server", address, [_number(of["port"])], ["daos_server", *CLIENTS])
        add("telemetry", address, [_number(server.get("telemetry_port"))], READERS)
        # Other providers' ports are not the kernel's.
        for number, engine in enumerate(_engines(inventory) if "tcp" in of["provider"] else ()):
            ports = _ports(engine)
            add(
                f"engine{number}",
                _address(facts, engine.get("fabric_iface")),
                ports,
                ["daos_server", *CLIENTS],
            )
    return found


CLIENTS = ["daos_agent", "daos_admin"]
READERS = ["controller", "clients"]
"""Job scripts read the engines' metrics on the first of their hosts."""


def _engines(inventory: Mapping[str, Any]) -> list[dict[str, Any]]:
    engines = inventory.get("engines")
    listed = engines if isinstance(engines, list) else []
    return [engine for engine in listed if isinstance(engine, dict)]


def _ports(engine: dict[str, Any]) -> list[Any]:
    match engine:
        case {"fabric_iface_port": int(first), "targets": int(targets)}:
            helpers = engine.get("nr_xs_helpers", 0)
            streams = targets + (helpers if isinstance(helpers, int) else 0) + len(SYSTEM_TAGS)
            return [first + number for number in range(min(max(streams, 0), MOST_STREAMS))]
    return []


def _number(value: Any) -> int | None:
    """A port as the inventory may spell it; none otherwise, which is refused elsewhere."""
    return int(value) if str(value).isdecimal() else None


def _address(facts: Mapping[str, Any], interface: Any) -> str | None:
    """The IPv4 address of an interface, by Ansible's facts."""
    known = facts.get(str(interface).replace("-", "_"), {}).get("ipv4", {}).get("address")
    return str(known) if known else None


def listened(hostvars: Mapping[str, Mapping[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """The services of all hosts on which `cluster_ports` listens."""
    return [
        {**service, "host": name}
        for name in names
        for service in hostvars[name].get("__cluster_listening", {}).get("services", ())
    ]


class FilterModule:
    """The filters of this role."""

    def filters(self) -> dict[str, Any]:
        """Their names in templates."""
        return {"cluster_services": services, "cluster_listened": listened}
