"""Which clients and engines measure each other, and in which rounds: a balanced design.

With up to `TOGETHER` clients, every engine is measured with all of them. With more clients, the
time of a campaign would grow with the product of clients and engines. So each engine is measured
with its own block of clients, in rounds in which no client is in two blocks, so that links do not
disturb each other. Each round uses another order of clients than the round before. So the measured
pairs connect all clients and engines, and a slow pair can be attributed to one end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, gcd
from typing import Generic, TypeVar

from assay.checks.subjects import each_engine, each_host
from assay.cluster.description import Cluster, Partition
from assay.cluster.once import once
from assay.cluster.rails import rails
from assay.subject import Subject

T = TypeVar("T")

TOGETHER = 16
"""Clients that measure an engine at once: sixteen links of 25 Gbit/s are as fast as one link of 400
Gbit/s of an engine (this project's own choice)."""

MEETINGS = 2
"""Minimum number of engines for each client; with one, either of the two could be the slow one."""

ALONE = 4
"""Number of these clients that measure the latency, one after the other (own choice)."""

Blocks = tuple[tuple[int, ...], ...]
"""The clients, by number, of each engine of a round."""


@lru_cache(maxsize=16)
def dealt(clients: int, engines: int) -> tuple[Blocks, ...]:
    """Assign clients to engines, in rounds whose blocks together have one block for each engine.

    Every engine has the same number of clients. The numbers of engines of two clients differ by at
    most one.
    """
    size = clients
    if clients > TOGETHER:
        size = min(clients, max(TOGETHER, ceil(MEETINGS * clients / engines)))
    if size == clients:
        return ((tuple(range(clients)),),) * engines
    strides = [1, *(n for n in range(size + 1, 2 * clients) if gcd(n, clients) == 1)]
    met = [0] * clients
    rounds: list[Blocks] = []
    waiting = engines
    while waiting:
        stride = strides[len(rounds) % len(strides)]
        order = [(len(rounds) + n * stride) % clients for n in range(clients)]
        # Clients with fewer engines come first.
        order.sort(key=met.__getitem__)
        count = min(clients // size, waiting)
        for client in order[: count * size]:
            met[client] += 1
        rounds.append(tuple(tuple(order[n * size : (n + 1) * size]) for n in range(count)))
        waiting -= count
    return tuple(rounds)


@dataclass(frozen=True, slots=True)
class Design(Generic[T]):
    """The partners of each subject, and the rounds of subjects that are measured at once."""

    partners: Mapping[Subject, tuple[T, ...]]
    rounds: tuple[tuple[Subject, ...], ...]

    @property
    def met(self) -> int:
        """Number of measured pairs."""
        return sum(map(len, self.partners.values()))


def _designed(subjects: Sequence[Subject], others: Sequence[T], *, every_pair: bool) -> Design[T]:
    waiting = iter(subjects)
    if every_pair or not subjects:
        alone = tuple((each,) for each in subjects)
        return Design(dict.fromkeys(subjects, tuple(others)), alone)
    partners: dict[Subject, tuple[T, ...]] = {}
    rounds = []
    for blocks in dealt(len(others), len(subjects)):
        together = [(next(waiting), tuple(others[n] for n in block)) for block in blocks]
        partners.update(together)
        rounds.append(tuple(subject for subject, _ in together))
    return Design(partners, tuple(rounds))


@once
def clients_of(cluster: Cluster) -> Design[str]:
    """The clients that measure each engine; only the order of the inventory decides."""
    engines = each_engine(cluster, "clients")
    return _designed(engines, cluster.clients, every_pair=cluster.benchmarks.every_pair)


@once
def engines_of(cluster: Cluster) -> Design[Subject]:
    """The engines that each client asks."""
    clients, engines = each_host(cluster, "clients"), each_engine(cluster, "clients")
    return _designed(clients, engines, every_pair=cluster.benchmarks.every_pair)


@once
def clients_by_rank(cluster: Cluster) -> Design[str]:
    """The clients that measure each engine alone, in rounds without a shared server or client.

    A round has one engine of each server. Each server has as many clients of its own as there are
    for all, up to `TOGETHER`; with fewer clients than servers, each has one, and the servers take
    turns. Another engine of a server has other clients, so that a slow client is not mistaken for a
    slow server.
    """
    clients = cluster.clients
    engines: dict[str, list[Subject]] = {}
    for engine in each_engine(cluster, "clients"):
        engines.setdefault(engine.host, []).append(engine)
    size = min(TOGETHER, max(1, len(clients) // max(1, len(engines))))
    blocks = [clients[n : n + size] for n in range(0, len(clients) - size + 1, size)]
    servers = [
        tuple(engines.values())[n : n + len(blocks)] for n in range(0, len(engines), len(blocks))
    ]
    partners: dict[Subject, tuple[str, ...]] = {}
    rounds = []
    for together in servers:
        for number in range(max(map(len, together))):
            measured = [
                (server[number], blocks[(place + number + 1) % len(blocks)])
                for place, server in enumerate(together)
                if number < len(server)
            ]
            partners.update(measured)
            rounds.append(tuple(engine for engine, _ in measured))
    return Design(partners, tuple(rounds))


@once
def rail_rounds(cluster: Cluster) -> tuple[tuple[Subject, ...], ...]:
    """Pairs of a rail and an engine, in rounds in which no client and no engine is in two pairs.

    A rail meets `MEETINGS` engines, one at a time, and the next rail of its client other ones; so a
    slow rail and a slow engine can be told apart. A client with one rail is in no pair.
    """
    engines = each_engine(cluster, "clients")
    several = [name for name in cluster.clients if len(rails(cluster, name)) > 1]
    count = len(engines)
    if not count or not several:
        return ()
    meetings = min(MEETINGS, count)
    turns = max(len(rails(cluster, name)) for name in several) * meetings
    rounds = []
    for first in range(0, len(several), count):
        together = several[first : first + count]
        for turn in range(turns):
            place = turn // meetings
            rounds.append(
                tuple(
                    Subject(name, rail=rails(cluster, name)[place]).to(
                        engines[(number + turn) % count]
                    )
                    for number, name in enumerate(together)
                    if place < len(rails(cluster, name))
                )
            )
    return tuple(rounds)


def each_rail(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """A figure for each rail of a client with several, to an engine: ``c1/rail-ib0>s1/engine0``."""
    del partition
    return tuple(pair for together in rail_rounds(cluster) for pair in together)


def matched(pairs: Iterable[Subject]) -> list[list[Subject]]:
    """Rounds in which no end is in two pairs; each pair is in the first round free for both ends.

    There are fewer than twice as many rounds as an end has pairs.
    """
    rounds: list[list[Subject]] = []
    taken: dict[Subject, int] = {}
    for pair in pairs:
        busy = 0
        for end in pair.ends:
            busy |= taken.get(end, 0)
        number = (~busy & (busy + 1)).bit_length() - 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(pair)
        for end in pair.ends:
            taken[end] = taken.get(end, 0) | 1 << number
    return rounds
