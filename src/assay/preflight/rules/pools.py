"""Pools and containers: properties of this release, and redundancy that the servers can hold."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from assay.cluster.daos import System, Version
from assay.cluster.description import Host
from assay.cluster.object_class import object_class
from assay.preflight.rules.fault_domains import domains
from assay.preflight.rules.object_classes import not_a_class
from assay.preflight.rules.pool_names import containers_of
from assay.preflight.rules.properties import (
    CONTAINER,
    POOL,
    Property,
    not_allowed,
    spelt,
)
from assay.problems import Problem
from assay.tools.pools import OPTIONS, size_bytes


def pool_rules(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Report what `dmg pool create` or `daos container create` would refuse, or could not hold."""
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    if len(servers) < len(system.servers):
        servers = {}  # the capacity of invalid hosts is unknown
    given = {c.get(key) for pool in system.pools for c in containers_of(pool) for key in OPTIONS}
    if system.file_oclass is not None and system.file_oclass not in given:
        wanted = system.file_oclass
        yield from _object_class("daos.file_oclass", wanted, 0, servers, system.version)
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
            yield from _verified(f"{inner}.properties.srv_cksum", own)
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


def _verified(key: str, properties: Any) -> Iterator[Problem]:
    """Warn of a server that is to verify checksums that there are not."""
    given = properties if isinstance(properties, dict) else {}
    off = ("off", "False")
    if str(given.get("srv_cksum", "off")) not in off and str(given.get("cksum", "off")) in off:
        yield Problem(
            None,
            key,
            "on",
            "should be set with cksum, such as crc32: without checksums there is nothing to verify",
            severity="warning",
        )


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
        elif name in ("compression", "encryption") and spelt(value) != "off":
            yield Problem(
                None,
                where,
                value,
                "should be off: DAOS takes it, and does not implement it (docs/user/container.md)",
                severity="warning",
            )
        elif doubt := _WORTHLESS.get((name, str(value).removesuffix("%"))):
            yield Problem(None, where, value, *doubt)
        elif name == "svc_rf" and servers and 2 * int(value) + 1 > (ranks := _ranks(servers)):
            yield Problem(
                None,
                where,
                value,
                f"should be at most {(ranks - 1) // 2}: to survive {value} failures, the pool's"
                f" service has {2 * int(value) + 1} replicas, and the system has {ranks} ranks",
                severity="warning",
            )
        elif name in ("rd_fac", "rf") and servers and int(value) >= domains(servers):
            there = domains(servers)
            yield Problem(
                None,
                where,
                value,
                f"should be at most {there - 1}: the servers are {there} fault domains, and one"
                " more is required than may be lost",
                # A pool's value is only the default of its containers.
                severity="warning" if known is POOL else "error",
            )


def _ranks(servers: Mapping[str, Host]) -> int:
    return sum(len(host.engines) for host in servers.values())


_ALIASES = {"rf": "rd_fac", "rf_lvl": "rd_lvl"}
"""Other names of properties of containers; DAOS refuses a property twice (`daos_prop_valid`)."""

_WORTHLESS: dict[tuple[str, str], tuple[str, Literal["error", "warning"]]] = {
    ("space_rb", "100"): (
        "should be less than 100: all of the pool is reserved for rebuilds, and nothing can be"
        " written",
        "error",
    ),
    ("checkpoint", "disabled"): (
        "should be timed or lazy: without checkpoints the log of metadata on SSDs fills up, and"
        " writes fail (docs/admin/pool_operations.md has no such policy)",
        "warning",
    ),
    ("scrub_freq", "0"): (
        "should be above 0: DAOS does not scrub a pool at all with it (sc_scrub_enabled in"
        " src/vos/vos_pool_scrub.c)",
        "warning",
    ),
}
"""Values of properties that DAOS accepts, with what to have instead."""


def _object_class(
    key: str, name: str, factor: int, servers: Mapping[str, Host], version: Version
) -> Iterator[Problem]:
    if allowed := not_a_class(name, version):
        yield Problem(None, key, name, allowed)
        return
    # Directories are never erasure-coded: DAOS takes its default for them.
    ranks = _ranks(servers)
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
