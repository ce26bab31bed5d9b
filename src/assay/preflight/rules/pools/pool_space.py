"""The space of pools: their sizes, their shares of the system, and what they leave to others."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.checks.benchmarks.vos_perf import BANDWIDTH
from assay.cluster.daos import Engine, System
from assay.cluster.description import Host
from assay.preflight.rules.context import OfSystem
from assay.preflight.rules.storage.file_space import GIB
from assay.problems import Problem
from assay.tools.daos.pools import POOL_SIZE, SIZES_ALLOWED, size_bytes


@OfSystem.rule
def pool_space_rules(of: OfSystem) -> Iterator[Problem]:
    """Report sizes that the system does not have, and pools that leave a check no room."""
    system, hosts = of.system, of.hosts
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    if len(servers) < len(system.servers):
        servers = {}  # the capacity of invalid hosts is unknown
    for number, pool in enumerate(system.pools):
        yield from _size(f"daos.pools[{number}].size", pool.get("size"), servers)
    yield from _shares(system)
    yield from _of_each_target(system, servers)
    yield from _rank_pools(system, servers)
    yield from _room_for_vos_perf(system, hosts)


def _size(key: str, size: Any, servers: Mapping[str, Host]) -> Iterator[Problem]:
    if size is None:
        yield Problem(None, key, None, "is missing: set it, such as 90% or 2TB")
        return
    if not POOL_SIZE.match(str(size)):
        yield Problem(None, key, size, SIZES_ALLOWED)
        return
    wanted, held = size_bytes(size), _capacity(servers)
    if wanted is not None and wanted < (least := _least(servers)):
        yield Problem(
            None,
            key,
            size,
            f"should be at least {math.ceil(least / 10**9)}GB, or DAOS refuses the pool: for each"
            f" target 1 GiB of SSD, of which the pool has {SSD_SHARE:.0%}; or without SSDs 16 MiB",
        )
    if wanted is not None and held and wanted > held:
        yield Problem(
            None,
            key,
            size,
            f"should be at most {held / 10**12:.2f}TB, which all SSDs together have",
        )
    elif wanted is not None and (indexed := _indexed(servers)) and wanted > indexed:
        share = 1 - SSD_SHARE
        yield Problem(
            None,
            key,
            size,
            f"should be at most {indexed // 2**30}GiB, or DAOS refuses the pool for want of SCM"
            f" (DER_NOSPACE): dmg takes {share:.0%} of it from the tmpfs of the engines, which have"
            " to index its SSDs. Use a smaller pool, a larger scm_size or more servers",
        )
    elif wanted is not None and (in_dram := _in_dram(servers)) and wanted > in_dram:
        yield Problem(
            None,
            key,
            size,
            f"should be at most {in_dram // 2**30}GiB, or DAOS refuses the pool for want of SCM"
            " (DER_NOSPACE): the engines have no SSDs, and their tmpfs hold no more. Use a smaller"
            " pool, a larger scm_size or more servers",
        )


def _indexed(servers: Mapping[str, Host]) -> int:
    """The largest pool whose metadata the tmpfs of all engines hold, bytes; 0 if that is unknown.

    Each rank holds an equal share, so the smallest tmpfs counts. Seen with DAOS 2.8.0 on 3 ranks:
    16 GiB carried 600 GiB and not 1 TiB, 34 GiB carried 1 TiB and not 2.
    """
    engines = [engine for host in servers.values() for engine in host.engines]
    tiers = [engine.ram_tier for engine in engines if engine.bdev_tiers]
    sizes = [tier.scm_size * 2**30 for tier in tiers if tier is not None and tier.scm_size]
    if not sizes or len(sizes) < len(engines):
        return 0
    return int(min(sizes) * len(engines) / (1 - SSD_SHARE))


def _in_dram(servers: Mapping[str, Host]) -> int:
    """The most that the tmpfs of engines without SSDs hold, bytes; 0 if that is unknown.

    Each rank holds an equal share, so the smallest tmpfs counts.
    """
    engines = [engine for host in servers.values() for engine in host.engines]
    sizes = [
        tier.scm_size * 2**30
        for engine in engines
        if not engine.bdev_tiers and (tier := engine.ram_tier) is not None and tier.scm_size
    ]
    return min(sizes) * len(engines) if sizes and len(sizes) == len(engines) else 0


def _rank_pools(system: System, servers: Mapping[str, Host]) -> Iterator[Problem]:
    """Require room for a pool on each rank, beside the others, if a check is to make them."""
    key, size = "daos.rank_pool_size", system.rank_pool_size
    if size is None:
        return
    wanted = size_bytes(size) if POOL_SIZE.match(size) else None
    if wanted is None:
        yield Problem(None, key, size, "should be a size such as 1TiB, and not a percentage")
        return
    on_ssds = (e.targets for host in servers.values() for e in host.engines if e.bdev_tiers)
    least = math.ceil(max(on_ssds, default=0) / SSD_SHARE)
    if wanted < least * MIN_SSD_BYTES:
        yield Problem(
            None,
            key,
            size,
            f"should be at least {least}GiB: 1 GiB of SSD for each target of a rank, and"
            f" {1 - SSD_SHARE:.0%} of SCM",
        )
        return
    taken = sum(size_bytes(pool.get("size")) or 0 for pool in system.pools)
    held, share = _capacity(servers), _left_by(system)
    for name, host in servers.items() if held else ():
        for number, engine in enumerate(host.engines):
            own = _data_bytes(host, engine) or 0
            # Pools of a size are spread over all ranks.
            left = (own - taken * own / held) * share
            if left < wanted:
                yield Problem(
                    name,
                    f"engines[{number}].storage",
                    f"{own / 10**9:.0f}GB",
                    f"should leave room for a pool of {size} on each rank"
                    f" (cluster_rank_pool_size), which IorByRank makes: the pools of"
                    f" daos_system_pools leave {max(left, 0) / 10**9:.0f}GB. Use smaller pools, or"
                    " leave it empty to measure without IorByRank",
                )


SSD_SHARE = 0.94
"""Share of a pool that dmg takes from the SSDs (`defaultTierRatios` in its pool.go)."""

MIN_SSD_BYTES = 2**30
"""Least space of a pool on the SSDs for each target (`NvmeMinBytesPerTarget`, beside the next)."""

MIN_TARGET_BYTES = 16 * 2**20
"""Least SCM of a pool on each target (`ScmMinBytesPerTarget` in src/control/server/engine)."""


def _of_each_target(system: System, servers: Mapping[str, Host]) -> Iterator[Problem]:
    """Require of pools sized in percent that their part of each SSD is as much as DAOS takes."""
    engines = [(host, engine) for host in servers.values() for engine in host.engines]
    if not all(engine.bdev_tiers for _, engine in engines):
        return
    sizes = [(_data_bytes(host, engine), engine.targets) for host, engine in engines]
    left = min((size / targets for size, targets in sizes if size), default=0.0)
    for number, pool in enumerate(system.pools if left else ()):
        size = str(pool.get("size"))
        if not _PERCENT.fullmatch(size):
            continue
        share = int(size.removesuffix("%")) / 100
        each, left = left * share, left * (1 - share)
        if each < MIN_SSD_BYTES:
            yield Problem(
                None,
                f"daos.pools[{number}].size",
                size,
                f"should give each target at least 1 GiB of its SSD, or DAOS refuses the pool; it"
                f" gives {each / MIN_SSD_BYTES:.2f} GiB. Use a larger share, larger SSDs"
                " (bdev_size) or fewer targets",
            )
            return


def _least(servers: Mapping[str, Host]) -> int:
    """Size below which no pool can be, bytes: dmg divides it between the ranks and the tiers."""
    engines = [engine for host in servers.values() for engine in host.engines]
    targets = max((engine.targets for engine in engines), default=0) * len(engines)
    if any(engine.bdev_tiers for engine in engines):
        return math.ceil(targets * MIN_SSD_BYTES / SSD_SHARE)
    return targets * MIN_TARGET_BYTES


def _capacity(servers: Mapping[str, Host]) -> int:
    """Size of all SSDs for data, bytes; 0 if the size of one is unknown."""
    sizes = [_data_bytes(host, each) for host in servers.values() for each in host.engines]
    return 0 if None in sizes else sum(size or 0 for size in sizes)


def _data_bytes(host: Host, engine: Engine) -> int | None:
    """Size of an engine's SSDs for data, bytes; None if the size of one is unknown."""
    tiers = [t for t in engine.bdev_tiers if not t.bdev_roles or "data" in t.bdev_roles]
    sizes = [
        block.size_bytes if (block := host.blocks.get(path)) is not None else None
        for tier in tiers
        if tier.class_ != "file"
        for device in tier.devices
        for path in (host.nvme[device].namespaces if device in host.nvme else (device,))
    ]
    sizes += [
        tier.bdev_size and tier.bdev_size * GIB
        for tier in tiers
        if tier.class_ == "file"
        for _ in tier.bdev_list
    ]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _shares(system: System) -> Iterator[Problem]:
    """Report shares that leave nothing, or less than they seem to.

    Each share is of what the pools before it have left (`dmg pool create --size=60%`).
    """
    taken, is_full = 0, False
    for number, pool in enumerate(system.pools):
        size = str(pool.get("size"))
        key = f"daos.pools[{number}].size"
        if is_full:
            yield Problem(
                None, key, size, "should have space left: a pool before it takes 100% of it"
            )
            return
        if not _PERCENT.fullmatch(size):
            continue
        share = int(size.removesuffix("%"))
        is_full = share == MOST_PERCENT
        taken += share
        if taken > MOST_PERCENT and taken > share:
            yield Problem(
                None,
                key,
                size,
                f"should be at most {MOST_PERCENT - taken + share}% if it is meant of the whole"
                " system: it is a share of what the pools before it leave",
                severity="warning",
            )


_PERCENT = re.compile(r"\d{1,3}%")
MOST_PERCENT = 100

BESIDE_MIB = 192
"""Space that the checks VosPerf need beside their pool (reframe-checks/scm/vos_perf.py)."""

VOS_PERF = {scale: sizes["pool_mib"] + BESIDE_MIB for scale, sizes in BANDWIDTH.scales.items()}
"""Space that vos_perf needs in the SCM of an engine, MiB, by scale."""


def _percentages(system: System) -> list[int]:
    sizes = (str(pool.get("size")) for pool in system.pools)
    return [int(size[:-1]) for size in sizes if _PERCENT.fullmatch(size)]


def _left_by(system: System) -> float:
    """Share of the space that pools sized in percent leave.

    Each takes its percentage of what the pools before it have left.
    """
    return math.prod(max(100 - percent, 0) / 100 for percent in _percentages(system))


def _room_for_vos_perf(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Warn of pools sized in percent that leave no SCM for the pools of the checks VosPerf."""
    sizes = [str(pool.get("size")) for pool in system.pools]
    given, share = _percentages(system), _left_by(system)
    for name in system.servers if given and max(given) <= MOST_PERCENT else ():
        for number, engine in enumerate(hosts[name].engines if name in hosts else ()):
            scm = engine.scm_tier
            if scm is None or not scm.scm_size:
                continue
            left = int(scm.scm_size * 1024 * share)
            short = [f"{mib} MiB at the scale {s}" for s, mib in VOS_PERF.items() if mib > left]
            if short:
                yield Problem(
                    name,
                    f"engines[{number}].storage[0].scm_size",
                    f"{scm.scm_size} GiB",
                    f"should leave room for vos_perf, which needs {' and '.join(short)}: pools of"
                    f" {', '.join(sizes)} (daos_system_pools) leave {left} MiB. Use a larger SCM"
                    " or smaller pools; otherwise the checks VosPerf are missing",
                    severity="warning",
                )
