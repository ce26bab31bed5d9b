"""The described engines of a host, whether DAOS is deployed there or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.preflight.rules.context import OfHost
from assay.problems import Problem


@OfHost.rule
def engine_rules(of: OfHost) -> Iterator[Problem]:
    """Require for each engine an interface of the host, and a separate mount for its SCM."""
    name, host = of.name, of.host
    known = ", ".join(sorted(host.interfaces)) or "none"
    mounts: dict[Path, int] = {}
    for number, engine in enumerate(host.engines):
        where = f"engines[{number}]"
        if engine.fabric_iface not in host.interfaces:
            yield Problem(
                name,
                f"{where}.fabric_iface",
                engine.fabric_iface,
                f"should be an interface of this host: {known}",
            )
        for index, tier in enumerate(engine.storage):
            if not tier.is_scm:
                continue
            key = f"{where}.storage[{index}].scm_mount"
            if tier.scm_mount is None or not tier.scm_mount.is_absolute():
                yield Problem(name, key, tier.scm_mount, "should be the absolute path of a mount")
            elif mounts.setdefault(tier.scm_mount, number) != number:
                other = mounts[tier.scm_mount]
                yield Problem(
                    name,
                    key,
                    tier.scm_mount,
                    f"should be a mount of its own; engines[{other}] has this one",
                )
