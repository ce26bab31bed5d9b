"""Which figures are charted together: those of a metric, a subject, a host, or all of one kind.

A fault changes several figures: a slow SSD all of its own, a slow port those of all pairs that it
is in. Their median shows the fault earlier than any of them, and names what is slow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.judge.few_peers import FEWEST_PEERS
from assay.judge.limits import Numbers, numbered

Level = Literal["kind", "host", "part", "subject", "metric"]
LEVELS: tuple[Level, ...] = ("kind", "host", "part", "subject", "metric")
"""All peers; all that is measured of a host; that of one check; a subject; a single metric."""


@dataclass(frozen=True, slots=True)
class Charted:
    """One metric, as far as the chart needs to know it."""

    kind: Hashable
    """Metrics of one kind are peers."""
    check: str
    subject: Hashable
    hosts: tuple[Hashable, ...]
    """The hosts of its subject, two for a pair; none if it is a whole partition."""


@dataclass(frozen=True, slots=True)
class Family:
    """Metrics that one fault would change together."""

    level: Level
    name: Hashable
    """The kind, host or subject; for a single metric, its row."""
    checks: frozenset[str]
    rows: tuple[int, ...]

    @property
    def like(self) -> Hashable:
        """Families that scatter alike have the same value."""
        return self.level, self.checks


@dataclass(frozen=True, slots=True)
class Families:
    """The families of a cluster's metrics, and what their figures are computed from."""

    members: tuple[Family, ...]
    kind: Numbers
    """The number of each metric's kind."""
    places: tuple[tuple[Numbers, Numbers], ...]
    """For families of equal size: their numbers, and their rows as families by metrics."""
    like: Numbers
    """The number of families that scatter alike, for each family."""


def families(charted: Sequence[Charted]) -> Families:
    """The families of some metrics, the largest first; two of the same metrics are only one."""
    by_rows: dict[tuple[int, ...], Family] = {}
    for level, name, rows in _candidates(charted):
        checks = frozenset(charted[row].check for row in rows)
        by_rows.setdefault((level == "kind", *rows), Family(level, name, checks, tuple(rows)))
    members = tuple(by_rows.values())
    sizes: dict[int, list[int]] = defaultdict(list)
    for number, family in enumerate(members):
        if family.level != "kind":
            sizes[len(family.rows)].append(number)
    places = tuple(
        (np.array(numbers), np.array([members[number].rows for number in numbers]))
        for numbers in sizes.values()
    )
    kind = numbered(each.kind for each in charted)
    return Families(members, kind, places, numbered(family.like for family in members))


def _candidates(charted: Sequence[Charted]) -> Iterator[tuple[Level, Hashable, list[int]]]:
    rows_of: dict[tuple[Level, tuple[Hashable, ...]], list[int]] = defaultdict(list)
    for row, each in enumerate(charted):
        rows_of["kind", (each.kind,)].append(row)
        rows_of["subject", (each.check, each.subject)].append(row)
        rows_of["metric", (row,)].append(row)
        for host in each.hosts:
            rows_of["host", (host,)].append(row)
            rows_of["part", (each.check, host)].append(row)
    for level in LEVELS:
        for (its_level, key), rows in rows_of.items():
            if its_level == level and (level != "kind" or len(rows) >= FEWEST_PEERS):
                yield level, key[-1], rows
