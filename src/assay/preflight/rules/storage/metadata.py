"""Metadata on SSDs: the tiers that hold the log, the metadata and the data of an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import get_args

from assay.cluster.daos import Engine, Role, Tier
from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.preflight.rules.storage.devices import is_absent
from assay.problems import Problem

ROLES: tuple[Role, ...] = get_args(Role)
MAX_TIERS = 3


@OfServer.rule
def metadata_rules(of: OfServer) -> Iterator[Problem]:
    """Require all roles or none; with roles, control metadata that survives a reboot."""
    name, host = of.name, of.host
    for number, engine in enumerate(host.engines):
        if engine.has_md_on_ssd:
            yield from _roles(name, number, engine)
    yield from _control_metadata(name, host)


def _roles(name: str, number: int, engine: Engine) -> Iterator[Problem]:
    """The first problem with an engine's roles, in the order in which DAOS checks them."""
    tiers = {
        f"engines[{number}].storage[{index}]": tier
        for index, tier in enumerate(engine.storage)
        if not tier.is_scm
    }
    problems = chain(
        _beside_dcpm(name, engine, tiers),
        _without_roles(name, tiers),
        _without_meta(name, tiers),
        _too_many_tiers(name, number, tiers),
        _not_on_one_tier(name, number, tiers),
    )
    yield from islice(problems, 1)


def _beside_dcpm(name: str, engine: Engine, tiers: Mapping[str, Tier]) -> Iterator[Problem]:
    for key, tier in tiers.items():
        if tier.bdev_roles and engine.storage[0].class_ == "dcpm":
            yield Problem(
                name,
                f"{key}.bdev_roles",
                ", ".join(tier.bdev_roles),
                "should not be combined with dcpm, which holds the metadata itself",
            )


def _without_roles(name: str, tiers: Mapping[str, Tier]) -> Iterator[Problem]:
    for key, tier in tiers.items():
        if not tier.bdev_roles:
            yield Problem(
                name,
                f"{key}.bdev_roles",
                None,
                "is missing: give roles to every tier of block devices, or to none",
            )


def _without_meta(name: str, tiers: Mapping[str, Tier]) -> Iterator[Problem]:
    for key, tier in tiers.items():
        if set(tier.bdev_roles) == {"wal", "data"}:
            yield Problem(
                name,
                f"{key}.bdev_roles",
                ", ".join(tier.bdev_roles),
                "should also have meta: no tier may have only wal and data",
            )


def _too_many_tiers(name: str, number: int, tiers: Mapping[str, Tier]) -> Iterator[Problem]:
    if len(tiers) > MAX_TIERS:
        yield Problem(
            name,
            f"engines[{number}].storage",
            f"{len(tiers)} tiers with bdev_roles",
            f"should be at most {MAX_TIERS}, one per role",
        )


def _not_on_one_tier(name: str, number: int, tiers: Mapping[str, Tier]) -> Iterator[Problem]:
    count = Counter(role for tier in tiers.values() for role in set(tier.bdev_roles))
    others = [role for role in ROLES if count[role] != 1]
    if others:
        yield Problem(
            name,
            f"engines[{number}].storage.bdev_roles",
            ", ".join(
                f"{role} on {count[role] or 'no'} tier{'s' * (count[role] > 1)}" for role in others
            ),
            f"should have each of {', '.join(ROLES)} on exactly one tier",
        )


def _control_metadata(name: str, host: Host) -> Iterator[Problem]:
    metadata = host.server.control_metadata
    with_roles = [engine.has_md_on_ssd for engine in host.engines]
    if metadata is None:
        if any(with_roles) and host.engines[with_roles.index(True)].ram_tier is not None:
            yield Problem(
                name,
                "server.control_metadata",
                None,
                "is missing: set a path that survives a reboot, for engines with bdev_roles",
            )
        return
    if not metadata.path.is_absolute():
        yield Problem(
            name, "server.control_metadata.path", metadata.path, "should be an absolute path"
        )
    if metadata.device is not None and (
        not metadata.device.startswith("/") or is_absent(metadata.device, host)
    ):
        yield Problem(
            name,
            "server.control_metadata.device",
            metadata.device,
            f"should be a block device of this host: {', '.join(host.block_devices) or 'none'}",
        )
    if host.engines and not any(with_roles):
        yield Problem(
            name,
            "server.control_metadata.path",
            metadata.path,
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
