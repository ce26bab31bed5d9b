"""Pools and containers: properties that DAOS has, and redundancy that the servers can hold."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.checks.bounds.redundancy import is_object_class
from assay.checks.vos_perf import BANDWIDTH
from assay.cluster.daos import System
from assay.cluster.description import Host
from assay.problems import Problem
from assay.tools.pools import POOL_SIZE, SIZES_ALLOWED, size_bytes

_SELF_HEAL = frozenset({"none", "exclude", "rebuild", "delay_rebuild"})
_FLAGS = ("on", "off")

Allowed = tuple[str, ...] | range | None
"""Words, whole numbers, or whatever DAOS makes of it."""

POOL: dict[str, Allowed] = {
    "reclaim": ("disabled", "lazy", "time"),
    "self_heal": None,
    "space_rb": range(101),
    "svc_ops_enabled": range(2),
    "svc_ops_entry_age": range(60, 601),
    "label": None,
    "ec_cell_sz": None,
    "rd_fac": range(5),
    "ec_pda": range(1, 2**31),
    "rp_pda": range(1, 2**31),
    "data_thresh": None,
    "scrub": ("off", "lazy", "timed"),
    "scrub_freq": range(2**31),
    "scrub_thresh": range(2**31),
    "perf_domain": ("root", "group"),
    "svc_rf": range(5),
    "checkpoint": ("disabled", "timed", "lazy"),
    "checkpoint_freq": range(2**31),
    "checkpoint_thresh": range(101),
    "reintegration": ("data_sync", "no_data_sync", "incremental"),
}
"""Source: src/control/lib/daos/pool_property.go of 2.8.0, and its limits in daos_prop.h. What DAOS
alone sets (svc_list, global_version, upgrade_status) is left out."""

CONTAINER: dict[str, Allowed] = {
    "label": None,
    "cksum": ("off", "adler32", "crc16", "crc32", "crc64", "sha1", "sha256", "sha512"),
    "cksum_size": None,
    "srv_cksum": _FLAGS,
    "dedup": ("off", "memcmp", "hash"),
    "dedup_threshold": None,
    "compression": (*("off", "lz4", "deflate", "deflate1", "deflate2", "deflate3", "deflate4"),),
    "encryption": (
        *("off", "aes-xts128", "aes-xts256", "aes-cbc128", "aes-cbc192", "aes-cbc256"),
        *("aes-gcm128", "aes-gcm256"),
    ),
    "rd_fac": range(5),
    "rf": range(5),
    "rd_lvl": ("1", "2", "rank", "node"),
    "rf_lvl": ("1", "2", "rank", "node"),
    "ec_cell_sz": None,
    "ec_pda": range(1, 2**31),
    "rp_pda": range(1, 2**31),
    "perf_domain": ("root", "group"),
    "scrub_disabled": ("true", "false", "on", "off"),
    "status": ("healthy",),
}
"""Source: src/control/lib/daos/container_property.go of 2.8.0, src/include/daos/cont_props.h."""

EC_CELL = (1024, 2**20)
"""Bytes (`DAOS_EC_CELL_MIN` and `_MAX`)."""

_GROUP = re.compile(r"RP_(?P<replicas>\d+)(G.*)?|EC_(?P<data>\d+)P(?P<parity>\d+)(G.*)?")


def pool_rules(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """What `dmg pool create` and `daos container create` would refuse, or could not hold."""
    servers = [hosts[name] for name in system.servers if name in hosts]
    if len(servers) < len(system.servers):
        servers = []  # of hosts that are not valid nobody knows what they hold
    yield from _room_for_vos_perf(system, hosts)
    for number, pool in enumerate(system.pools):
        where = f"daos.pools[{number}]"
        yield from _size(f"{where}.size", pool.get("size"), servers)
        yield from _properties(f"{where}.properties", pool.get("properties"), POOL, servers)
        for index, container in enumerate(_dictionaries(pool.get("containers"))):
            inner = f"{where}.containers[{index}]"
            properties = container.get("properties")
            yield from _properties(f"{inner}.properties", properties, CONTAINER, servers)
            for key in ("oclass", "file_oclass", "dir_oclass"):
                if (name := container.get(key)) is not None:
                    yield from _object_class(f"{inner}.{key}", str(name), servers)


_PERCENT = re.compile(r"\d{1,3}%")
MOST_PERCENT = 100

BESIDE_MIB = 192
"""What the checks VosPerf want free beside their pool (reframe-checks/scm/vos_perf.py)."""

VOS_PERF = {scale: sizes["pool_mib"] + BESIDE_MIB for scale, sizes in BANDWIDTH.scales.items()}
"""MiB that vos_perf needs in the SCM of an engine, by scale."""


def _room_for_vos_perf(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Pools of a percentage leave SCM for the checks VosPerf, which make a pool of their own."""
    sizes = [str(pool.get("size")) for pool in system.pools]
    given = [int(size[:-1]) for size in sizes if _PERCENT.fullmatch(size)]
    # Each takes its part of what those before it have left.
    share = math.prod(max(100 - percent, 0) / 100 for percent in given)
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
                    f" {', '.join(sizes)} (daos_system_pools) leave {left} MiB. Take a larger SCM"
                    " or smaller pools; the checks VosPerf are missing otherwise",
                    severity="warning",
                )


def _dictionaries(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _size(key: str, size: Any, servers: Sequence[Host]) -> Iterator[Problem]:
    if size is None:
        return
    if not POOL_SIZE.match(str(size)):
        yield Problem(None, key, size, SIZES_ALLOWED)
        return
    wanted, held = size_bytes(size), _capacity(servers)
    if wanted is not None and held and wanted > held:
        yield Problem(
            None,
            key,
            size,
            f"should be at most {held / 10**12:.2f}TB, which all SSDs together have",
        )


def _capacity(servers: Sequence[Host]) -> int:
    """Bytes of the SSDs for data, 0 where one of them is not known."""
    sizes = [
        block.size_bytes if (block := host.blocks.get(path)) is not None else None
        for host in servers
        for engine in host.engines
        for tier in engine.bdev_tiers
        if not tier.bdev_roles or "data" in tier.bdev_roles
        for device in tier.devices
        for path in (host.nvme[device].namespaces if device in host.nvme else (device,))
    ]
    return 0 if None in sizes else sum(size for size in sizes if size)


def _properties(
    key: str, properties: Any, known: Mapping[str, Allowed], servers: Sequence[Host]
) -> Iterator[Problem]:
    if properties is None:
        return
    if not isinstance(properties, dict):
        yield Problem(None, key, str(properties), "should be keys and values, such as {rd_fac: 1}")
        return
    for name, value in properties.items():
        where = f"{key}.{name}"
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            choose = "" if near else f"; choose from: {', '.join(known)}"
            yield Problem(None, where, None, f"unknown property{hint}{choose}")
        elif allowed := _not_allowed(name, value, known[name]):
            yield Problem(None, where, _spelt(value), allowed)
        elif name in ("rd_fac", "rf") and servers and int(value) >= len(servers):
            yield Problem(
                None,
                where,
                value,
                f"should be at most {len(servers) - 1}: {len(servers)} servers are so many fault"
                " domains, and one more is required than may be lost",
                # A pool has it for the containers that say nothing else.
                severity="warning" if known is POOL else "error",
            )


def _spelt(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _not_allowed(name: str, value: Any, allowed: Allowed) -> str | None:
    spelt = _spelt(value).lower()
    if isinstance(allowed, tuple) and spelt not in allowed:
        return f"should be one of {', '.join(allowed)}"
    if isinstance(allowed, range) and not (spelt.isdigit() and int(spelt) in allowed):
        return f"should be a whole number of {allowed.start} to {allowed.stop - 1}"
    if name == "ec_cell_sz":
        size = size_bytes(spelt)
        low, high = EC_CELL
        if size is None or not low <= size <= high or size % low:
            return "should be a multiple of 1KiB, up to 1MiB"
    if name == "self_heal" and not set(spelt.split(";")) <= _SELF_HEAL:
        return "should be none, or exclude, rebuild and delay_rebuild with semicolons"
    return None


def _object_class(key: str, name: str, servers: Sequence[Host]) -> Iterator[Problem]:
    if not is_object_class(name):
        yield Problem(None, key, name, "should be an object class, such as SX, RP_2GX or EC_4P2GX")
        return
    match = _GROUP.fullmatch(name)
    ranks = sum(len(host.engines) for host in servers)
    if match is None or not servers:
        return
    width = int(match["replicas"] or int(match["data"]) + int(match["parity"]))
    if width > ranks:
        yield Problem(
            None, key, name, f"should be of at most {ranks} parts, one a rank; this has {width}"
        )
    elif width > len(servers):
        yield Problem(
            None,
            key,
            name,
            f"should be of at most {len(servers)} parts, one a server: of {width}, two are lost"
            " with one server",
            severity="warning",
        )
