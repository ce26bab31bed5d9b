"""daos, as a user asks it who administers nothing: system, pool and container.

It knows no state of the ranks, and no properties of a pool: these only `dmg` reports. The keys are
those of DAOS 2.8.
"""

from __future__ import annotations

import re
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from assay.tools.daos.daos_answer import NO_CLIENT, NO_PERMISSION, NOT_THERE, read_answer
from assay.tools.text import first_error


class UnansweredError(Exception):
    """Why daos did not answer, in a sentence."""


VERSION = ("version",)
SYSTEM = ("system", "query")


def pool_query(pool: str) -> list[str]:
    """Arguments that report a pool's targets and free space."""
    return ["pool", "query", pool]


def container_query(pool: str, container: str) -> list[str]:
    """Arguments that report the layout of a container."""
    return ["container", "query", pool, container]


def container_properties(pool: str, container: str) -> list[str]:
    """Arguments that report the properties of a container."""
    return ["container", "get-prop", pool, container]


def container_destroy(pool: str, container: str) -> list[str]:
    """Arguments that destroy a container, even if a client has it open."""
    return ["container", "destroy", "--force", pool, container]


class Rank(BaseModel):
    """A rank, and the address of its engine."""

    rank: int
    uri: str

    @property
    def address(self) -> str:
        """The host's part of ``ofi+tcp://192.0.2.1:31316``; empty if it has none."""
        match = re.search(r"://\[?([^\]]+?)\]?:\d+$", self.uri)
        return match[1] if match else ""


class AttachedSystem(BaseModel):
    """What an agent gives to a client."""

    name: str = Field(alias="system_name")
    provider: str = Field(alias="fabric_provider")
    ranks: list[Rank] = Field(alias="rank_uris", min_length=1)


class _Tier(BaseModel):
    total: int
    free: int


class Pool(BaseModel):
    """A pool that the user may read."""

    uuid: str
    targets: int = Field(alias="total_targets", ge=1)
    tiers: list[_Tier] = Field(alias="tier_stats", min_length=1)

    @property
    def free(self) -> int:
        """The free bytes of the tier that has most of them, where data goes."""
        return max(tier.free for tier in self.tiers)


class Version(BaseModel):
    """The release of the client."""

    version: str


_Response = TypeVar("_Response", bound=BaseModel)


def read(model: type[_Response], printed: str, what: str, account: str = "you") -> _Response:
    """The response in an answer of daos.

    Args:
        model: of the response.
        printed: standard output, or what stands for it.
        what: was asked for, such as ``the pool tank``, for the sentence.
        account: who asks.

    Raises:
        UnansweredError: there is none.
    """
    answer = read_answer(printed)
    if answer.error:
        raise UnansweredError(refusal(answer.error, what, account))
    try:
        return model.model_validate(answer.response)
    except ValidationError as error:
        raise UnansweredError(f"daos gave an unexpected answer: {first_error(error)}") from error


def refusal(error: str, what: str, account: str = "you") -> str:
    """Why daos refused something, in a sentence on which a user can act."""
    if NO_CLIENT in error:
        return (
            f"DAOS's client does not start here, so {what} cannot be reached ({error}): does"
            " daos_agent run on this host?"
        )
    if NO_PERMISSION in error:
        return (
            f"{what} does not let {account} in ({error}): ask its owner for an entry in its ACL"
            " that allows rw"
        )
    if NOT_THERE in error:
        return f"{what} does not exist ({error})"
    return f"{what}: {error}"
