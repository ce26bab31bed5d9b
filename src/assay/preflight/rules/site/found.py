"""A DAOS system that the site runs, and that `assay describe` found."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfSite
from assay.preflight.rules.pools.object_classes import not_a_class
from assay.problems import Problem


@OfSite.rule
def found_rules(of: OfSite) -> Iterator[Problem]:
    """Require a place where the checks may write, and nothing that only an administrator makes."""
    system = of.site.daos
    if system is None or system.found is None:
        return
    found = system.found
    if system.pool is None:
        yield Problem(None, "daos.pool", None, "is missing: name a pool that you may write to")
    if system.container is None and found.own_container:
        yield Problem(None, "daos.container", None, "is missing: name the container to make")
    if system.mount is not None and found.own_container:
        yield Problem(
            None,
            "daos.mount",
            system.mount,
            "should be null: a container that each session makes is not mounted anywhere; name one"
            " of yours as daos.container, and set daos.found.own_container to false",
        )
    for key in ("file_oclass", "dir_oclass"):
        name = getattr(system, key)
        if name is not None and (allowed := not_a_class(name, system.version)):
            yield Problem(None, f"daos.{key}", name, allowed)
    if system.perf_pool is not None and system.perf_pool == system.pool:
        yield Problem(
            None,
            "daos.perf_pool",
            system.perf_pool,
            "should be another pool, in which nobody else makes containers: DaosPerf destroys those"
            " without a label that appear while it runs",
        )
    for key in ("pools", "rank_pool_size", "failure"):
        if getattr(system, key):
            yield Problem(
                None, f"daos.{key}", None, "should be absent: only an administrator makes pools"
            )
