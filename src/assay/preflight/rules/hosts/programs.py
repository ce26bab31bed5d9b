"""The owners of programs that root runs, and of directories in which root creates others."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfHost
from assay.problems import Problem

_REMEDY = (
    "only root may write a program that measures, and the directories on its path, since it runs"
    " as root or decides what is signed: chown root and chmod go-w, or install it elsewhere"
)

_REMEDY_OF_DIRECTORIES = (
    "only root may write a directory above reframe_prefix/campaigns, benchmarks_scratch, scm_mount"
    " and the paths of daos_client_mounts, since root makes directories there for another user, and"
    " a link in their place would give away what it leads to: chown root and chmod go-w, or name"
    " another directory"
)


@OfHost.rule
def program_rules(of: OfHost) -> Iterator[Problem]:
    """Require that only root can replace a program, or put a link where root makes a directory."""
    name, host = of.name, of.host
    for file in host.writable:
        value = f"{file.path} of {file.owner} with mode {file.mode}"
        yield Problem(name, "programs", value, _REMEDY)
    for file in host.replaceable:
        value = f"{file.path} of {file.owner} with mode {file.mode}"
        yield Problem(name, "directories", value, _REMEDY_OF_DIRECTORIES)
