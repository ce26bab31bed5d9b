"""The name and the interface of a host."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfHost
from assay.problems import Problem
from assay.subject import HOST


@OfHost.rule
def host_rules(of: OfHost) -> Iterator[Problem]:
    """Require a name that fits into a metric's, such as ``n1>n2``, and an existing interface."""
    name, host = of.name, of.host
    if not HOST.fullmatch(name):
        yield Problem(
            name, "hosts", name, "should have letters, digits, dots, hyphens and underscores only"
        )
    known = ", ".join(sorted(host.interfaces)) or "none"
    if host.interface not in host.interfaces:
        # Where no interface has the inventory's address, the role leaves that in its place.
        by_address = host.interface == str(host.address)
        what = f"{'address of an ' if by_address else ''}interface of this host"
        yield Problem(name, "interface", host.interface, f"should be an {what}: {known}")
