"""Clients that are measured one after the other: all of a few, some of many."""

from itertools import pairwise

import pytest
from support.clusters import described
from support.sites import site

from assay.checks.entry import run_of
from assay.checks.plan import CHECKS
from assay.checks.subjects import ONE_BY_ONE
from assay.checks.unmeasured import left_out
from assay.cluster.description import Cluster

CHECK = CHECKS["DaosPerf"]


def _system(clients: int, **benchmarks: object) -> Cluster:
    document = site("ephemeral", servers=2, engines=2, clients=clients)
    document["benchmarks"] |= benchmarks
    document["daos"] |= {"perf_pool": "perf"}
    return described(document)


def _measured(cluster: Cluster) -> list[str]:
    return [subject.host for subject in CHECK.subjects(cluster, "clients")]


@pytest.mark.parametrize("clients", [1, ONE_BY_ONE])
def test_all_of_a_few_are_measured(clients: int) -> None:
    cluster = _system(clients)
    assert _measured(cluster) == list(cluster.clients)
    assert left_out(cluster) == []


@pytest.mark.parametrize("clients", [ONE_BY_ONE + 1, 64, 140])
def test_of_many_some_are_measured_that_are_evenly_spread(clients: int) -> None:
    cluster = _system(clients)
    numbers = [cluster.clients.index(host) for host in _measured(cluster)]
    assert len(set(numbers)) == ONE_BY_ONE
    gaps = [later - earlier for earlier, later in pairwise(numbers)]
    assert max(gaps) - min(gaps) <= 1
    assert clients - numbers[-1] <= max(gaps) + 1


def test_all_are_measured_on_request() -> None:
    cluster = _system(40, every_pair=True)
    assert _measured(cluster) == list(cluster.clients)
    assert not [sentence for sentence in left_out(cluster) if sentence.startswith("DaosPerf")]


def test_a_job_does_not_take_longer_with_more_clients() -> None:
    first, second = (
        CHECK.takes(run_of(_system(clients), CHECK, "clients", "acceptance"))
        for clients in (ONE_BY_ONE, 140)
    )
    assert first == second < 2 * 3600


def test_what_is_left_out_is_reported() -> None:
    (sentence,) = (
        sentence for sentence in left_out(_system(64)) if sentence.startswith("DaosPerf")
    )
    assert sentence == (
        "DaosPerf measures 16 of 64 clients, one after the other; a client that is slow only in"
        " this is missed with a probability of 75.0%"
    )


def test_without_a_pool_for_it_nothing_is_left_out() -> None:
    cluster = described(site("ephemeral", servers=2, engines=2, clients=64))
    assert not [sentence for sentence in left_out(cluster) if sentence.startswith("DaosPerf")]
