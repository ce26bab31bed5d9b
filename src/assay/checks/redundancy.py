"""The redundancy of the files of the checks: the object class that DAOS chooses for them.

A class that a container names holds. Otherwise DAOS chooses one for each file, by the redundancy
factor of the container and the number of its fault domains.

Source: `dc_set_oclass` in src/object/obj_class.c, `oid_gen` in src/client/dfs/dfs_internal.h and
`init_pool_metadata` in src/pool/srv_pool.c of DAOS 2.8.0; the same files at v2.4.2 and v2.6.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from assay.cluster.daos import System
from assay.cluster.description import Cluster, Host
from assay.cluster.fault_domains import domains, levels
from assay.cluster.object_class import PLAIN, ObjectClass, object_class
from assay.cluster.once import once
from assay.cluster.releases import ByRelease, Version, newest
from assay.tools.daos.daos_properties import kept
from assay.tools.daos.pools import size_bytes

FACTOR = ByRelease({"2.4": 0, "2.8": 3})
"""A pool's redundancy factor unless it says otherwise (`DAOS_PROP_PO_REDUN_FAC_DEFAULT`)."""

CELL_BYTES = ByRelease({"2.4": 64 * 1024, "2.8": 128 * 1024})
"""A pool's cell unless it says otherwise (`DAOS_EC_CELL_DEF` in src/include/daos/object.h)."""

_CODES: Mapping[int, tuple[tuple[int, int], ...]] = {
    1: ((18, 16), (10, 8), (6, 4), (3, 2)),
    2: ((20, 16), (12, 8), (8, 4), (4, 2)),
    3: ((22, 16), (14, 8), (10, 4)),
}
"""By factor: from how many fault domains on an array has how many data cells in a stripe."""

_HIGHEST_CODE = ByRelease({"2.4": 2, "2.6": 3})
"""The highest factor with an erasure code: 2.6 has EC_xP3 from 2.6.4 on, and replicas before, which
cost more, so that a bound by EC_xP3 is true for both."""


def default_factor(version: Version, there: int) -> int:
    """The redundancy factor of a new pool that names none, of a system with so many fault domains.

    DAOS takes the release's default, or as much as the fault domains allow, if that is less.
    """
    return min(FACTOR[version], max(there - 1, 0))


def chosen_for_files(version: Version, factor: int, there: int) -> str:
    """The class of a file that DAOS chooses, over all targets: ``EC_2P1GX``.

    Args:
        version: the release.
        factor: the redundancy factor of the container.
        there: number of fault domains at the container's level of redundancy.

    Raises:
        ValueError: DAOS creates no file there, since the factor needs more fault domains.
    """
    if 0 < factor <= _HIGHEST_CODE[version]:
        for least, data in _CODES[factor]:
            if there >= least:
                return f"EC_{data}P{factor}GX"
    return _replicated(factor, there, "GX", "SX")


def chosen_for_directories(factor: int, there: int) -> str:
    """The class of a directory that DAOS chooses, which is of one group: ``RP_2G1``.

    Raises:
        ValueError: as `chosen_for_files`.
    """
    return _replicated(factor, there, "G1", "S1")


def _replicated(factor: int, there: int, groups: str, plain: str) -> str:
    if factor >= there:
        raise ValueError(f"rd_fac {factor} needs {factor + 1} fault domains, and there are {there}")
    return f"RP_{factor + 1}{groups}" if factor else plain


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How the files and directories of the checks are stored."""

    code: ObjectClass
    directories: ObjectClass
    cell_bytes: int
    factor: int | None = None
    """The redundancy factor by which the class was chosen; None if the class is named or unknown.
    """


@once
def layout(cluster: Cluster) -> FileLayout:
    """The layout of the files of the checks, as far as the description shows it.

    Where nobody knows the factor, no redundancy is assumed, and the bound is less tight.
    """
    system = cluster.daos
    if system is None:
        return FileLayout(PLAIN, PLAIN, CELL_BYTES[newest()])
    pool, container = _described(system)
    cell = _cell(pool, container, system.version)
    there = _fault_domains(system, cluster.hosts, container)
    factor = _factor(system, pool, container, cluster.hosts)
    # Of unknown fault domains each is a rank: no object has more replicas.
    ranks = there or (system.found.ranks if system.found else 1)
    if factor is not None and (there is None or factor >= there):
        factor = None
    if system.file_oclass is not None:
        files, by = object_class(system.file_oclass, ranks), None
    elif factor is None:
        files, by = PLAIN, None
    else:
        files = object_class(chosen_for_files(system.version, factor, ranks), ranks)
        by = factor
    named = system.dir_oclass or _named_for_directories(system)
    return FileLayout(files, _of_directories(named, factor, ranks, files), cell, by)


def _named_for_directories(system: System) -> str | None:
    """The class that the container names; `oclass` is that of files and of directories."""
    container = _container(system) or {}
    named = container.get("dir_oclass") or container.get("oclass")
    return None if named is None else str(named)


def _of_directories(
    named: str | None, factor: int | None, there: int, files: ObjectClass
) -> ObjectClass:
    """The class of directories; where nothing shows it, they survive what files do.

    DAOS has no erasure code for directories, and takes its default where one is named.
    """
    if named is not None and not (code := object_class(named, there)).parity:
        return code
    if factor is not None:
        return object_class(chosen_for_directories(factor, there), there)
    return files


def differs(cluster: Cluster, answer: str) -> list[str]:
    """Report a container with another redundancy than the one by which figures would be judged.

    Args:
        cluster: the cluster.
        answer: what `daos container get-prop` printed of the container of the checks.
    """
    expected = layout(cluster)
    if expected.factor is None:
        return []
    wanted = {"rd_fac": expected.factor}
    if expected.code.parity:
        wanted["ec_cell_sz"] = expected.cell_bytes
    has = kept(answer, tuple(wanted))
    return [
        f"the container has {name} {has[name]}, but by the description it has {value}, so that the"
        f" figures would be judged as those of {expected.code.name}: set {name} in"
        " daos_system_pools to what it has, or make the container again"
        for name, value in wanted.items()
        if name in has and _number(has[name]) != value
    ]


def _number(given: object) -> int | None:
    digits = re.search(r"\d+", str(given))
    return int(digits[0]) if digits else None


_Properties = Mapping[str, Any]


def _described(system: System) -> tuple[_Properties | None, _Properties | None]:
    """The properties of the pool and the container; None if the description does not show it."""
    if system.found:
        of_pool, of_container = system.found.pool_properties, system.found.container_properties
        return of_pool or None, of_container or None
    if (container := _container(system)) is None:
        return None, None
    pool = next(each for each in system.pools if each.get("name") == system.pool)
    return pool.get("properties") or {}, container.get("properties") or {}


def _container(system: System) -> Mapping[str, Any] | None:
    """The container of the checks, as the description of a deployed system has it."""
    every = (
        container
        for pool in system.pools
        if pool.get("name") == system.pool
        for container in pool.get("containers") or ()
    )
    return next((each for each in every if each.get("name") == system.container), None)


def _factor(
    system: System,
    pool: _Properties | None,
    container: _Properties | None,
    hosts: Mapping[str, Host],
) -> int | None:
    for properties in (container, pool):
        given = (properties or {}).get("rd_fac", (properties or {}).get("rf"))
        if given is not None:
            return _number(given)
    if system.found or pool is None:
        return None
    return default_factor(system.version, _components(_servers(system, hosts)))


def _components(servers: Mapping[str, Host]) -> int:
    """Fault domains of all levels, by which DAOS lowers a default: ``/r1/a`` and ``/r1/b`` are 3.

    Source: `pb_domain_nr`, which `pool_buf_attach` counts in src/common/pool_map.c.
    """
    every = {
        place
        for name, host in servers.items()
        for place in accumulate((part,) for part in levels(name, host) or (name,))
    }
    return len(every)


def _fault_domains(
    system: System, hosts: Mapping[str, Host], container: _Properties | None
) -> int | None:
    by_rank = str((container or {}).get("rd_lvl", "")).startswith("rank")
    if system.found:
        servers = system.found.servers_of_ranks.values()
        return system.found.ranks if by_rank else len(set(servers)) or None
    servers_of = _servers(system, hosts)
    return _ranks(system, hosts) if by_rank else domains(servers_of)


def _servers(system: System, hosts: Mapping[str, Host]) -> dict[str, Host]:
    return {name: hosts[name] for name in system.servers}


def _ranks(system: System, hosts: Mapping[str, Host]) -> int:
    return sum(len(host.engines) for host in _servers(system, hosts).values())


def _cell(pool: _Properties | None, container: _Properties | None, version: Version) -> int:
    for properties in (container, pool):
        given = (properties or {}).get("ec_cell_sz")
        if given is not None and (size := size_bytes(given)):
            return size
    return CELL_BYTES[version]
