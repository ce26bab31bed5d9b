"""The groups of hosts: controller, clients and servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from assay.cluster.description import Groups
from assay.problems import Problem


def group_rules(site: Groups, described: Mapping[str, Any]) -> Iterator[Problem]:
    """Require groups of described hosts, each once, and that no client is a server."""
    groups = {
        "controller": (site.controller,),
        "clients": site.clients,
        "servers": site.servers,
    }
    for group, members in groups.items():
        for name in members:
            if name not in described:
                known = ", ".join(sorted(described)) or "none"
                yield Problem(name, group, name, f"should be one of the hosts described: {known}")
        for name, times in Counter(members).items():
            if times > 1:
                yield Problem(name, group, f"{times} times", "should be listed once")
    if not site.colocated:
        for name in sorted(set(site.clients) & set(site.servers)):
            yield Problem(
                name,
                "clients, servers",
                "in both groups",
                "should be in one of the two groups, since a client on a server disturbs what it"
                " measures; or set assay_colocated to true for a trial",
            )
