"""Which clients measure an engine, and which pairs are measured at once: a balanced design.

Up to `TOGETHER` clients, every engine is measured with all of them. With more, what a campaign
measures would grow with the product of clients and engines. Instead each engine is measured with a
block of clients of its own, in rounds in which no client is in two blocks, so that links are
measured by themselves. The blocks of a round are dealt in another order than those of the round
before: all clients and engines are connected by what is measured, and what is slow can be
attributed to one end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, gcd

from assay.checks.subjects import each_engine, each_engine_pair
from assay.cluster.description import Cluster
from assay.cluster.once import once
from assay.subject import Subject

TOGETHER = 16
"""Clients that measure an engine at once: sixteen links of 25 Gbit/s carry what one of an engine
does, 400 Gbit/s (this project's own choice)."""

MEETINGS = 2
"""Engines that each client meets at least: with one, either of the two could be the slow one."""

ALONE = 4
"""Of these clients, those that measure the latency, one after the other (own choice)."""

Blocks = tuple[tuple[int, ...], ...]
"""The clients, by number, of each engine of a round."""


@lru_cache(maxsize=16)
def dealt(clients: int, engines: int) -> tuple[Blocks, ...]:
    """Deal clients to engines: the rounds, whose blocks together have one for each engine.

    Every engine meets as many clients as any other; of two clients one meets at most one engine
    more than the other.
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
        # Whoever has met fewer engines comes first.
        order.sort(key=met.__getitem__)
        count = min(clients // size, waiting)
        for client in order[: count * size]:
            met[client] += 1
        rounds.append(tuple(tuple(order[n * size : (n + 1) * size]) for n in range(count)))
        waiting -= count
    return tuple(rounds)


@dataclass(frozen=True, slots=True)
class Design:
    """Which clients measure each engine, in rounds of engines that are measured at once."""

    clients: dict[Subject, tuple[str, ...]]
    rounds: tuple[tuple[Subject, ...], ...]


@once
def design(cluster: Cluster) -> Design:
    """The design of a cluster, which follows from the order of its inventory alone."""
    engines, names = each_engine(cluster, "clients"), cluster.clients
    if cluster.benchmarks.every_pair or not engines:
        return Design(dict.fromkeys(engines, names), tuple((each,) for each in engines))
    waiting = iter(engines)
    clients: dict[Subject, tuple[str, ...]] = {}
    rounds = []
    for blocks in dealt(len(names), len(engines)):
        together = [(next(waiting), tuple(names[n] for n in block)) for block in blocks]
        clients.update(together)
        rounds.append(tuple(engine for engine, _ in together))
    return Design(clients, tuple(rounds))


def matched(pairs: Iterable[Subject]) -> list[list[Subject]]:
    """Rounds in which no end is in two pairs; each pair in the first that is free for both ends.

    They are fewer than twice the pairs that an end is in.
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


def left_out(cluster: Cluster) -> list[str]:
    """What is measured of all pairs, and how likely a fault of just one of them is missed."""
    engines, count = each_engine(cluster, "clients"), len(cluster.clients)
    said = []
    if engines and (met := sum(map(len, design(cluster).clients.values()))) < len(engines) * count:
        said.append(
            f"SelfTestClientServer measures {met:,} of {len(engines) * count:,} pairs of client and"
            f" engine, each client with {met // count} engines or more: no slow port is missed; a"
            f" path that is slow between just one client and one engine is missed with"
            f" {1 - met / (len(engines) * count):.1%}"
        )
    pairs = each_engine_pair(cluster, "clients") if engines else ()
    if (every := len(engines) * (len(engines) - 1) // 2) > len(pairs):
        said.append(
            f"SelfTestCrossServer measures {len(pairs):,} of {every:,} pairs of engines: no slow"
            f" port is missed; a path that is slow between just two engines is missed with"
            f" {1 - len(pairs) / every:.1%}"
        )
    if said:
        said.append("cluster_every_pair: true measures every pair")
    return said
