"""Which host plays which part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from assay.cluster.description import Groups
from assay.problems import Problem


def group_rules(site: Groups, described: Mapping[str, Any]) -> Iterator[Problem]:
    """Each group holds hosts that are described, each once, and no client is a server."""
    groups = {
        "controller": (site.controller,),
        "clients": site.clients,
        "servers": site.servers,
    }
    for group, members in groups.items():
        for name in members:
            if name not in described:
                known = ", ".join(sorted(described)) or "none"
                yield Problem(name, group, name, f"is not among the hosts described: {known}")
        for name, times in Counter(members).items():
            if times > 1:
                yield Problem(name, group, f"{times} times", "each host once")
    if not site.colocated:
        for name in sorted(set(site.clients) & set(site.servers)):
            yield Problem(
                name,
                "clients, servers",
                "in both groups",
                "a client on a server disturbs what it measures: one of the two groups,"
                " or `assay_colocated: true` for a trial",
            )
