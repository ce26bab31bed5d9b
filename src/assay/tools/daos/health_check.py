"""daos health check: the system, as a client of it sees it."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, Field, ValidationError

from assay.cluster.releases import since
from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.printed_releases import Build, versions
from assay.tools.text import first_error

RELEASES = since("2.8")
"""The releases that have it."""


def query() -> list[str]:
    """Command line that asks the agent, the servers and every pool."""
    return ["daos", "-j", "health", "check"]


class _Pool(BaseModel):
    label: str = ""
    dead: list[int] | None = Field(None, alias="dead_ranks")


class _Response(BaseModel):
    builds: dict[str, Build] = Field(alias="component_build_info")
    pools: dict[str, _Pool] | None = None

    def problems(self) -> Iterator[str]:
        found = versions(self.builds)
        if len(set(found.values())) > 1:
            reported = ", ".join(f"{name} {version}" for name, version in found.items())
            yield f"DAOS differs between its parts: {reported}; were the clients upgraded, too?"
        for uuid, pool in (self.pools or {}).items():
            if pool.dead:
                ranks = ", ".join(map(str, pool.dead))
                yield f"the pool {pool.label or uuid} has ranks that are dead: {ranks}"


def problems(text: str) -> list[str]:
    """Why the system is unfit to be measured, each reason in a sentence.

    Args:
        text: standard output of `query`.
    """
    answer = read_answer(text)
    if answer.error:
        return [f"daos health check failed: {answer.error}"]
    try:
        return list(_Response.model_validate(answer.response).problems())
    except ValidationError as error:
        return [f"daos health check: {first_error(error)}"]
