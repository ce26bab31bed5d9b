"""Erasure code of POSIX containers: classes of directories, and stripes that fill chunks.

Source: `dfs_cont_create` and `suggest_dfs_cs` in src/client/dfs/cont.c of DAOS 2.8.0; "Erasure
Code" in its docs/user/container.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.checks.redundancy import CELL_BYTES
from assay.cluster.object_class import ObjectClass, object_class
from assay.cluster.releases import Version, since
from assay.preflight.rules.context import OfSystem
from assay.preflight.rules.pools.object_classes import not_a_class
from assay.preflight.rules.pools.pool_names import containers_of
from assay.problems import Problem
from assay.tools.daos.pools import size_bytes

CHUNK_BYTES = 2**20
"""A file's chunk where DAOS does not suggest one (`DFS_DEFAULT_CHUNK_SIZE`)."""


@OfSystem.rule
def erasure_code_rules(of: OfSystem) -> Iterator[Problem]:
    """Warn of what DAOS takes, and then ignores or does slowly."""
    system = of.system
    for number, pool in enumerate(system.pools):
        for index, container in enumerate(containers_of(pool)):
            key = f"daos.pools[{number}].containers[{index}]"
            if str(container.get("type", "POSIX")).upper() == "POSIX":
                yield from _directories(key, container, system.version)
                yield from _stripe(key, container, pool, system.version)


def _directories(key: str, container: Mapping[str, Any], version: Version) -> Iterator[Problem]:
    given = container.get("dir_oclass")
    if (code := _code(given, version)) is not None:
        yield Problem(
            None,
            f"{key}.dir_oclass",
            given,
            f"should be replicated, such as RP_{code.parity + 1}G1, or left out: DAOS has no"
            " erasure code for directories, and takes its default instead"
            " (src/client/dfs/README.md)",
            severity="warning",
        )


def _stripe(
    key: str, container: Mapping[str, Any], pool: Mapping[str, Any], version: Version
) -> Iterator[Problem]:
    """Warn unless a chunk is filled by whole stripes; other writes read and modify parity."""
    given = container.get("chunk_size")
    code = _code(container.get("file_oclass") or container.get("oclass"), version)
    if code is None or (given is None and version in since("2.6")):
        return  # later releases suggest a chunk of whole stripes
    chunk = CHUNK_BYTES if given is None else size_bytes(given)
    cell = _cell(container, pool, version)
    if not chunk or not cell or chunk % (code.data * cell) == 0:
        return
    stripe = code.data * cell // 1024
    yield Problem(
        None,
        f"{key}.chunk_size",
        given,
        f"should be a multiple of {stripe} KiB, the stripe of {code.name} with ec_cell_sz"
        f" {cell // 1024}KiB: DAOS reads and modifies the parity of a stripe that a chunk fills"
        " only in part (docs/user/container.md)",
        severity="warning",
    )


def _code(name: Any, version: Version) -> ObjectClass | None:
    """The erasure code of an object class; None if it has none, or there is no such class."""
    if not_a_class(str(name), version):
        return None
    named = object_class(str(name), there=1)
    return named if named.parity else None


def _cell(container: Mapping[str, Any], pool: Mapping[str, Any], version: Version) -> int | None:
    """Bytes of a cell; None if other rules refuse it."""
    for properties in (container.get("properties"), pool.get("properties")):
        if isinstance(properties, dict) and "ec_cell_sz" in properties:
            return size_bytes(properties["ec_cell_sz"])
    return CELL_BYTES[version]
