"""The container that a benchmark is to use: that it is there before the run, and its layout."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from assay.tools.daos_log import meaning
from assay.tools.output import Parsed
from assay.tools.text import first_error, json_objects

TOOL = "container"


def query(pool: str, container: str) -> list[str]:
    """Command line that tells whether a container is there, and how it is laid out."""
    return ["daos", "-j", "container", "query", pool, container]


class _Container(BaseModel):
    layout: str = Field(alias="container_type")
    health: str = ""


class _Answer(BaseModel):
    error: str | None
    response: _Container | None


def parse(text: str) -> Parsed:
    """Read the JSON of `query`; there are no samples, and each problem is one of the container."""
    objects, invalid = json_objects(text)
    if invalid or len(objects) != 1:
        return Parsed(TOOL, (), (f"no answer of daos: {invalid or 'there is more than one'}",))
    try:
        answer = _Answer.model_validate(objects[0])
    except ValidationError as error:
        return Parsed(TOOL, (), (f"no answer of daos: {first_error(error)}",))
    found = answer.response
    if answer.error or not found:
        said = answer.error or "it gave no response"
        return Parsed(
            TOOL,
            (),
            (
                f"the container cannot be used: {meaning(said)} ({said}); make it first: IOR and"
                " mdtest would make one with properties of their own",
            ),
        )
    problems = []
    if found.layout != "POSIX":
        problems.append(f"the container is of type {found.layout}; a file system needs POSIX")
    if found.health not in ("", "HEALTHY"):
        problems.append(f"the container is {found.health}: it has lost data")
    return Parsed(TOOL, (), tuple(problems))
