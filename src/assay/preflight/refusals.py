"""The refusals of roles and the hosts that did not answer, as problems.

The preflight's playbook collects both and adds them to the description, so that one table has
everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.foreign.text import one_line
from assay.problems import Problem

KEYS = ("refusals", "unreachable")
"""Keys of a description: messages by host, and names of hosts."""

_SENTENCE = re.compile(
    r"(?P<key>[a-z_][\w.\[\]]*) (?:is|has|names) (?P<value>.*?); (?P<allowed>.*)", re.DOTALL
)


def refusals(document: Mapping[str, Any]) -> Iterator[Problem]:
    """The problems that were found before the description was complete."""
    absent = document.get("unreachable")
    for name in absent if isinstance(absent, list) else ():
        yield Problem(
            str(name),
            "",
            None,
            "should be reachable by ssh, with sudo there, and was not examined: mend that, or take"
            " the host out of the inventory",
        )
    by_host = document.get("refusals")
    for name, messages in by_host.items() if isinstance(by_host, dict) else ():
        for message in messages if isinstance(messages, list) else ():
            yield _problem(str(name), one_line(str(message)))


def _problem(host: str, message: str) -> Problem:
    """Parse a role's sentence `HOST: VARIABLE is VALUE; allowed is ...`; keep any other as is."""
    sentence = message.removeprefix(f"{host}: ")
    match = _SENTENCE.fullmatch(sentence)
    if match is None:
        return Problem(host, "", None, sentence)
    return Problem(host, match["key"], match["value"], match["allowed"])
