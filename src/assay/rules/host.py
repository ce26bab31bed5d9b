"""What a host needs besides its engines."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster import Host
from assay.findings import Finding
from assay.hardware import ssds


def host_rules(name: str, host: Host) -> Iterator[Finding]:
    """The interface of the checks is there, and named SSDs have a datasheet."""
    known = ", ".join(sorted(host.interfaces)) or "none"
    if host.interface not in host.interfaces:
        yield Finding(name, "interface", host.interface, f"an interface of this host: {known}")
    if host.scratch is not None and host.scratch.ssd not in {None, *ssds()}:
        yield Finding(
            name, "scratch.ssd", host.scratch.ssd, f"a name in hardware.yml: {', '.join(ssds())}"
        )
