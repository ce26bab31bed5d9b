"""findmnt: the file system of a path, so that no benchmark mistakes the local disk for DAOS."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from assay.tools.contract import Contract
from assay.tools.json_output import json_objects
from assay.tools.output import Parsed
from assay.tools.text import first_error

TOOL = "findmnt"

KNOWS = Contract(TOOL, "util-linux 2.x", "its JSON")

DFUSE = "fuse.daos"
"""The type of a file system that dfuse mounted."""


def command(path: str) -> list[str]:
    """Command line that prints the mount of a path."""
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
        expected_type: required type of the path's file system.
        expected_target: required mount point. If several mounts are stacked on it, the last one
            counts, since it hides the others.
    """
    objects, invalid = json_objects(text)
    if invalid:
        return Parsed(TOOL, (), (f"findmnt found no mount: does the path exist? ({invalid})",))
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
        problems.append(f"the path is on {mount.target} instead of {expected_target}")
    return Parsed(TOOL, (), tuple(problems))
