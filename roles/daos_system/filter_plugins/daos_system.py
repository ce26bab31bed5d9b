"""Filters for the tasks of this role, which read answers of dmg and the inventory with `assay`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.cluster import servers
from assay.tools.daos import pools, ranks
from assay.tools.daos.daos_answer import Answer, read_answer

Result = Mapping[str, Any]
"""The result of `ansible.builtin.command` for one run of dmg."""


def answer(result: Result) -> dict[str, Any]:
    """The answer of a run: `error`, empty if there is none, and `uninitialized`."""
    read = _read(result)
    return {"error": read.error, "uninitialized": read.uninitialized}


def _read(result: Result) -> Answer:
    stderr = result.get("stderr") or result.get("msg") or ""
    return read_answer(result.get("stdout") or "", stderr, result.get("rc"))


def unjoined(query: Result, there: Sequence[servers.ServerHost]) -> list[servers.ServerHost]:
    """The servers with fewer joined ranks than engines."""
    return ranks.unjoined(_read(query), there)


def problems(
    query: Result,
    there: Sequence[servers.ServerHost],
    waiting: Sequence[servers.Unformatted] = (),
) -> list[str]:
    """Why not all ranks are joined: a sentence for each problem."""
    return ranks.problems(_read(query), there, waiting)


def unformatted(
    there: Sequence[servers.ServerHost], hosts: Mapping[str, Mapping[str, Any]]
) -> list[servers.Unformatted]:
    """The engines without a superblock, from the registered results of their hosts."""
    names = [server["name"] for server in there]
    superblocks = {name: hosts[name]["__daos_system_superblocks"]["stdout_lines"] for name in names}
    return servers.unformatted(there, superblocks)


class FilterModule:
    """The filters of the role daos_system."""

    def filters(self) -> dict[str, Any]:
        """The filters by their names in templates."""
        return {
            "daos_system_answer": answer,
            "daos_system_server": servers.server,
            "daos_system_unformatted": unformatted,
            "daos_system_unjoined": unjoined,
            "daos_system_rank_problems": problems,
            "daos_system_pool_problems": pools.problems,
        }
