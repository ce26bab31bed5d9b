"""The memory of a host: hugepages for SSDs, tmpfs instead of SCM, and DAOS's reserve.

DAOS also refuses transparent huge pages; no rule checks them, since the role daos_host turns them
off.

The arithmetic is that of DAOS 2.8.0: `SetNrHugepages` and `SetRamdiskSize` in
src/control/server/config/server.go, `CalcRamdiskSize` in src/control/server/storage/scm.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.daos import Engine
from assay.cluster.description import Host
from assay.cluster.releases import ByRelease, Version, until
from assay.preflight.rules.context import OfHost, OfServer
from assay.preflight.rules.storage.tiers import MIN_SCM_GIB
from assay.problems import Problem

GIB = 1024
"""MiB in a GiB; all sizes below are in MiB."""

SYSTEM_RAM_RESERVED_GIB = ByRelease({"2.4": 16, "2.8": 64})
"""Memory that DAOS leaves to the system by default (`DefaultSysMemRsvd`)."""

HUGEPAGES_PER_TARGET_MIB = 1 * GIB
RESERVE_PER_TARGET_MIB = 128
MIN_RESERVE_PER_ENGINE_MIB = 1 * GIB
PAGES_FOR_DISCOVERY = 128
"""Hugepages that DAOS takes to look for SSDs, even if no engine has any."""


@OfHost.rule
def tmpfs_rules(of: OfHost) -> Iterator[Problem]:
    """Require that each tmpfs fits into memory on a host without DAOS."""
    if of.version is None:
        yield from _fits(of.name, of.host)


def _fits(name: str, host: Host) -> Iterator[Problem]:
    for key, size_mib in _tmpfs(host):
        if size_mib >= host.memory.total_mib:
            yield Problem(
                name,
                key,
                f"{size_mib // GIB} GiB",
                f"should be less than the host's memory of {gib(host.memory.total_mib)}",
            )


@OfServer.rule
def memory_rules(of: OfServer) -> Iterator[Problem]:
    """Require enough memory for hugepages, tmpfs and DAOS's reserve together."""
    name, host, version = of.name, of.host, of.version
    if not host.engines:
        return
    yield from _disabled_hugepages(name, host, version)
    taken_mib = hugepages_mib(host)
    if taken_mib >= host.memory.total_mib:
        automatic = "" if host.server.nr_hugepages else f" (automatic: {gib(taken_mib)})"
        yield Problem(
            name,
            "server.nr_hugepages",
            f"{host.server.nr_hugepages}{automatic}",
            f"should be less than the host's memory of {gib(host.memory.total_mib)}; DAOS requires"
            " 1 GiB for each target",
        )
        return
    if any(engine.ram_tier is not None for engine in host.engines):
        yield from _tmpfs_beside(name, host, version, taken_mib)


def _disabled_hugepages(name: str, host: Host, version: Version) -> Iterator[Problem]:
    needed = _needed_mib(host) * 1024 // host.memory.hugepage_kib
    given = host.server.nr_hugepages
    if not host.server.disable_hugepages:
        if 0 < given < needed:
            yield Problem(
                name,
                "server.nr_hugepages",
                given,
                f"should be 0, so that DAOS computes it, or at least {needed}",
                severity="warning",
            )
        return
    if given:
        yield Problem(
            name, "server.nr_hugepages", given, "should be 0 beside server.disable_hugepages"
        )
    tiers = [tier for engine in host.engines for tier in engine.bdev_tiers]
    # From 2.8 on, emulated SSDs do not need hugepages.
    if any(tier.class_ == "nvme" or version in until("2.6") for tier in tiers):
        classes = ", ".join(sorted({tier.class_ for tier in tiers}))
        yield Problem(
            name,
            "server.disable_hugepages",
            "true",
            f"should be false: engines with tiers of class {classes} need hugepages",
        )


def _needed_mib(host: Host) -> int:
    """The hugepages that DAOS computes if `nr_hugepages` is 0, MiB."""
    return sum(
        # Metadata needs one more system stream; a single target alone would get too few.
        (engine.targets + (engine.has_md_on_ssd or engine.targets == 1)) * HUGEPAGES_PER_TARGET_MIB
        for engine in host.engines
        if engine.bdev_tiers
    )


def hugepages_mib(host: Host) -> int:
    """The hugepages that DAOS takes, MiB."""
    if host.server.disable_hugepages:
        return 0
    given = host.server.nr_hugepages
    needed = _needed_mib(host)
    if needed and not given:
        return needed
    pages = given if needed else max(given, PAGES_FOR_DISCOVERY)
    return pages * host.memory.hugepage_kib // 1024


def _tmpfs_beside(name: str, host: Host, version: Version, taken_mib: int) -> Iterator[Problem]:
    """Require for each engine a tmpfs of at least 4 GiB, within its equal share of what is left."""
    engines = len(host.engines)
    reserve_mib = sum(_reserve_mib(engine) for engine in host.engines)
    left_mib = host.memory.total_mib - taken_mib - reserve_mib
    left = (
        f"{gib(host.memory.total_mib)} less {gib(taken_mib)} of hugepages"
        f" and {gib(reserve_mib)} for the engines"
    )
    plural = "s" * (engines > 1)
    reserved_gib = host.server.system_ram_reserved or SYSTEM_RAM_RESERVED_GIB[version]
    most_reserved_gib = left_mib // GIB - MIN_SCM_GIB * engines
    share_gib = (left_mib // GIB - reserved_gib) // engines
    if most_reserved_gib < 1:
        yield Problem(
            name,
            "memory.total_mib",
            host.memory.total_mib,
            f"should leave {MIN_SCM_GIB * engines + 1} GiB for the system and each tmpfs: {left}"
            f" is {gib(left_mib)}; fewer targets or engines take less",
        )
    elif reserved_gib > most_reserved_gib:
        yield Problem(
            name,
            "server.system_ram_reserved",
            f"{reserved_gib} GiB",
            f"should be at most {most_reserved_gib} GiB: {left}, and {MIN_SCM_GIB} GiB for each"
            " tmpfs",
        )
    else:
        for key, size_mib in _tmpfs(host):
            if size_mib > share_gib * GIB:
                yield Problem(
                    name,
                    key,
                    f"{size_mib // GIB} GiB",
                    f"should be {MIN_SCM_GIB} to {share_gib} GiB: {left} and {reserved_gib} GiB for"
                    f" the system (server.system_ram_reserved), for {engines} engine{plural}",
                )


def _tmpfs(host: Host) -> Iterator[tuple[str, int]]:
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            if tier.class_ == "ram" and tier.scm_size is not None:
                yield f"engines[{number}].storage[{index}].scm_size", tier.scm_size * GIB


def _reserve_mib(engine: Engine) -> int:
    return max(engine.targets * RESERVE_PER_TARGET_MIB, MIN_RESERVE_PER_ENGINE_MIB)


def gib(mib: int) -> str:
    """A size as text: `1.5 GiB`."""
    return f"{mib / GIB:.1f} GiB".replace(".0 ", " ")
