"""DAOS's own keys in the inventory: every key must be known, with a value of the right kind.

These rules run before the description is parsed, since the meaning of a value of the wrong kind is
unknown. `assay.preflight.keys` has the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.cluster.releases import Version
from assay.preflight.keys import agent, server
from assay.preflight.keys.kinds import Kind
from assay.problems import Problem

_PLACES: tuple[tuple[tuple[str, ...], Kind], ...] = (
    (("engines",), server.ENGINES),
    (("server", "control_metadata"), server.CONTROL_METADATA),
    (("server", "settings"), server.SETTINGS),
    (("agent", "settings"), agent.SETTINGS),
)


def daos_key_rules(name: str, host: Any, version: Version) -> Iterator[Problem]:
    """Require known keys and valid values for daos_server.yml and daos_agent.yml.

    Args:
        name: the host's name.
        host: the description of the host, not parsed.
        version: the deployed release of DAOS.
    """
    for place, kind in _PLACES:
        value = host
        for key in place:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            for where, actual, allowed in kind.judge(value, version):
                yield Problem(name, f"{'.'.join(place)}{where}", actual, allowed)
