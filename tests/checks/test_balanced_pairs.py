"""The balanced design: what is measured of pairs that are too many to measure all of them."""

from __future__ import annotations

from collections import Counter
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.benchmarks.self_test import groups
from assay.checks.entry import run_of
from assay.checks.pairs import ALONE, TOGETHER, clients_of, dealt, engines_of, matched
from assay.checks.plan import CHECKS, requirements
from assay.checks.subjects import each_engine, each_engine_pair
from assay.checks.unmeasured import left_out
from assay.cluster.description import Cluster
from assay.subject import Subject
from clusters import described
from sites import site

NUMBERS = st.integers(1, 300)


def connected(edges: list[tuple[object, object]]) -> bool:
    """Whether one can go from each end to each other end."""
    neighbours: dict[object, set[object]] = {}
    for a, b in edges:
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    waiting = [next(iter(neighbours))]
    seen = set(waiting)
    while waiting:
        for other in neighbours[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return len(seen) == len(neighbours)


def test_the_design_is_the_same_in_every_campaign() -> None:
    """Of another design, a campaign would measure other pairs than the accepted one."""
    assert dealt(18, 3) == (
        (tuple(range(16)),),
        ((17, 16, 1, 0, *range(15, 3, -1)),),
        ((2, 3, 16, 17, *range(4, 16)),),
    )
    # Each of 33 clients meets two of four engines, so that each of these has 17.
    assert dealt(33, 4) == (
        (tuple(range(17)),),
        ((20, 25, 30, 21, 26, 31, 17, 22, 27, 32, 18, 23, 28, 19, 24, 29, 1),),
        ((2, 22, 9, 29, 16, 3, 23, 10, 30, 17, 4, 24, 11, 31, 18, 5, 25),),
        ((26, 6, 19, 32, 12, 15, 28, 8, 21, 14, 27, 7, 20, 0, 13, 3, 16),),
    )


@pytest.mark.parametrize(("clients", "rounds"), [(31, 4), (32, 2), (48, 2)])
def test_as_many_engines_as_possible_are_measured_at_once(clients: int, rounds: int) -> None:
    assert len(dealt(clients, 4)) == rounds


@pytest.mark.parametrize(
    ("servers", "distances"),
    [(9, {1, 2, 3, 4, 6, 8}), (50, {1, 2, 4, 7, 13, 26, 49})],
)
def test_the_engines_of_a_large_system_are_paired_at_distances_that_grow(
    servers: int, distances: set[int]
) -> None:
    cluster = system(1, servers)
    engines = list(each_engine(cluster, "clients"))
    paired = {
        (engines.index(second) - engines.index(first)) % len(engines)
        for first, second in (pair.ends for pair in each_engine_pair(cluster, "clients"))
    }
    assert paired == distances


@given(NUMBERS, NUMBERS)
def test_in_a_round_no_client_measures_two_engines(clients: int, engines: int) -> None:
    for blocks in dealt(clients, engines):
        together = [client for block in blocks for client in block]
        assert len(set(together)) == len(together)


@given(NUMBERS, NUMBERS)
def test_each_engine_meets_as_many_clients(clients: int, engines: int) -> None:
    blocks = [block for each in dealt(clients, engines) for block in each]
    assert len(blocks) == engines
    (size,) = {len(block) for block in blocks}
    assert size == clients if clients <= TOGETHER else size >= TOGETHER


@given(NUMBERS, st.integers(2, 300))
def test_each_client_meets_several_engines_and_as_many(clients: int, engines: int) -> None:
    met = Counter(client for blocks in dealt(clients, engines) for b in blocks for client in b)
    assert set(met) == set(range(clients))
    assert min(met.values()) >= 2
    assert max(met.values()) - min(met.values()) <= 1


@given(NUMBERS, st.integers(2, 300))
def test_what_is_slow_can_be_attributed_to_one_end(clients: int, engines: int) -> None:
    """In two parts that share no client, a slow part could be its clients or its engines."""
    blocks = [block for each in dealt(clients, engines) for block in each]
    assert connected([(f"c{c}", f"e{e}") for e, block in enumerate(blocks) for c in block])


@given(st.integers(TOGETHER + 1, 300), st.integers(50, 300))
def test_it_grows_with_engines_and_not_with_their_product(clients: int, engines: int) -> None:
    met = sum(len(block) for blocks in dealt(clients, engines) for block in blocks)
    assert met <= TOGETHER * engines + 2 * clients + engines


def system(clients: int, servers: int, **benchmarks: object) -> Cluster:
    document = site("ephemeral", servers=servers, engines=2, clients=clients)
    document["benchmarks"] |= benchmarks
    return described(document)


def test_a_few_clients_measure_each_engine_together() -> None:
    cluster = system(16, 2)
    assert set(clients_of(cluster).partners.values()) == {cluster.clients}
    assert [len(each) for each in clients_of(cluster).rounds] == [1] * 4
    assert left_out(cluster) == []


def test_many_clients_measure_several_engines_at_once() -> None:
    cluster = system(64, 8)
    assert [len(each) for each in clients_of(cluster).rounds] == [4] * 4
    assert {len(clients) for clients in clients_of(cluster).partners.values()} == {TOGETHER}
    assert list(clients_of(cluster).partners) == list(each_engine(cluster, "clients"))


@pytest.mark.parametrize(("scale", "alone"), [("quick", 1), ("acceptance", ALONE)])
def test_a_latency_is_that_of_some_of_them(scale: str, alone: int) -> None:
    check = CHECKS["SelfTestClientServer"]
    run = run_of(system(64, 8), check, "clients", scale)
    engine = run.subjects[5]
    clients = clients_of(run.cluster).partners[engine]
    assert groups(run, engine, check.metric("get_1m")) == [clients]
    latency = groups(run, engine, check.metric("latency_empty"))
    assert latency == [[client] for client in clients[:alone]]


def test_every_pair_is_measured_on_request() -> None:
    cluster = system(40, 10, every_pair=True)
    assert set(clients_of(cluster).partners.values()) == {cluster.clients}
    assert len(each_engine_pair(cluster, "clients")) == 20 * 19 / 2
    assert left_out(cluster) == []


def test_each_client_asks_a_block_of_many_engines() -> None:
    cluster = system(12, 20)
    asked = engines_of(cluster)
    assert list(asked.partners) == [Subject(name) for name in cluster.clients]
    assert {len(engines) for engines in asked.partners.values()} == {TOGETHER}
    assert {len(each) for each in asked.rounds} == {2}


def test_what_is_left_out_is_reported() -> None:
    sentences = left_out(system(64, 8))
    assert sentences == [
        "SelfTestClientServer measures 256 of 1,024 pairs of client and engine: every slow port is"
        " found; a slow path between a single client and engine is missed with a probability of"
        " 75.0%",
        "cluster_every_pair: true measures all of them",
    ]
    sentences = left_out(system(12, 20))
    assert [each.partition(":")[0] for each in sentences[:-1]] == [
        "NetTest measures 192 of 480 pairs of client and engine",
        "SelfTestCrossServer measures 280 of 780 pairs of engine and engine",
    ]


ENDS = st.integers(0, 40).map(lambda number: Subject(f"s{number}"))
PAIRS = st.lists(st.tuples(ENDS, ENDS).filter(lambda ends: ends[0] != ends[1]), max_size=200)


@given(PAIRS)
def test_in_a_round_no_engine_is_in_two_pairs(ends: list[tuple[Subject, Subject]]) -> None:
    pairs = [a.to(b) for a, b in ends]
    rounds = matched(pairs)
    assert Counter(pair for each in rounds for pair in each) == Counter(pairs)
    for each in rounds:
        busy = [end for pair in each for end in pair.ends]
        assert len(set(busy)) == len(busy)
    most = max(Counter(end for pair in pairs for end in pair.ends).values(), default=0)
    assert len(rounds) <= max(2 * most - 1, 0)


def test_the_pairs_of_many_engines_take_few_rounds() -> None:
    pairs = each_engine_pair(system(1, 100), "clients")
    assert len(pairs) == 7 * 200
    assert len(matched(pairs)) <= ceil(1.5 * 14)
    assert connected([pair.ends for pair in pairs])  # type: ignore[misc]


def pairs_of(servers: int) -> list[tuple[str, str]]:
    """The pairs required of a system of servers with one engine each."""
    plan = requirements(described(site("ephemeral", servers=servers, engines=1)))
    pairs = {m.subject: None for m in plan if m.check == "SelfTestCrossServer"}
    return [(str(pair.end), str(pair.peer)) for pair in pairs]


def test_a_system_of_16_engines_requires_every_pair() -> None:
    assert len(pairs_of(16)) == 16 * 15 / 2


@pytest.mark.parametrize("servers", [17, 64])
def test_pairs_of_a_larger_system_grow_with_its_engines(servers: int) -> None:
    pairs = pairs_of(servers)
    assert len(pairs) <= 7 * servers
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    for end in (0, 1):
        # Each engine sends, and is sent to, as often as any other.
        counts = Counter(pair[end] for pair in pairs)
        assert len(counts) == servers
        assert len(set(counts.values())) == 1
    partners = {int(b[1:-8]) - 1 for a, b in pairs if a == "s1/engine0"}
    assert {1, (servers - 1) // 2} <= partners
