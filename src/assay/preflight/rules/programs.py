"""Who may change what is run when something is measured."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.findings import Finding

_REMEDY = (
    "only root may write a program that measures, and the directories on its path, since it runs"
    " as root or decides what is signed: chown root and chmod go-w, or install it elsewhere"
)


def program_rules(name: str, host: Host) -> Iterator[Finding]:
    """Nobody but root can replace a program between the preflight and the measurement."""
    for found in host.writable:
        value = f"{found.path} of {found.owner} with mode {found.mode}"
        yield Finding(name, "programs", value, _REMEDY)
