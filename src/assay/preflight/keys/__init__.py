"""Every key of DAOS's configuration files: its name, its releases and its allowed values."""

from __future__ import annotations

from assay.cluster.releases import Version
from assay.preflight.keys import agent, server

CONTROL = ("name", "port", "hostlist", "transport_config")
"""The keys of daos_control.yml (`Config` in src/control/lib/control/config.go)."""


def written(version: Version) -> dict[str, list[str]]:
    """The keys that the roles may write for a release, by file; `engine` is in daos_server.yml.

    All three files are strict: a key that the release does not know keeps the program from
    starting.
    """
    sections = {
        "daos_server.yml": server.SETTINGS,
        "engine": server.ENGINE,
        "daos_agent.yml": agent.SETTINGS,
    }
    return {
        name: [key for key, each in section.keys.items() if each.is_for(version)]
        for name, section in sections.items()
    } | {"daos_control.yml": list(CONTROL)}
