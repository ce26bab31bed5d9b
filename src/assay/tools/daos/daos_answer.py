"""The answers of `dmg -j` and `daos -j`.

Their exit statuses are unreliable: `dmg system query` exits 0 even if ranks are dead. So their JSON
is read. The fields read here are the same in DAOS 2.4, 2.6 and 2.8.

Hosts without `assay` use this file, too (see `assay.tools.daos.pools`), so it uses only the
standard library of Python 3.9.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..json_output import json_objects  # relative, since Ansible ships both to other packages

NO_CLIENT = "failed to initialize DAOS API"
"""The error of `daos` where no agent runs."""

NO_PERMISSION, NOT_THERE = "(-1001)", "(-1005)"
"""What errors of `daos` end with."""

UNINITIALIZED = "system is uninitialized"
"""The error of the management service while none of its hosts is formatted."""

_STOPPED = (124, 137)
"""The exit statuses of timeout(1): 124 if it stopped the program, 137 if it killed it."""


class Answer(NamedTuple):
    """An answer, regardless of the exit status."""

    response: Any
    """The response as printed; an empty mapping if there is none."""
    error: str
    """A sentence; empty if there is no error."""

    @property
    def uninitialized(self) -> bool:
        """Whether the system waits for its first format."""
        return UNINITIALIZED in self.error


def read_answer(stdout: str, stderr: str = "", status: int | None = None) -> Answer:
    """Read the output of a run.

    Args:
        stdout: standard output. The client library writes its log there, too.
        stderr: standard error.
        status: exit status; it is used only if the output has no JSON.
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
    """The error of each host, if the answer lists them; the overall error only counts them."""
    response = answer.get("response")
    of_hosts = response.get("host_errors") if isinstance(response, dict) else None
    if of_hosts and isinstance(of_hosts, dict):
        return "; ".join(f"{hosts}: {error}" for error, hosts in of_hosts.items())
    if answer.get("error"):
        return str(answer["error"])
    return f"status {answer['status']}" if answer.get("status") else ""
