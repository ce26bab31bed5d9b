"""A simulated cluster: what is measured of its hosts, and how a sign-off judges that.

Each host has eight SSDs with three metrics each, one engine, and a client with four figures.
FiPingpong measures a ring of pairs; SelfTestCrossServer every two hosts of up to 16, and beyond
that each with seven others. IOR and IO500 measure all clients at once. Each check takes as many
samples as the scale `acceptance` asks for. Nothing here knows how verdicts are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.judge.fakes import FEWEST, fakes
from assay.judge.in_common import settled_rows
from assay.judge.limits import NO_END, Flags, Limits
from assay.judge.rating import Rating, rate
from assay.judge.stats import Array, Summaries, summarize_all

SAMPLES = 11
"""Samples of the checks that take the most."""
SSDS = 8


@dataclass(frozen=True, slots=True)
class Kind:
    """One metric of a check."""

    check: str
    name: str
    unit: str
    level: float
    """Of a sound host."""
    fraction: float
    """Of the bound that this is."""
    floor: float | None
    """As a fraction of the bound; none: there is neither."""
    noise: str
    """The series of the recording that it scatters like."""
    samples: int
    """At the scale `acceptance`."""
    each: int = 1
    """Of so many subjects on each host; 0 where all hosts are one subject."""
    more: bool = True
    pairs: str = ""
    """`ring` or `all`; empty where it is not of pairs."""
    moved_mib: float = 0.0
    """What one sample moves, where the tool divides it by whole milliseconds, as fio does."""


_NET, _TIME = "fi_pingpong bandwidth_1m", "fi_pingpong latency_64b"
_READ, _WRITE, _RANDOM = "fio read_1m", "fio write_1m", "fio randread_4k"

KINDS = (
    Kind("FiPingpong", "bandwidth", "MiB/s", 20_000.0, 0.8, 0.4, _NET, 11, pairs="ring"),
    Kind("FiPingpong", "latency", "us", 21.0, 0.8, None, _TIME, 11, more=False, pairs="ring"),
    Kind("CrossServer", "get", "MiB/s", 18_000.0, 0.8, 0.6, _NET, 5, pairs="all"),
    Kind("Nvme", "alone", "MiB/s", 6500.0, 0.97, 0.92, _READ, 11, SSDS, moved_mib=16_384.0),
    Kind("Nvme", "together", "MiB/s", 6400.0, 0.96, 0.92, _READ, 11, SSDS, moved_mib=16_384.0),
    Kind("Nvme", "rate", "IO/s", 700_000.0, 0.8, 0.7, _RANDOM, 11, SSDS),
    Kind("VosPerf", "update", "MiB/s", 4000.0, 0.8, None, _WRITE, 7),
    Kind("VosPerf", "fetch", "MiB/s", 8000.0, 0.8, None, _READ, 7),
    Kind("SelfTest", "get", "MiB/s", 18_000.0, 0.8, 0.6, _NET, 5),
    Kind("SelfTest", "latency", "us", 7.4, 0.8, None, _TIME, 5, more=False),
    Kind("Client", "write", "MiB/s", 9000.0, 0.8, 0.525, "fdb_hammer write", 5),
    Kind("Client", "read", "MiB/s", 11_000.0, 0.8, 0.486, "fdb_hammer read", 5),
    Kind("Client", "rate", "IO/s", 300_000.0, 0.8, 0.068, _RANDOM, 5),
    Kind("Client", "latency", "us", 130.0, 0.8, None, _TIME, 5, more=False),
    Kind("Ior", "write", "MiB/s", 80_000.0, 0.8, 0.525, _WRITE, 5, 0),
    Kind("Ior", "read", "MiB/s", 100_000.0, 0.8, 0.6, _READ, 5, 0),
    Kind("Io500", "write", "MiB/s", 60_000.0, 0.7, 0.525, _WRITE, 3, 0),
    Kind("Io500", "read", "MiB/s", 70_000.0, 0.7, 0.6, _READ, 3, 0),
)
ROUNDED = 1.03
"""A figure may be so much above its bound, since datasheets round."""


class Cluster:
    """So many hosts, and what is measured of them: an array of rows.

    Args:
        hosts: number of hosts; each is a server and a client.
        rounds: how many times the samples of the scale are measured.
        declared: the share of the hosts, the last ones, that the inventory declares as another
            population.
    """

    def __init__(self, hosts: int, rounds: int = 1, declared: float = 0.0) -> None:
        self.hosts = hosts
        self.columns = SAMPLES * rounds
        rows = [
            (number, host, part, peer)
            for number, kind in enumerate(KINDS)
            for host, part, peer in self._subjects(kind)
        ]
        self.kind, self.host, self.part, self.peer = (
            np.array(column) for column in zip(*rows, strict=True)
        )
        self.paired = self.of_kinds(lambda kind: bool(kind.pairs))
        self.more = self.of_kinds(lambda kind: kind.more)
        self.level = self.of_kinds(lambda kind: kind.level)
        fraction = self.of_kinds(lambda kind: kind.fraction)
        self.count = self.of_kinds(lambda kind: kind.samples)
        places = np.arange(self.columns)
        self.within = np.where(places < rounds * self.count[:, None], places, -1)
        """The number of each sample; -1 for none."""
        floor = self.of_kinds(lambda kind: kind.floor or np.nan)
        self.best = np.where(np.isnan(floor), np.nan, self.level / fraction * ROUNDED)
        self.worst = floor * self.level / fraction
        checks = {kind.check: number for number, kind in enumerate(KINDS)}
        check = self.of_kinds(lambda kind: checks[kind.check])
        wide = hosts + 1
        self.subject = ((check * wide + self.host) * wide + self.peer) * SSDS + self.part
        ends = np.stack([self.host, self.peer], axis=1)
        first = hosts - round(declared * hosts)
        others = [(first <= end) & (end < hosts) for end in (self.host, self.peer)]
        self.limits = Limits(
            self.best,
            self.worst,
            self.more,
            self.kind * 3 + others[0] + others[1],
            self.subject,
            self.host,
            np.where(self.paired[:, None], ends, NO_END),
            check=check,
        )

    def _subjects(self, kind: Kind) -> list[tuple[int, int, int]]:
        """Host, part and peer of each subject; what is no pair has itself as its peer."""
        count = self.hosts
        if not kind.each:
            return [(count, 0, count)]
        if not kind.pairs:
            return [(host, part, host) for host in range(count) for part in range(kind.each)]
        if kind.pairs == "ring":
            return [(host, 0, (host + 1) % count) for host in range(count)]
        if count <= 16:
            return [(a, 0, b) for a, b in combinations(range(count), 2)]
        strides = {round(((count - 1) // 2) ** (step / 6)) for step in range(7)}
        return [(a, 0, (a + stride) % count) for stride in sorted(strides) for a in range(count)]

    def of_kinds(self, of):  # type: ignore[no-untyped-def]
        """What is said of its kind, for each row."""
        return np.array([of(kind) for kind in KINDS])[self.kind]

    def of(self, check: str) -> Flags:
        """The rows of a check."""
        return np.asarray(self.of_kinds(lambda kind: kind.check == check))

    def with_host(self, hosts: object) -> Flags:
        """The rows that a host, or one of several, has a part in."""
        chosen = np.atleast_1d(np.asarray(hosts))
        return np.asarray(np.isin(self.host, chosen) | np.isin(self.peer, chosen))

    def measured(self, noise: Array, *, whole: bool = False) -> Array:
        """The samples, as tools print them; NaN beyond the last of each row.

        A figure of fio is a size over whole milliseconds. Of the others, times are printed in whole
        microseconds, or all in ten digits.
        """
        relative = np.where(self.more[:, None], 1 + noise, 1 / (1 + noise))
        samples = self.level[:, None] * relative
        if whole:
            samples = np.where(self.more[:, None], samples, np.maximum(1, np.rint(samples)))
        moved = self.of_kinds(lambda kind: kind.moved_mib)[:, None]
        ticks = np.maximum(1, np.rint(moved / samples * 1000))
        samples = np.where(moved > 0, np.round(moved / ticks * 1000, 6), np.round(samples, 4))
        return np.asarray(np.where(self.within >= 0, samples, np.nan))

    def judged(self, samples: Array) -> Rating:
        """As the sign-off judges; a row of NaN was not measured."""
        return self.summarized(samples)[1]

    def summarized(self, samples: Array) -> tuple[Summaries, Rating]:
        """What the samples say together, and how they are judged."""
        _, whole = self.rows(samples)
        rows, summaries, _ = settled_rows(whole, self.limits)
        return summaries, rate(summaries, self.limits, self.fakes(whole), rows)

    def fakes(self, rows: list[list[float]], fewest: int = FEWEST) -> Flags:
        """The rows that nobody measured."""
        moved = self.of_kinds(lambda kind: kind.moved_mib)
        with np.errstate(divide="ignore"):
            steps = np.where(moved > 0, self.level**2 / (moved * 1000), 0.0)
        names, groups, subjects = [""] * len(rows), self.kind.tolist(), self.subject.tolist()
        found = fakes(rows, groups, names, subjects, fewest, steps.tolist())
        return np.isin(np.arange(len(rows)), list(found))

    @staticmethod
    def rows(samples: Array) -> tuple[Summaries, list[list[float]]]:
        """The samples of each row up to its first NaN, and what they say together."""
        counts = np.argmax(
            np.isnan(np.pad(samples, ((0, 0), (0, 1)), constant_values=np.nan)), axis=1
        )
        rows = [row[:count] for row, count in zip(samples.tolist(), counts.tolist(), strict=True)]
        return summarize_all(rows), rows
