"""The container that a benchmark uses: whether it exists before the run, and its layout."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from assay.tools.contract import OF_DAOS, Contract
from assay.tools.daos import daos_properties
from assay.tools.daos.daos_answer import NO_CLIENT, NO_PERMISSION, NOT_THERE
from assay.tools.daos.daos_log import meaning
from assay.tools.daos.daos_user import container_properties
from assay.tools.json_output import json_objects, no_answer
from assay.tools.output import Parsed
from assay.tools.text import first_error

TOOL = "container"

KNOWS = Contract(TOOL, OF_DAOS, "the JSON answer of `daos -j container query` and the properties")


def query(pool: str, container: str) -> list[str]:
    """Command line that reports whether a container exists, and its layout."""
    return ["daos", "-j", "container", "query", pool, container]


def status(pool: str, container: str) -> list[str]:
    """Command line that reports the health of a container, also of one that cannot be opened."""
    return ["daos", "-j", *container_properties(pool, container), "--properties=status"]


def unclean(answer: str, pool: str, container: str) -> list[str]:
    """What mends a container, from an answer to `status`; empty if its health is not the cause."""
    if daos_properties.parse(answer).get("status") != _UNCLEAN:
        return []
    return [
        f"the container is {_UNCLEAN}: more servers were lost at once than its redundancy allows."
        " Once they are back, and if its data may be lost or is known to be whole: daos container"
        f" set-prop {pool} {container} --properties=status:healthy"
    ]


_UNCLEAN = "UNCLEAN"


class Container(BaseModel):
    """A container, as `daos container query` reports it."""

    uuid: str = Field(alias="container_uuid")
    pool_uuid: str = ""
    layout: str = Field(alias="container_type")
    file_oclass: str = Field(default="", alias="file_object_class")
    dir_oclass: str = Field(default="", alias="dir_object_class")
    health: str = ""


class _Answer(BaseModel):
    error: str | None
    response: Container | None


def same(before: str, after: str) -> bool:
    """Whether two answers to `query` describe the same container, and not just the same label."""
    was, now = _container(before), _container(after)
    return was is not None and now is not None and was.uuid == now.uuid


def identity(answer: str) -> tuple[str, str] | None:
    """UUIDs of the pool and of the container in an answer to `query`; None if it lacks either."""
    container = _container(answer)
    if container is None or not container.pool_uuid:
        return None
    return container.pool_uuid, container.uuid


def other_layout(answer: str, file_oclass: str | None, dir_oclass: str | None = None) -> list[str]:
    """Report a container with another object class than the described ones, if any.

    Args:
        answer: what `query` printed.
        file_oclass: of its files; None: none is described.
        dir_oclass: of its directories; None: none is described.
    """
    container = _container(answer)
    if container is None:
        return []
    classes = {
        "file": (container.file_oclass, file_oclass),
        "dir": (container.dir_oclass, dir_oclass),
    }
    return [
        f"the container's {_THINGS[key]} have the object class {seen}, but the description has"
        f" {described}, by which the figures would be judged: correct daos.{key}_oclass, or name"
        " another container"
        for key, (seen, described) in classes.items()
        if described is not None and seen not in ("", described)
    ]


_THINGS = {"file": "files", "dir": "directories"}


def _container(text: str) -> Container | None:
    answer = _answer(text)
    return answer.response if isinstance(answer, _Answer) else None


def _answer(text: str) -> _Answer | str:
    """The answer of `daos`, or the reason why the text is not one."""
    objects, invalid = json_objects(text)
    if invalid or len(objects) != 1:
        return f"no answer from daos: {no_answer(text, invalid)}"
    try:
        return _Answer.model_validate(objects[0])
    except ValidationError as error:
        return f"no answer from daos: {first_error(error)}"


def parse(text: str) -> Parsed:
    """Read the JSON of `query`. It gives no samples, only problems of the container."""
    answer = _answer(text)
    if isinstance(answer, str):
        return Parsed(TOOL, (), (answer,))
    container = answer.response
    if answer.error and NO_PERMISSION in answer.error:
        why = f"the container cannot be used: this account may not open it ({answer.error})"
        allow = "its owner can allow it: daos container update-acl --entry=A::USER@:rw POOL LABEL"
        return Parsed(TOOL, (), (f"{why}; {allow}",))
    if answer.error or not container:
        error = answer.error or "it gave no response"
        if NO_CLIENT in error:
            why = f"DAOS's client does not start here, so the container cannot be reached ({error})"
            return Parsed(TOOL, (), (f"{why}: does daos_agent run on this host?",))
        first = f"the container cannot be used: {meaning(error)} ({error})"
        if NOT_THERE in error:
            first += "; create it first: IOR and mdtest would create one with other properties"
        return Parsed(TOOL, (), (first,))
    problems = []
    if container.layout != "POSIX":
        problems.append(f"the container is of type {container.layout}; a file system needs POSIX")
    if container.health not in ("", "HEALTHY"):
        problems.append(f"the container is {container.health}: it has lost data")
    return Parsed(TOOL, (), tuple(problems))
