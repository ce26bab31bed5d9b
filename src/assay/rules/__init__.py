"""What no cluster may have, a subject a module: functions from the description to findings.

A rule is a sentence with host, key, value and remedy. DAOS itself refuses many of these when a
server starts, one at a time and on that host; the others it accepts, and is slow or fails later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.cluster import Host, Site
from assay.findings import Finding
from assay.rules.benchmarks import benchmark_rules
from assay.rules.engines import engine_rules
from assay.rules.groups import group_rules
from assay.rules.host import host_rules

__all__ = ["group_rules", "rules_of_host", "rules_of_site"]


def rules_of_host(name: str, host: Host, *, has_daos: bool) -> Iterator[Finding]:
    """What can be said of one host, whatever the others are.

    Where DAOS is not deployed, engines are only descriptions of what the checks measure.
    """
    yield from host_rules(name, host)
    yield from engine_rules(name, host)
    if has_daos:
        pass


def rules_of_site(site: Site, hosts: Mapping[str, Host]) -> Iterator[Finding]:
    """What can be said only of the whole."""
    yield from benchmark_rules(site, hosts)
