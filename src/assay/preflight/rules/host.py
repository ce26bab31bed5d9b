"""What a host needs besides its engines."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.problems import Problem
from assay.subject import HOST


def host_rules(name: str, host: Host) -> Iterator[Problem]:
    """Its name can be part of a metric's, such as ``n1>n2``, and the interface is there."""
    if not HOST.fullmatch(name):
        yield Problem(
            name, "hosts", name, "should have letters, digits, dots, hyphens and underscores alone"
        )
    known = ", ".join(sorted(host.interfaces)) or "none"
    if host.interface not in host.interfaces:
        yield Problem(
            name, "interface", host.interface, f"should be an interface of this host: {known}"
        )
