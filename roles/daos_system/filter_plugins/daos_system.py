"""What dmg answers and the inventory holds, as the tasks of this role ask `assay` for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.cluster import servers
from assay.tools import pools, ranks
from assay.tools.daos_answer import Answer, read_answer

Result = Mapping[str, Any]
"""What `ansible.builtin.command` returns of one run of dmg."""


def answer(result: Result) -> dict[str, Any]:
    """What a run answered: `error`, empty if all is well, and `uninitialized`."""
    read = _read(result)
    return {"error": read.error, "uninitialized": read.uninitialized}


def _read(result: Result) -> Answer:
    stderr = result.get("stderr") or result.get("msg") or ""
    return read_answer(result.get("stdout") or "", stderr, result.get("rc"))


def unjoined(query: Result, there: Sequence[servers.ServerHost]) -> list[servers.ServerHost]:
    """The servers that have fewer joined ranks than engines."""
    return ranks.unjoined(_read(query), there)


def problems(query: Result, there: Sequence[servers.ServerHost]) -> list[str]:
    """What keeps the ranks from being joined: a sentence each."""
    return ranks.problems(_read(query), there)


def unformatted(
    there: Sequence[servers.ServerHost], hosts: Mapping[str, Mapping[str, Any]]
) -> list[servers.Unformatted]:
    """The engines without a superblock, by what each of their hosts has registered."""
    names = [server["name"] for server in there]
    found = {name: hosts[name]["__daos_system_superblocks"]["stdout_lines"] for name in names}
    return servers.unformatted(there, found)


class FilterModule:
    """The filters of the role daos_system."""

    def filters(self) -> dict[str, Any]:
        """Each by its name in templates."""
        return {
            "daos_system_answer": answer,
            "daos_system_server": servers.server,
            "daos_system_unformatted": unformatted,
            "daos_system_unjoined": unjoined,
            "daos_system_rank_problems": problems,
            "daos_system_pool_problems": pools.problems,
        }
