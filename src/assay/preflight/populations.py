"""Populations that the site declares: hosts or positions that are there, once, and never alone."""

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
        yield from _alone(site, key, members)
    if site.populations:
        rest = [each for each in (*site.clients, *site.servers) if each not in seen]
        yield from _alone(site, "populations", rest)


def _alone(site: Site, key: str, members: Collection[str]) -> Iterator[Problem]:
    """A host that is alone in its population has no peer, so nobody would see that it is slow."""
    for group in (site.clients, site.servers):
        its = [name for name in dict.fromkeys(group) if name in members]
        if len(its) == 1 and len(group) > 1:
            yield Problem(
                None,
                key,
                its[0],
                "should be with another host of its partition, which shows how such a host should"
                " be; accept figures of a single one by waivers that name them",
            )
