"""Environment variables that DAOS takes, and what they do to data, to figures, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from assay.cluster.daos import Engine
from assay.cluster.description import Host
from assay.cluster.releases import Version, since
from assay.preflight.rules.context import OfServer
from assay.problems import Problem

_LOG_LEVELS = {
    "FI_LOG_LEVEL": ("warn", "trace", "info", "debug"),
    "HG_LOG_LEVEL": (
        "error",
        "err",
        "warning",
        "warn",
        "min_debug",
        "trace",
        "debug",
        "dbg",
        "none",
    ),
}
"""The levels of libfabric (fabric(7)) and of Mercury (src/util/mercury_log.h), in lower case."""


@OfServer.rule
def effect_rules(of: OfServer) -> Iterator[Problem]:
    """Report variables of engines with which figures or data would be worth nothing."""
    name, host, version, provider = of.name, of.host, of.version, of.provider
    for number, engine in enumerate(host.engines):
        where = f"engines[{number}].env_vars"
        for entry in engine.env_vars:
            variable, _, value = entry.partition("=")
            doubt = _invalid(variable, value) or _idle(variable, value, version, provider)
            if variable == "DAOS_MD_ON_SSD_MODE" and not engine.has_md_on_ssd:
                doubt = ("warning", "should be left out, or have bdev_roles in the tiers beside it")
            if doubt is not None:
                severity, allowed = doubt
                yield Problem(name, where, entry, allowed, severity=severity)
        yield from _interface(name, where, host, engine, provider)


Found = tuple[Literal["error", "warning"], str]


def _invalid(variable: str, value: str) -> Found | None:
    """What would invalidate a campaign, or the data."""
    if variable == "DAOS_IO_BYPASS" and value.strip():
        return (
            "error",
            "should be left out: an engine skips parts of operations with it (src/common/debug.c),"
            " so figures are too good, and data is not stored",
        )
    if variable == "DAOS_START_POOLS" and re.fullmatch(r"[+-]?0+", value.strip()):
        return (
            "error",
            "should be left out: no engine starts its pools with it, and the phases of a campaign"
            " restart engines",
        )
    if variable == "LD_PRELOAD" and re.search(r"lib(pil4dfs|ioil)\b", value):
        return (
            "error",
            "should be left out: the library turns a client's file operations into DAOS's own, and"
            " an engine would call itself",
        )
    if variable == "DAOS_REBUILD" and value.lower() == "no":
        return (
            "warning",
            "should be left out: nothing is rebuilt with it, so that a second failure loses data",
        )
    return None


def _idle(variable: str, value: str, version: Version, provider: str | None) -> Found | None:
    """What has no effect, although somebody wants it to have one."""
    levels = _LOG_LEVELS.get(variable)
    if levels and value and value.lower() not in levels:
        return "warning", f"should be one of {', '.join(levels)}: any other is ignored"
    if variable == "CRT_CTX_NUM" and version in since("2.6"):
        return "warning", "should be left out: it limits clients, and an engine ignores it"
    if variable.startswith("FI_SOCKETS_") and provider and "sockets" not in provider:
        return "warning", f"should be left out: libfabric's sockets reads it, and not {provider}"
    library = "UCX" if variable.startswith("UCX_") else "libfabric" * variable.startswith("FI_")
    used = {"ofi+": "libfabric", "ucx+": "UCX"}.get((provider or "")[:4])
    if library and used and library != used:
        return "warning", f"should be left out: {provider} uses {used}, which does not read it"
    return None


def _interface(
    name: str, where: str, host: Host, engine: Engine, provider: str | None
) -> Iterator[Problem]:
    """Require that libfabric's TCP has the engine's interface, if one is set for it."""
    given = engine.env("FI_TCP_IFACE")
    if given is None or given == engine.fabric_iface or "tcp" not in (provider or ""):
        return
    yield Problem(
        name,
        where,
        f"FI_TCP_IFACE={given}",
        f"should be {engine.fabric_iface}, the engine's fabric_iface, or left out: libfabric offers"
        " no other interface then (fi_tcp(7))",
        severity="warning" if given in host.interfaces else "error",
    )
