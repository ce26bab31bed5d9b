"""Turns the engines of the inventory into those of daos_server.yml."""

from __future__ import annotations

from typing import Any

from assay.cluster.servers import engine_log

NO_FLUSH = "PMEM_NO_FLUSH"
"""Makes libpmem skip the flush of CPU caches, if the power supply flushes them (libpmem(7))."""


def engines(described: list[dict[str, Any]], eadr: bool, logs: str) -> list[dict[str, Any]]:
    """The engines of the inventory, with the log files and the environment they need.

    Args:
        described: engines with the keys of daos_server.yml.
        eadr: whether the caches of the CPU survive a loss of power.
        logs: directory for the logs of engines without a configured file.
    """
    return [
        {
            **{key: value for key, value in engine.items() if key not in ("env_vars", "storage")},
            "log_file": engine_log(engine, index, logs),
            **_environment(engine, eadr),
            "storage": _tiers(engine),
        }
        for index, engine in enumerate(described)
    ]


def _environment(engine: dict[str, Any], eadr: bool) -> dict[str, list[str]]:
    """`env_vars`, if there are any; the site's own value of NO_FLUSH takes precedence."""
    variables = list(engine.get("env_vars") or [])
    is_pmem = any(tier.get("class") == "dcpm" for tier in _tiers(engine))
    if eadr and is_pmem and not any(entry.split("=")[0] == NO_FLUSH for entry in variables):
        variables.append(f"{NO_FLUSH}=1")
    return {"env_vars": variables} if variables else {}


def _tiers(engine: dict[str, Any]) -> list[dict[str, Any]]:
    """Its tiers without those that are empty, which DAOS leaves out, too."""
    return [tier for tier in engine.get("storage") or [] if tier]


class FilterModule:
    """The filters of this role."""

    def filters(self) -> dict[str, Any]:
        """Their names in templates."""
        return {"daos_server_engines": engines}
