"""findmnt: on which file system a path lies, before a benchmark takes the local disk for DAOS."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from assay.tools.json_output import json_objects
from assay.tools.output import Parsed
from assay.tools.text import first_error

TOOL = "findmnt"

DFUSE = "fuse.daos"
"""The type of a file system that dfuse has mounted."""


def command(path: str) -> list[str]:
    """Command line that names the mount that a path lies on."""
    return [TOOL, "--json", "--output", "TARGET,SOURCE,FSTYPE", "--target", path]


class _Mount(BaseModel):
    target: str
    source: str
    fstype: str


class _Answer(BaseModel):
    filesystems: list[_Mount] = Field(min_length=1)


def parse(text: str, *, expected_type: str = DFUSE, expected_target: str | None = None) -> Parsed:
    """Read findmnt's JSON; there are no samples.

    Args:
        text: standard output.
        expected_type: the type of file system that the path has to be on.
        expected_target: the mount point that it has to be; of mounts over each other at one
            place, the last is the one that is seen.
    """
    objects, invalid = json_objects(text)
    if invalid:
        return Parsed(TOOL, (), (f"findmnt named no mount: is the path there? ({invalid})",))
    try:
        mount = _Answer.model_validate(objects[0]).filesystems[-1]
    except ValidationError as error:
        return Parsed(TOOL, (), (f"no answer of findmnt: {first_error(error)}",))
    problems = []
    if mount.fstype != expected_type:
        problems.append(
            f"the path is on {mount.source}, {mount.fstype} at {mount.target}, and not on"
            f" {expected_type}: is it mounted?"
        )
    elif expected_target is not None and mount.target != expected_target:
        problems.append(f"the path is on {mount.target}; meant is {expected_target}")
    return Parsed(TOOL, (), tuple(problems))
