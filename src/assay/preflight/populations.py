"""Populations that the site declares: each names hosts or positions that are there, once."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.cluster.description import Site
from assay.problems import Problem


def populations(site: Site, known: Collection[str]) -> Iterator[Problem]:
    """Refuse a member that is no host and no position, or that is in two populations.

    Args:
        site: the settings of the site.
        known: the names of all hosts.
    """
    seen: dict[str, str] = {}
    for name, members in site.populations.items():
        key = f"populations.{name}"
        if not members:
            yield Problem(None, key, "", "should name hosts of the cluster, or positions: engine1")
        for member in members:
            position = member.removeprefix("engine")
            is_position = member.startswith("engine") and position.isdecimal()
            if member not in known and not is_position:
                yield Problem(
                    None, key, member, "should be a host of the cluster, or a position: engine1"
                )
            elif seen.setdefault(member, name) != name:
                yield Problem(
                    None, key, member, f"should be in one population; it is in {seen[member]}, too"
                )
