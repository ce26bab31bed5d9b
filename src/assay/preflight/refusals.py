"""The refusals of roles and the hosts that did not answer, as problems.

The preflight's playbook collects both and adds them to the description, so that one table has
everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.foreign.text import one_line
from assay.problems import Problem

KEYS = ("refusals", "unreachable")
"""Keys of a description: refusals by host, and names of hosts."""


def refusals(document: Mapping[str, Any]) -> Iterator[Problem]:
    """The problems that were found before the description was complete."""
    absent = document.get("unreachable")
    for name in absent if isinstance(absent, list) else ():
        yield Problem(
            str(name),
            "",
            None,
            "should be reachable by ssh, with sudo there, but was not examined: fix that, or"
            " remove the host from the inventory",
        )
    by_host = document.get("refusals")
    for name, refused in by_host.items() if isinstance(by_host, dict) else ():
        for refusal in refused if isinstance(refused, list) else ():
            yield _problem(str(name), refusal)


def _problem(host: str, refusal: Any) -> Problem:
    """A refusal with key, value and what is allowed, or the message of a task that failed."""
    if not isinstance(refusal, dict):
        return Problem(host, "", None, one_line(str(refusal)).removeprefix(f"{host}: "))
    key, value = one_line(str(refusal.get("key", ""))), refusal.get("value")
    shown = None if value is None else one_line(str(value))
    return Problem(host, key, shown, one_line(str(refusal.get("allowed", "is refused"))))
