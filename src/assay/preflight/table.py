"""Problems for people and for programs: one row for all hosts with the same one, errors first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from assay.problems import Problem


class Line(NamedTuple):
    """One problem, with all hosts that have it."""

    severity: str
    hosts: tuple[str, ...]
    """Empty for a problem of the whole cluster."""
    key: str
    value: object
    allowed: str


def rows(problems: Iterable[Problem]) -> list[Line]:
    """Combine problems with the same words into one row; errors come before warnings."""
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
    """The rows for programs; a value is text, or null if there is none."""
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
