"""DAOS's log lines, which stand in the output of every tool that is linked with it; its errors."""

from __future__ import annotations

import re

# 2.8 writes the year, 2.4 and 2.6 write `11/21-04:21:22.50`.
_LOG = re.compile(
    r"^(?:\d{4}/)?\d\d/\d\d[ -]\d\d:\d\d:\d\d\.\d+ \S+ \w+\[\d+/\d+/\d+\]"
    r" \S+ +(?P<level>[A-Z]+) +\S+ (?P<said>.*)$",
    re.MULTILINE,
)
_SERIOUS = ("ERR", "CRIT", "ALRT", "EMRG")

# Said by every process that is not root where the file limit is at its maximum already.
_HARMLESS = "setrlimit() failed. Unable to bump file descriptor limit"

_ERROR = re.compile(r"(?<!\d)-(\d{4})(?!\d)")
_MEANINGS = {
    1001: "not permitted",
    1003: "invalid parameters",
    1005: "it does not exist",
    1007: "no space left",
    1011: "no answer in time",
    1012: "busy",
    1019: "no such rank",
    2034: "the agent does not answer; is daos_agent running?",
}


def without_log(text: str) -> str:
    """The text without the log lines of DAOS's libraries."""
    return "\n".join(line for line in text.splitlines() if not _LOG.match(line))


def logged_errors(text: str) -> list[str]:
    """What DAOS's libraries logged as an error, in order, without those that do no harm."""
    return [
        line["said"]
        for line in _LOG.finditer(text)
        if line["level"] in _SERIOUS and _HARMLESS not in line["said"]
    ]


def reason(text: str) -> str | None:
    """The last error that was logged with a code, or without one: what it means, and its words."""
    errors = logged_errors(text)
    with_code = [error for error in errors if _ERROR.search(error)]
    last = (with_code or errors)[-1:]
    return f"{meaning(last[0])} ({last[0]})" if last else None


def meaning(error: str) -> str:
    """What the last DAOS error code in a message means, such as ``no space left`` for -1007."""
    codes = [int(code) for code in _ERROR.findall(error)]
    return _MEANINGS.get(codes[-1], f"DAOS error -{codes[-1]}") if codes else "it does not say why"
