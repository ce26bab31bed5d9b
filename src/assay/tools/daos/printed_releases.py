"""The releases of DAOS that its parts print: by `daos health check`, or `daos version`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field, ValidationError

from assay.cluster.releases import release_of
from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.daos_user import VERSION

PARTS = ("server", "client", "libdaos")
"""The parts that are of DAOS itself, by the names of `daos health check`."""


def query() -> list[str]:
    """Command line that asks every release of DAOS for that of its client."""
    return ["daos", "-j", *VERSION]


class Build(BaseModel):
    """A part, as `daos health check` describes it."""

    version: str = ""


def versions(builds: Mapping[str, Build]) -> dict[str, str]:
    """The version of each part of DAOS itself that has one."""
    return {name: builds[name].version for name in PARTS if name in builds and builds[name].version}


class _Response(BaseModel):
    version: str = ""
    builds: Mapping[str, Build] = Field({}, alias="component_build_info")


def printed(text: str) -> dict[str, str]:
    """The version of each part, from an answer to either question; empty if it has none."""
    try:
        response = _Response.model_validate(read_answer(text).response)
    except ValidationError:
        return {}
    client = {"client": Build(version=response.version)} if response.version else {}
    return versions({**response.builds, **client})


def others(text: str, described: str) -> list[str]:
    """The parts that are of another release than the described one, each in a sentence."""
    return [
        f"DAOS {described} is described, and its {part} is of {version}: floors, tags and known"
        " defects would be those of another release"
        for part, version in printed(text).items()
        if release_of(version) != described
    ]
