"""Metadata on SSDs: which tier holds the log, the metadata and the data of an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from assay.cluster.daos import Engine, Role
from assay.cluster.description import Host
from assay.preflight.rules.devices import is_absent
from assay.problems import Problem

ROLES: tuple[Role, ...] = get_args(Role)
MAX_TIERS = 3


def metadata_rules(name: str, host: Host) -> Iterator[Problem]:
    """Roles are complete where there are any, and then the server has a place that outlives it."""
    for number, engine in enumerate(host.engines):
        if engine.has_md_on_ssd:
            yield from _roles(name, number, engine)
    yield from _control_metadata(name, host)


def _roles(name: str, number: int, engine: Engine) -> Iterator[Problem]:
    """The first thing that is wrong, in the order in which DAOS looks."""
    where = f"engines[{number}].storage"
    tiers = [(index, tier) for index, tier in enumerate(engine.storage) if not tier.is_scm]
    if engine.storage[0].class_ == "dcpm":
        index, tier = next((index, tier) for index, tier in tiers if tier.bdev_roles)
        yield Problem(
            name,
            f"{where}[{index}].bdev_roles",
            ", ".join(tier.bdev_roles),
            "should not be combined with dcpm, which holds the metadata itself",
        )
        return
    for index, tier in tiers:
        if not tier.bdev_roles:
            yield Problem(
                name,
                f"{where}[{index}].bdev_roles",
                None,
                "is missing; every tier of block devices needs roles, or none",
            )
            return
    for index, tier in tiers:
        if set(tier.bdev_roles) == {"wal", "data"}:
            yield Problem(
                name,
                f"{where}[{index}].bdev_roles",
                ", ".join(tier.bdev_roles),
                "should also have meta: no tier may have only wal and data",
            )
            return
    if len(tiers) > MAX_TIERS:
        yield Problem(
            name,
            where,
            f"{len(tiers)} tiers with bdev_roles",
            f"should be at most {MAX_TIERS}, one per role",
        )
        return
    given = Counter(role for _, tier in tiers for role in set(tier.bdev_roles))
    wrong = [role for role in ROLES if given[role] != 1]
    if wrong:
        yield Problem(
            name,
            f"{where}.bdev_roles",
            ", ".join(
                f"{role} on {given[role] or 'no'} tier{'s' * (given[role] > 1)}" for role in wrong
            ),
            f"should have each of {', '.join(ROLES)} on exactly one tier",
        )


def _control_metadata(name: str, host: Host) -> Iterator[Problem]:
    told = host.server.control_metadata
    with_roles = [engine.has_md_on_ssd for engine in host.engines]
    if told is None:
        if any(with_roles) and host.engines[with_roles.index(True)].ram_tier is not None:
            yield Problem(
                name,
                "server.control_metadata",
                None,
                "is missing; engines with bdev_roles need a path that survives a reboot",
            )
        return
    if not told.path.is_absolute():
        yield Problem(name, "server.control_metadata.path", told.path, "should be an absolute path")
    if told.device is not None and is_absent(told.device, host):
        yield Problem(
            name,
            "server.control_metadata.device",
            told.device,
            f"should be a block device of this host: {', '.join(host.block_devices) or 'none'}",
        )
    if host.engines and not any(with_roles):
        yield Problem(
            name,
            "server.control_metadata.path",
            told.path,
            "should not be set without bdev_roles in the tiers of the engines",
        )
    elif not all(with_roles):
        number = with_roles.index(False)
        yield Problem(
            name,
            f"engines[{number}].storage",
            "no bdev_roles",
            f"should have bdev_roles, as engines[{with_roles.index(True)}] has",
        )
