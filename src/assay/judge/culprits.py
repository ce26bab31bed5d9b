"""Names what makes figures slow: a host, a port, a device, or the path between some of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from assay.checks.entry import Requirement
from assay.judge.blame import Blame
from assay.judge.limits import NO_END, Numbers
from assay.judge.rating import Rating
from assay.judge.verdict import Verdict
from assay.subject import Subject, folded

LONGEST = 120
"""Maximum length of the names of one side, in characters; above it, they are counted instead."""


class Ends:
    """The ends of pairs, by number."""

    def __init__(self, required: Sequence[Requirement]) -> None:
        self._known: dict[Subject, int] = {}
        self.numbers = np.array([self._of(each.subject) for each in required], dtype=int).reshape(
            len(required), 2
        )
        self._names = list(map(str, self._known))

    def _of(self, subject: Subject) -> tuple[int, int]:
        if subject.peer is None:
            return NO_END, NO_END
        first, second = (self._known.setdefault(end, len(self._known)) for end in subject.ends)
        return first, second

    def named(self, numbers: Iterable[int]) -> str:
        """Some ends in words."""
        return several(self._names[number] for number in sorted(numbers))


def several(names: Iterable[str]) -> str:
    """The names in words, or their number if they are too many."""
    listed = list(dict.fromkeys(names))
    text = folded(listed)
    return text if len(text) <= LONGEST else f"{len(listed):,} of them, first {listed[0]}"


def culprits(
    required: Sequence[Requirement], rating: Rating, group: Numbers, ends: Ends
) -> list[str]:
    """The cause of each slow metric, as far as its peers show it; empty for other metrics."""
    named = [""] * len(required)
    populations: dict[Hashable, str] = {}
    slow = np.isin(rating.verdict, (Verdict.BELOW, Verdict.UNSTEADY))
    for row in np.flatnonzero(slow).tolist():
        blame = rating.blame.get(row)
        if blame is not None and blame.ends:
            named[row] = _of_pairs(blame, ends)
        elif blame is not None:
            number = int(group[row])
            if number not in populations:
                populations[number] = _worse(required, rating, group == number)
            named[row] = populations[number]
        elif rating.outlier[row] or rating.fitful[row] or _differs(rating, row):
            named[row] = str(required[row].subject)
    return named


def _differs(rating: Rating, row: int) -> bool:
    """Whether it is the worse one of a few peers, or so much better that it is a question."""
    return bool(rating.better[row] or not np.isnan(rating.figures.differing[row]))


def _of_pairs(blame: Blame, ends: Ends) -> str:
    sides = [ends.named(side) for side in blame.ends]
    if len(sides) == 1:
        return sides[0]
    return f"between {', '.join(sides[:-1])} and {sides[-1]}"


def _worse(required: Sequence[Requirement], rating: Rating, peers: Numbers) -> str:
    """The worse population: hosts if they are in it completely, otherwise subjects."""
    rows = np.flatnonzero(peers & (rating.figures.count > 0))
    worse = [row for row in rows.tolist() if not np.isnan(rating.figures.apart[row])]
    better = {required[row].host for row in rows.tolist() if np.isnan(rating.figures.apart[row])}
    hosts = [required[row].host for row in worse]
    if better.isdisjoint(hosts):
        return several(hosts)
    return several(str(required[row].subject) for row in worse)
