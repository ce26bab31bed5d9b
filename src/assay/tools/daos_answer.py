"""What `dmg -j` and `daos -j` answer.

Their exit statuses lie: `dmg system query` exits 0 with dead ranks. So their JSON is read, which is
the same in DAOS 2.4, 2.6 and 2.8 for what is read of it.

Hosts without `assay` read it with this file, too (see `assay.tools.pools`), so it has the standard
library and Python 3.9 alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .json_output import json_objects  # relative, since Ansible ships both to other packages

UNINITIALIZED = "system is uninitialized"
"""What the management service says while none of its hosts is formatted."""

_STOPPED = (124, 137)
"""The exit statuses of timeout(1), where it stopped a program and where it killed one."""


class Answer(NamedTuple):
    """An answer, whatever the exit status."""

    response: Any
    """As the program has it; an empty mapping where there is none."""
    error: str
    """A sentence, empty if all is well."""

    @property
    def uninitialized(self) -> bool:
        """Whether the system waits for its first format."""
        return UNINITIALIZED in self.error


def read_answer(stdout: str, stderr: str = "", status: int | None = 0) -> Answer:
    """Read what a run printed.

    Args:
        stdout: standard output. The client library writes its log to it, too.
        stderr: standard error.
        status: exit status, which is only asked where there is no JSON.
    """
    objects, _ = json_objects(stdout)
    if not objects:
        return Answer({}, _silence(stdout, stderr, status))
    return Answer(objects[0].get("response") or {}, _error(objects[0]))


def _silence(stdout: str, stderr: str, status: int | None) -> str:
    """Why a program printed no JSON."""
    if status in _STOPPED:
        return "no answer in time"
    lines = [line.strip() for line in (stdout + "\n" + stderr).splitlines()]
    return next((line for line in reversed(lines) if line), "no answer")


def _error(answer: dict[str, Any]) -> str:
    """Of each host where there are several, since the error as a whole only counts them."""
    response = answer.get("response")
    of_hosts = response.get("host_errors") if isinstance(response, dict) else None
    if of_hosts:
        return "; ".join(f"{hosts}: {error}" for error, hosts in of_hosts.items())
    if answer.get("error"):
        return str(answer["error"])
    return f"status {answer['status']}" if answer.get("status") else ""
