"""The servers of an inventory: what is needed to find their ranks and the files of their engines.

The input is the variables of the roles, before the preflight has checked them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypedDict


class EngineFiles(TypedDict):
    """The port of an engine, which identifies it on its host, and the paths of its files."""

    port: int | None
    """Its fabric port, if the inventory sets one."""
    log: str
    superblock: str
    """The file that exists if, and only if, the engine is formatted."""
    persistent: bool
    """Whether the superblock outlives a reboot."""


class ServerHost(TypedDict):
    """A host of the group daos_server. Ansible keeps it as a fact, so it is a plain dictionary."""

    name: str
    addresses: list[str]
    names: list[str]
    """The names by which the system may know it."""
    engines: list[EngineFiles]


class Unformatted(TypedDict):
    """An engine without a superblock."""

    host: str
    engine: str
    """For people: host, index and superblock."""
    persistent: bool


def server(host: Mapping[str, Any], logs: str) -> ServerHost:
    """Make a server from its variables and facts.

    Args:
        host: its variables and facts.
        logs: the directory for the logs of engines that name no file.
    """
    facts = host["ansible_facts"]
    metadata = (host.get("daos_server_control_metadata") or {}).get("path")
    return {
        "name": str(host["inventory_hostname"]),
        "addresses": [*facts["all_ipv4_addresses"], *facts["all_ipv6_addresses"]],
        "names": [str(host["inventory_hostname"]), facts["nodename"], facts["hostname"]],
        "engines": [
            _files(index, engine, metadata, logs)
            for index, engine in enumerate(host.get("daos_server_engines") or [])
        ],
    }


def engine_log(engine: Mapping[str, Any], index: int, logs: str) -> str:
    """The log of an engine: the configured file, or one named by its index in the directory."""
    return str(engine.get("log_file", f"{logs}/daos_engine.{index}.log"))


def _files(index: int, engine: Mapping[str, Any], metadata: str | None, logs: str) -> EngineFiles:
    scm: Mapping[str, Any] = next(
        (t for t in engine.get("storage") or () if t and t.get("class") in ("ram", "dcpm")), {}
    )
    directory = f"{metadata}/daos_control/engine{index}" if metadata else scm.get("scm_mount", "")
    return {
        "port": engine.get("fabric_iface_port"),
        "log": engine_log(engine, index, logs),
        "superblock": f"{directory}/superblock",
        "persistent": bool(metadata) or scm.get("class") == "dcpm",
    }


def unformatted(
    servers: Iterable[ServerHost], superblocks: Mapping[str, Collection[str]]
) -> list[Unformatted]:
    """The engines without a superblock.

    Args:
        servers: the servers to check.
        superblocks: the existing superblocks of each server.

    Raises:
        KeyError: the superblocks of a server are unknown.
    """
    return [
        {
            "host": server["name"],
            "engine": f"{server['name']} engine {index} ({engine['superblock']})",
            "persistent": engine["persistent"],
        }
        for server in servers
        for index, engine in enumerate(server["engines"])
        if engine["superblock"] not in superblocks[server["name"]]
    ]
