"""What a host needs besides its engines."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster import Host
from assay.findings import Finding


def host_rules(name: str, host: Host) -> Iterator[Finding]:
    """The interface of the checks is there."""
    known = ", ".join(sorted(host.interfaces)) or "none"
    if host.interface not in host.interfaces:
        yield Finding(name, "interface", host.interface, f"an interface of this host: {known}")
