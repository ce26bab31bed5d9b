"""A simulated cluster: what is measured of its hosts, and how a sign-off judges that.

Each host has eight SSDs with three metrics each, one engine, and a client with four figures.
FiPingpong measures a ring of pairs; SelfTestCrossServer every two hosts of up to 16, and beyond
that each with seven others. Nothing here knows how verdicts are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.judge.fakes import fakes
from assay.judge.limits import NO_END, Flags, Limits
from assay.judge.rating import Rating, rate
from assay.judge.stats import Array, Summaries, summarize_all

SAMPLES = 7
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
    each: int = 1
    """Of so many subjects on each host."""
    more: bool = True
    pairs: str = ""
    """`ring` or `all`; empty where it is not of pairs."""


_NET, _TIME = "fi_pingpong bandwidth_1m", "fi_pingpong latency_64b"
_READ, _WRITE, _RANDOM = "fio read_1m", "fio write_1m", "fio randread_4k"

KINDS = (
    Kind("FiPingpong", "bandwidth", "MiB/s", 20_000.0, 0.8, 0.4, _NET, pairs="ring"),
    Kind("FiPingpong", "latency", "us", 21.0, 0.8, None, _TIME, more=False, pairs="ring"),
    Kind("CrossServer", "get", "MiB/s", 18_000.0, 0.8, 0.6, _NET, pairs="all"),
    Kind("Nvme", "alone", "MiB/s", 6500.0, 0.97, 0.92, _READ, SSDS),
    Kind("Nvme", "together", "MiB/s", 6400.0, 0.96, 0.92, _READ, SSDS),
    Kind("Nvme", "rate", "IO/s", 700_000.0, 0.8, 0.7, _RANDOM, SSDS),
    Kind("VosPerf", "update", "MiB/s", 4000.0, 0.8, None, _WRITE),
    Kind("VosPerf", "fetch", "MiB/s", 8000.0, 0.8, None, _READ),
    Kind("SelfTest", "get", "MiB/s", 18_000.0, 0.8, 0.6, _NET),
    Kind("SelfTest", "latency", "us", 7.4, 0.8, None, _TIME, more=False),
    Kind("Client", "write", "MiB/s", 9000.0, 0.8, 0.525, "fdb_hammer write"),
    Kind("Client", "read", "MiB/s", 11_000.0, 0.8, 0.486, "fdb_hammer read"),
    Kind("Client", "rate", "IO/s", 300_000.0, 0.8, 0.068, _RANDOM),
    Kind("Client", "latency", "us", 130.0, 0.8, None, _TIME, more=False),
)
ROUNDED = 1.03
"""A figure may be so much above its bound, since datasheets round."""


class Cluster:
    """So many hosts, and what is measured of them: an array of rows."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts
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
        floor = self.of_kinds(lambda kind: kind.floor or np.nan)
        self.best = np.where(np.isnan(floor), np.nan, self.level / fraction * ROUNDED)
        self.worst = floor * self.level / fraction
        checks = {kind.check: number for number, kind in enumerate(KINDS)}
        check = self.of_kinds(lambda kind: checks[kind.check])
        self.subject = ((check * hosts + self.host) * hosts + self.peer) * SSDS + self.part
        ends = np.stack([self.host, self.peer], axis=1)
        self.limits = Limits(
            self.best,
            self.worst,
            self.more,
            self.kind,
            self.subject,
            self.host,
            np.where(self.paired[:, None], ends, NO_END),
        )

    def _subjects(self, kind: Kind) -> list[tuple[int, int, int]]:
        """Host, part and peer of each subject; what is no pair has itself as its peer."""
        count = self.hosts
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
        """The samples; times are printed in whole microseconds, or in ten digits."""
        relative = np.where(self.more[:, None], 1 + noise, 1 / (1 + noise))
        samples = self.level[:, None] * relative
        if whole:
            samples = np.where(self.more[:, None], samples, np.maximum(1, np.rint(samples)))
        return np.asarray(np.round(samples, 4))

    def judged(self, samples: Array) -> Rating:
        """As the sign-off judges; a row of NaN was not measured."""
        return self.summarized(samples)[1]

    def summarized(self, samples: Array) -> tuple[Summaries, Rating]:
        """What the samples say together, and how they are judged."""
        summaries, rows = self.rows(samples)
        fake = fakes(rows, self.kind.tolist(), [""] * len(self.kind), self.subject.tolist())
        flags = np.isin(np.arange(len(self.kind)), list(fake))
        return summaries, rate(summaries, self.limits, flags)

    @staticmethod
    def rows(samples: Array) -> tuple[Summaries, list[list[float]]]:
        """The samples of each row up to its first NaN, and what they say together."""
        counts = np.argmax(
            np.isnan(np.pad(samples, ((0, 0), (0, 1)), constant_values=np.nan)), axis=1
        )
        rows = [row[:count] for row, count in zip(samples.tolist(), counts.tolist(), strict=True)]
        return summarize_all(rows), rows
