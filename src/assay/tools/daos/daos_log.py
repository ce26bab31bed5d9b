"""DAOS's log lines, which appear in the output of every tool linked with it, and its errors.

Hosts without `assay` use this file, too: the module `daos_engine_errors` of the role daos_server
reads the engines' logs. So it uses only the standard library of Python 3.9.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterator
from typing import NamedTuple

# 2.8 writes the year, 2.4 and 2.6 write `11/21-04:21:22.50`.
_LOG = re.compile(
    r"^(?:(?P<year>\d{4})/)?(?P<day>\d\d/\d\d)[ -](?P<clock>\d\d:\d\d:\d\d)\.\d+ \S+"
    r" \w+\[\d+/-?\d+/\d+\] (?P<facility>\S+) +(?P<level>[A-Z]+) +\S+ (?P<message>.*)$",
    re.MULTILINE,
)
_SERIOUS = ("ERR", "CRIT", "ALRT", "EMRG")

# Every process without root prints this if the limit of open files is already at its maximum.
_HARMLESS = "setrlimit() failed. Unable to bump file descriptor limit"

_ERROR = re.compile(r"(?<!\d)-(\d{4})(?!\d)")
_MEANINGS = {
    1001: "not permitted; may this account write to it (its ACL)?",
    1002: "invalid handle: the pool was evicted, its container destroyed, or the agent restarted",
    1003: "invalid parameters",
    1005: "it does not exist",
    1007: "no space left",
    1011: "no answer in time",
    1012: "busy",
    1019: "no such rank",
    1020: "an RPC failed; does the agent give this host an interface that reaches the engines?",
    1032: "the rank was excluded",
    2021: "a checksum is wrong",
    2026: "data is lost",
    2031: "more failures than the redundancy of the container allows",
    2034: "the agent does not answer; is daos_agent running?",
    2039: "the pool's service does not answer",
    2050: "the container does not exist",
    2051: "the container is being destroyed",
}


def without_log(text: str) -> str:
    """The text without the log lines of DAOS's libraries."""
    return "\n".join(line for line in text.splitlines() if not _LOG.match(line))


def logged_errors(text: str) -> list[str]:
    """The errors that DAOS's libraries logged, in order, without the harmless ones."""
    return [
        line["message"]
        for line in _LOG.finditer(text)
        if line["level"] in _SERIOUS and _HARMLESS not in line["message"]
    ]


class Logged(NamedTuple):
    """An error in a log."""

    at: float
    """Seconds since the epoch, to the second."""
    facility: str
    """The part of DAOS that logged it, such as ``vos``."""
    message: str


def errors_since(text: str, since: float) -> Iterator[Logged]:
    """The errors that were logged since a time, in order, without the harmless ones.

    Args:
        text: a log of this host, since its times are local ones.
        since: seconds since the epoch; it also has the year, which older releases leave out.
    """
    this_year = time.localtime(since).tm_year
    for line in _LOG.finditer(text):
        if line["level"] not in _SERIOUS or _HARMLESS in line["message"]:
            continue
        at = _logged_at(line, this_year)
        if at is not None and at >= since:
            yield Logged(at, line["facility"], line["message"])


def begins_before(text: str, since: float) -> bool:
    """Whether the first line of a log is from before a time; the arguments are those above."""
    first = _LOG.search(text)
    at = _logged_at(first, time.localtime(since).tm_year) if first else None
    return at is not None and at < since


def _logged_at(line: re.Match[str], this_year: int) -> float | None:
    written = f"{line['year'] or this_year}/{line['day']} {line['clock']}"
    try:
        return time.mktime(time.strptime(written, "%Y/%m/%d %H:%M:%S"))
    except ValueError:
        return None


def reason(text: str) -> str | None:
    """The last logged error that has a code, or else the last one: its meaning and its text."""
    errors = logged_errors(text)
    with_code = [error for error in errors if _ERROR.search(error)]
    last = (with_code or errors)[-1:]
    return f"{meaning(last[0])} ({last[0]})" if last else None


_PROGRAM = re.compile(
    r"^ERROR \([\w.-]+:\d+\): \d+: (?P<code>-\d{4}): (?P<message>.+)$", re.MULTILINE
)
"""The line of IOR and mdtest that names the failed function of DAOS and its error code."""


_FILE_SYSTEM = re.compile(
    r"^ERROR \([\w.-]+:\d+\): \d+: (?P<errno>\d{1,3}): (?P<message>dfs_.+)$", re.MULTILINE
)
"""The same line for a function of DAOS's file system, which returns an errno."""

_ERRNO = {
    errno.EPERM: "not permitted; may this account write to the container (its ACL)?",
    errno.EACCES: "not permitted; may this account write to the container (its ACL)?",
    errno.EROFS: "the container is open for reading alone",
}


def first_cause(text: str) -> str | None:
    """The first error with a DAOS error code, in words; None if there is no such error.

    It is the first because later errors follow from it. An error of the program itself takes
    precedence over one of DAOS's library, which takes precedence over an errno.
    """
    if own := _PROGRAM.search(text):
        return f"{own['message']}: {meaning(own['code'])} ({own['code']})"
    with_code = [error for error in logged_errors(text) if _ERROR.search(error)]
    if with_code:
        return f"{meaning(with_code[0])} ({with_code[0]})"
    if own := _FILE_SYSTEM.search(text):
        number = int(own["errno"])
        return f"{_ERRNO.get(number, os.strerror(number))} ({own['message']}, errno {number})"
    return None


def meaning(error: str) -> str:
    """The meaning of the last DAOS error code in a message, such as ``no space left`` for -1007."""
    codes = [int(code) for code in _ERROR.findall(error)]
    return _MEANINGS.get(codes[-1], f"DAOS error -{codes[-1]}") if codes else "it does not say why"
