"""Fault domains: the places of servers, which `fault_path` reports to DAOS."""

from __future__ import annotations

from collections.abc import Mapping

from assay.cluster.description import Host


def levels(name: str, host: Host) -> tuple[str, ...] | None:
    """A server's place, from the outermost level; None if a program of the site reports it."""
    if host.server.settings.get("fault_cb"):
        return None
    path = str(host.server.settings.get("fault_path") or f"/{name}")
    return tuple(level.strip().lower() for level in path.strip().split("/")[1:])


def domains(servers: Mapping[str, Host]) -> int:
    """Number of fault domains: servers at one place are lost together."""
    return len({levels(name, host) or name for name, host in servers.items()})
