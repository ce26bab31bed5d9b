"""Problems as people and programs read them: folded by hosts, the worst first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, NamedTuple

from assay.problems import Problem


class Line(NamedTuple):
    """One problem of all the hosts that have it."""

    severity: str
    hosts: tuple[str, ...]
    """None where it is the whole cluster's."""
    key: str
    value: object
    allowed: str


def rows(problems: Iterable[Problem]) -> list[Line]:
    """Problems with the same words are one; errors come before warnings."""
    hosts: dict[tuple[str, str, str, str], dict[str, None]] = {}
    values: dict[tuple[str, str, str, str], object] = {}
    for problem in problems:
        same = (problem.severity, problem.key, str(problem.value), problem.allowed)
        values.setdefault(same, problem.value)
        having = hosts.setdefault(same, {})
        if problem.host is not None:
            having[problem.host] = None
    folded_rows = [
        Line(same[0], tuple(having), same[1], values[same], same[3])
        for same, having in hosts.items()
    ]
    return sorted(folded_rows, key=lambda row: ("error", "warning").index(row.severity))


def as_json(problems: Iterable[Problem], named: Callable[[str], str]) -> list[dict[str, Any]]:
    """The rows for programs; a value as text, and null where there is none."""
    return [
        {
            "severity": row.severity,
            "hosts": list(row.hosts),
            "key": row.key,
            "variable": named(row.key),
            "value": None if row.value is None else str(row.value),
            "allowed": row.allowed,
        }
        for row in rows(problems)
    ]


_NUMBERED = re.compile(r"(.*?)(\d+)")


def folded(hosts: Iterable[str]) -> str:
    """Names of hosts in the words of Slurm: n[1-3,7],login."""
    by_start: dict[tuple[str, int], list[int]] = {}
    for host in hosts:
        match = _NUMBERED.fullmatch(host)
        start, digits = match.groups() if match else (host, "")
        padded = len(digits) if digits.startswith("0") else 0
        by_start.setdefault((start, padded), []).extend([int(digits)] if digits else [])
    return ",".join(
        _folded(start, width, sorted(set(numbers))) for (start, width), numbers in by_start.items()
    )


def _folded(start: str, width: int, numbers: list[int]) -> str:
    runs = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        ends = [f"{number:0{width}}" for _, number in run]
        runs.append(ends[0] if len(ends) == 1 else f"{ends[0]}-{ends[-1]}")
    if not runs:
        return start
    return start + (runs[0] if runs == [runs[0]] and "-" not in runs[0] else f"[{','.join(runs)}]")
