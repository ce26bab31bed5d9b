"""Pools and containers: properties of this release, and redundancy that the servers can hold."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from assay.cluster.description import Host
from assay.cluster.fault_domains import domains
from assay.cluster.object_class import object_class
from assay.cluster.releases import Version
from assay.preflight.rules.context import OfSystem
from assay.preflight.rules.pools.object_classes import not_a_class
from assay.preflight.rules.pools.pool_names import containers_of
from assay.preflight.rules.pools.properties import (
    CONTAINER,
    POOL,
    Property,
    not_allowed,
    spelt,
)
from assay.preflight.rules.pools.property_doubts import doubt_of, ranks_of
from assay.problems import Problem
from assay.tools.daos.pools import OPTIONS, size_bytes


@OfSystem.rule
def pool_rules(of: OfSystem) -> Iterator[Problem]:
    """Report what `dmg pool create` or `daos container create` would refuse, or could not hold."""
    system, hosts = of.system, of.hosts
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    if len(servers) < len(system.servers):
        servers = {}  # the capacity of invalid hosts is unknown
    given = {c.get(key) for pool in system.pools for c in containers_of(pool) for key in OPTIONS}
    for key in ("file_oclass", "dir_oclass"):
        wanted = getattr(system, key)
        if wanted is not None and wanted not in given:
            yield from _object_class(f"daos.{key}", wanted, 0, servers, system.version)
    for number, pool in enumerate(system.pools):
        where, properties = f"daos.pools[{number}]", pool.get("properties")
        yield from _keys(where, pool, POOL_KEYS)
        yield from _properties(f"{where}.properties", properties, POOL, servers, system.version)
        for index, container in enumerate(containers_of(pool)):
            inner, own = f"{where}.containers[{index}]", container.get("properties")
            yield from _keys(inner, container, CONTAINER_KEYS)
            yield from _layout(f"{inner}.type", container.get("type"))
            yield from _chunk(f"{inner}.chunk_size", container.get("chunk_size"))
            yield from _properties(f"{inner}.properties", own, CONTAINER, servers, system.version)
            factor = next((f for f in (_factor(own), _factor(properties)) if f is not None), 0)
            for key in ("oclass", "file_oclass", "dir_oclass"):
                if (name := container.get(key)) is not None:
                    yield from _object_class(
                        f"{inner}.{key}", str(name), factor, servers, system.version
                    )


POOL_KEYS = ("name", "size", "properties", "containers")
CONTAINER_KEYS = ("name", *OPTIONS, "properties")
"""What the role daos_system takes."""

LAYOUTS = ("POSIX", "HDF5", "PYTHON", "SPARK", "DATABASE", "ROOT", "SEISMIC", "METEO")
ALSO_LAYOUTS = ("DB", "RNTUPLE", "DSG", "FDB")
"""Other names of some of them (`daos_parse_ctype` in DAOS's src/include/daos/common.h, which
ignores case)."""


def _keys(where: str, given: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[Problem]:
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            yield Problem(
                None, f"{where}.{key}", None, f"unknown key{hint}; choose from: {', '.join(known)}"
            )


def _layout(key: str, layout: Any) -> Iterator[Problem]:
    if layout is not None and str(layout).upper() not in (*LAYOUTS, *ALSO_LAYOUTS):
        yield Problem(None, key, str(layout), f"should be one of {', '.join(LAYOUTS)}")


def _chunk(key: str, size: Any) -> Iterator[Problem]:
    """Require a size in bytes; a file's chunks are best of whole pages of 4 KiB."""
    if size is None:
        return
    given = size_bytes(size)
    if not given:
        yield Problem(None, key, str(size), "should be a size, such as 1MiB, or left out")
    elif given % PAGE_BYTES:
        yield Problem(
            None,
            key,
            str(size),
            f"should be a multiple of {PAGE_BYTES} bytes: otherwise two chunks share a block of the"
            " SSD, and each write of one reads the other",
            severity="warning",
        )


PAGE_BYTES = 4096
"""The unit in which DAOS allocates on SSDs (`VOS_BLK_SZ` in src/vos)."""


def _properties(
    key: str,
    properties: Any,
    known: Mapping[str, tuple[Property, ...]],
    servers: Mapping[str, Host],
    version: Version,
) -> Iterator[Problem]:
    if properties is None:
        return
    if not isinstance(properties, dict):
        yield Problem(None, key, str(properties), "should be keys and values, such as {rd_fac: 1}")
        return
    for name, value in properties.items():
        where = f"{key}.{name}"
        if name == "label":
            yield Problem(
                None, where, str(value), "should be left out: name is the label, and dmg takes one"
            )
        elif (other := _ALIASES.get(name)) and other in properties:
            yield Problem(
                None, where, value, f"should be left out beside {other}: DAOS takes it for the same"
            )
        elif allowed := not_allowed(name, value, known, version):
            yield Problem(None, where, spelt(value) if name in known else None, allowed)
        elif doubt := doubt_of(name, spelt(value), properties, servers, is_pool=known is POOL):
            allowed, severity = doubt
            yield Problem(None, where, value, allowed, severity=severity)


_ALIASES = {"rf": "rd_fac", "rf_lvl": "rd_lvl"}
"""Other names of properties of containers; DAOS refuses a property twice (`daos_prop_valid`)."""


def _object_class(
    key: str, name: str, factor: int, servers: Mapping[str, Host], version: Version
) -> Iterator[Problem]:
    if allowed := not_a_class(name, version):
        yield Problem(None, key, name, allowed)
        return
    # Directories are never erasure-coded: DAOS takes its default for them.
    ranks = ranks_of(servers)
    stored = object_class(name, ranks)
    is_coded_directory = key.endswith("dir_oclass") and stored.parity
    if stored.survives < factor and not is_coded_directory:
        yield Problem(
            None,
            key,
            name,
            f"should survive {factor} failures, as rd_fac has it; this survives {stored.survives},"
            f" and DAOS does not create such a container. Use RP_{factor + 1}GX, or a smaller"
            " rd_fac",
        )
        return
    width = stored.width
    if not servers or width == 1:
        return
    if width > ranks:
        yield Problem(
            None, key, name, f"should be of at most {ranks} parts, one per rank; this has {width}"
        )
    elif width > (there := domains(servers)):
        yield Problem(
            None,
            key,
            name,
            f"should be of at most {there} parts, one per fault domain: of {width}, two are lost"
            " with one server",
            severity="warning",
        )


def _factor(properties: Any) -> int | None:
    """The redundancy factor in properties; None if they have none."""
    asked = properties if isinstance(properties, dict) else {}
    value = str(asked.get("rd_fac", asked.get("rf")))
    return int(value) if value.isdecimal() else None
