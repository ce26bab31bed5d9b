"""What the inventory says in DAOS's own words: every key is known, and of its kind.

This is judged before anything is made of the description, since a wrong kind of value hides what
it means. `assay.preflight.keys` has the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.cluster.daos import Version
from assay.preflight.keys import agent, server
from assay.preflight.keys.kinds import Kind, ListOf
from assay.problems import Problem

_PLACES: tuple[tuple[tuple[str, ...], Kind], ...] = (
    (("engines",), ListOf(server.ENGINE)),
    (("server", "control_metadata"), server.CONTROL_METADATA),
    (("server", "settings"), server.SETTINGS),
    (("agent", "settings"), agent.SETTINGS),
)


def daos_key_rules(name: str, host: Any, version: Version) -> Iterator[Problem]:
    """The keys and values of daos_server.yml and daos_agent.yml.

    Args:
        name: the host's name.
        host: the host, as its description was read.
        version: the release of DAOS that is deployed.
    """
    for place, kind in _PLACES:
        value = host
        for key in place:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            for where, wrong, allowed in kind.judge(value, version):
                yield Problem(name, f"{'.'.join(place)}{where}", wrong, allowed)
