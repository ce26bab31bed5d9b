"""The releases of DAOS that its parts print: by `daos health check`, or `daos version`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field, ValidationError

from assay.cluster.releases import release_of
from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.daos_user import VERSION

OF_DAOS = ("server", "client", "libdaos")
"""The parts that are of DAOS itself, by the names of `daos health check`."""


def query() -> list[str]:
    """Command line that asks every release of DAOS for that of its client."""
    return ["daos", "-j", *VERSION]


class _Build(BaseModel):
    version: str = ""


class _Response(BaseModel):
    version: str = ""
    builds: Mapping[str, _Build] = Field({}, alias="component_build_info")


def printed(text: str) -> dict[str, str]:
    """The version of each part, from an answer to either question; empty if it has none."""
    try:
        response = _Response.model_validate(read_answer(text).response)
    except ValidationError:
        return {}
    builds = {**response.builds, "client": response.builds.get("client") or _Build()}
    if response.version:
        builds["client"] = _Build(version=response.version)
    return {
        name: builds[name].version for name in OF_DAOS if name in builds and builds[name].version
    }


def others(text: str, described: str) -> list[str]:
    """The parts that are of another release than the described one, each in a sentence."""
    return [
        f"DAOS {described} is described, and its {part} is of {version}: floors, tags and known"
        " defects would be those of another release"
        for part, version in printed(text).items()
        if release_of(version) != described
    ]
