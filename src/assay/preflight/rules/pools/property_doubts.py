"""Values of properties that DAOS takes, and that do not do what they say on this system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from assay.cluster.description import Host
from assay.cluster.fault_domains import domains
from assay.preflight.rules.pools.properties import spelt

Doubt = tuple[str, Literal["error", "warning"]]
"""What to have instead, and how much it matters."""


CHECKPOINT_S = 2**20


def doubt_of(
    name: str,
    value: str,
    properties: Mapping[str, Any],
    servers: Mapping[str, Host],
    *,
    is_pool: bool,
) -> Doubt | None:
    """What speaks against a value that DAOS takes; None if nothing does.

    Args:
        name: the name of the property.
        value: its value, as DAOS spells it.
        properties: all properties of the pool or the container.
        servers: the servers; none: not known.
        is_pool: whether it is of a pool.
    """
    match name:
        case "space_rb" if value.removesuffix("%") == "100":
            return (
                "should be less than 100: all of the pool is reserved for rebuilds, and nothing can"
                " be written",
                "error",
            )
        case "checkpoint" if value == "disabled" and _has_md_on_ssd(servers):
            return (
                "should be timed or lazy: without checkpoints the log of metadata on SSDs fills up,"
                " and writes fail (docs/admin/pool_operations.md has no such policy)",
                "warning",
            )
        case "scrub_freq" if value == "0" and spelt(properties.get("scrub", "off")) != "off":
            return (
                "should be above 0: DAOS does not scrub a pool at all with it (sc_scrub_enabled in"
                " src/vos/vos_pool_scrub.c)",
                "warning",
            )
        case "checkpoint_freq" if not 1 <= int(value) <= CHECKPOINT_S:
            return (
                f"should be 1 to {CHECKPOINT_S} seconds (DAOS_PROP_PO_CHECKPOINT_FREQ_MIN and _MAX"
                " in src/include/daos_prop.h)",
                "warning",
            )
        case "compression" | "encryption" if value != "off":
            return (
                "should be off: DAOS takes it, and does not implement it (docs/user/container.md)",
                "warning",
            )
        case "srv_cksum" if value == "on" and spelt(properties.get("cksum", "off")) == "off":
            return (
                "should be set with cksum, such as crc32: without checksums there is nothing to"
                " verify",
                "warning",
            )
        case "svc_rf" if servers:
            return _replicas_of_service(int(value), ranks_of(servers))
        case "rd_fac" | "rf" if servers:
            return _redundancy(int(value), domains(servers), is_pool)
    return None


def ranks_of(servers: Mapping[str, Host]) -> int:
    """Number of ranks of the system."""
    return sum(len(host.engines) for host in servers.values())


def _has_md_on_ssd(servers: Mapping[str, Host]) -> bool:
    return any(engine.has_md_on_ssd for host in servers.values() for engine in host.engines)


def _replicas_of_service(factor: int, ranks: int) -> Doubt | None:
    needed = 2 * factor + 1
    if needed <= ranks:
        return None
    return (
        f"should be at most {(ranks - 1) // 2}: to survive {factor} failures, a pool's service has"
        f" {needed} replicas, and the system has {ranks} ranks",
        "warning",
    )


def _redundancy(factor: int, there: int, is_pool: bool) -> Doubt | None:
    if factor < there:
        return None
    return (
        f"should be at most {there - 1}: the servers are {there} fault domains, and one more is"
        " required than may be lost",
        # A pool's value is only the default of its containers.
        "warning" if is_pool else "error",
    )
