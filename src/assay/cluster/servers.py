"""The servers of an inventory, as their ranks are found and the files of their engines looked for.

What is read here are the variables of the roles, before anything is judged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypedDict


class EngineFiles(TypedDict):
    """What distinguishes an engine from the others of its host, and where it keeps its files."""

    port: int | None
    """Its fabric port, if it was given one."""
    log: str
    superblock: str
    """The file that is there if, and only if, the engine is formatted."""
    persistent: bool
    """Whether the superblock outlives a reboot."""


class ServerHost(TypedDict):
    """A host of the group daos_server. Ansible keeps it as a fact, so it is a plain dictionary."""

    name: str
    addresses: list[str]
    names: list[str]
    """Those by which the system may know it."""
    engines: list[EngineFiles]


class Unformatted(TypedDict):
    """An engine without a superblock."""

    host: str
    engine: str
    """For people: host, index and superblock."""
    persistent: bool


def server(host: Mapping[str, Any], logs: str) -> ServerHost:
    """A server, by its variables and facts.

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
    """The log of an engine: the one that it names, or one of its index in a directory."""
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
        servers: those to look at.
        superblocks: by server, the superblocks that are there.

    Raises:
        KeyError: nobody looked for the superblocks of a server.
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
