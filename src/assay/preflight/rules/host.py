"""The name and the interface of a host."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.problems import Problem
from assay.subject import HOST


def host_rules(name: str, host: Host) -> Iterator[Problem]:
    """Require a name that fits into a metric's, such as ``n1>n2``, and an existing interface."""
    if not HOST.fullmatch(name):
        yield Problem(
            name, "hosts", name, "should have letters, digits, dots, hyphens and underscores only"
        )
    known = ", ".join(sorted(host.interfaces)) or "none"
    if host.interface not in host.interfaces:
        yield Problem(
            name, "interface", host.interface, f"should be an interface of this host: {known}"
        )
