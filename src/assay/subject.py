"""The subject of a figure: a host, its engine, device or rail, a backend, or a pair of these.

Reports, run reports and raw outputs name a subject by its spelling: ``n1``, ``n1/engine0``,
``n1/0000:81:00.0``, ``c1/rail-hsn0``, ``c1/pil4dfs``, ``clients/10-containers``, ``n1>n2``,
``s1/engine0>s2/engine0``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import total_ordering
from itertools import groupby

HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*")
"""Pattern of a host's name, which must fit into a metric's name and into a path."""

_PART = re.compile(
    r"engine(?P<engine>0|[1-9][0-9]{0,2})"
    r"|(?P<device>(?:[0-9a-f]{4}|[0-9a-f]{6}):[0-9a-f]{2}:[01][0-9a-f]\.[0-7])"
    r"|rail-(?P<rail>[A-Za-z0-9_.-]{1,15})"
    r"|(?P<containers>[1-9][0-9]{0,2})-containers"
    r"|(?P<backend>(?!engine)[a-z][a-z0-9]*)"
)


class SubjectError(ValueError):
    """The text is not a subject in its spelling."""


@total_ordering
@dataclass(frozen=True, slots=True)
class Subject:
    """One subject of a check; subjects are ordered by their spelling."""

    host: str
    """The name of the host, or of a partition if all its hosts are the subject."""
    engine: int | None = None
    """The number of an engine of the host."""
    device: str | None = None
    """The PCI address of an SSD of the host."""
    backend: str | None = None
    """The interface to the storage: ``dfs``, ``posix`` ..."""
    containers: int | None = None
    """The number of containers that the hosts write to."""
    rail: str | None = None
    """A network interface of a host that has several for DAOS (see `assay.cluster.rails`)."""
    peer: Subject | None = None
    """The other end of a pair."""
    _spelling: str = field(init=False, repr=False, compare=False)
    """Spelled once, since a large campaign prints its subjects a million times."""

    def __post_init__(self) -> None:
        part = self.part
        end = f"{self.host}/{part}" if part else self.host
        spelling = end if self.peer is None else f"{end}>{self.peer}"
        object.__setattr__(self, "_spelling", spelling)

    @classmethod
    def parse(cls, spelling: str) -> Subject:
        """Read a subject as `str` prints it.

        Raises:
            SubjectError: the text is not the spelling of a subject.
        """
        first, between, second = spelling.partition(">")
        if not between:
            return cls._parse_end(spelling)
        end, peer = cls._parse_end(first), cls._parse_end(second)
        return end.to(peer)

    @classmethod
    def _parse_end(cls, spelling: str) -> Subject:
        host, slash, part = spelling.partition("/")
        if not HOST.fullmatch(host):
            raise SubjectError(
                f"{host!r} is not a host name, which has only letters, digits, . _ and -"
            )
        if not slash:
            return cls(host)
        match = _PART.fullmatch(part)
        if match is None:
            raise SubjectError(
                f"{part!r} of {host} is not an engine, a PCI address, a rail, a backend or a number"
                " of containers, such as engine0, 0000:81:00.0, rail-hsn0, dfs or 10-containers"
            )
        engine, containers = match["engine"], match["containers"]
        return cls(
            host,
            engine=None if engine is None else int(engine),
            device=match["device"],
            backend=match["backend"],
            containers=None if containers is None else int(containers),
            rail=match["rail"],
        )

    def to(self, peer: Subject) -> Subject:
        """The pair of this and another subject."""
        return self._with(peer)

    @property
    def end(self) -> Subject:
        """The subject by itself; of a pair, the first end."""
        if self.peer is None:
            return self
        return self._with(None)

    def _with(self, peer: Subject | None) -> Subject:
        return Subject(
            self.host, self.engine, self.device, self.backend, self.containers, self.rail, peer
        )

    @property
    def ends(self) -> tuple[Subject, ...]:
        """Both ends of a pair; otherwise only the subject itself."""
        return (self,) if self.peer is None else (self.end, self.peer)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the subject, each once."""
        return tuple(dict.fromkeys(end.host for end in self.ends))

    @property
    def part(self) -> str:
        """The part of the host in its spelling; empty if the subject is the host itself."""
        if self.engine is not None:
            return f"engine{self.engine}"
        if self.containers is not None:
            return f"{self.containers}-containers"
        if self.rail is not None:
            return f"rail-{self.rail}"
        return self.device or self.backend or ""

    def __str__(self) -> str:
        return self._spelling

    def __lt__(self, other: Subject) -> bool:
        return self._spelling < other._spelling


_NUMBERED = re.compile(r"(.*?)([0-9]+)()")
_IN_DOMAIN = re.compile(r"([^.]*?)([0-9]+)(\..*)")


def folded(hosts: Iterable[str]) -> str:
    """Names of hosts for people: n[1-3,7],login,c[001-099].example.org.

    As ClusterShell's NodeSet folds them, which is not used: it takes characters of a refused name
    for operators and then drops names, and it reads the site's own settings.
    """
    return _folded_by(hosts, _NUMBERED, _IN_DOMAIN)


def nodelist(hosts: Iterable[str]) -> str:
    """Names of hosts for Slurm, to whose hostlists nothing may follow a bracket."""
    return _folded_by(hosts, _NUMBERED)


def _folded_by(hosts: Iterable[str], *patterns: re.Pattern[str]) -> str:
    by_ends: dict[tuple[str, str], set[str]] = {}
    for host in hosts:
        match = next(filter(None, (pattern.fullmatch(host) for pattern in patterns)), None)
        start, digits, end = match.groups() if match else (host, "", "")
        by_ends.setdefault((start, end), set()).add(digits)
    return ",".join(
        f"{start}{_folded(width, sorted(numbers)) if width else ''}{end}"
        for (start, end), all_digits in by_ends.items()
        for width, numbers in _by_width(all_digits).items()
    )


def _by_width(all_digits: set[str]) -> dict[int, list[int]]:
    """Numbers by the width to which zeros pad them; 1 without zeros, 0 without a number.

    A number without zeros has each width up to its own: 100 follows 099, and 10 follows 09 and 9.
    """
    padded = {len(digits) for digits in all_digits if digits.startswith("0")}
    numbers: dict[int, list[int]] = {}
    for digits in sorted(all_digits):
        own = len(digits)
        width = max((width for width in padded if width <= own), default=min(1, own))
        numbers.setdefault(width, []).append(int(digits or 0))
    return numbers


def _folded(width: int, numbers: list[int]) -> str:
    runs = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        ends = [f"{number:0{width}}" for _, number in run]
        runs.append(ends[0] if len(ends) == 1 else f"{ends[0]}-{ends[-1]}")
    return runs[0] if runs == [runs[0]] and "-" not in runs[0] else f"[{','.join(runs)}]"
