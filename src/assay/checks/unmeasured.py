"""The pairs and clients that a campaign leaves out of many, and the faults it may miss."""

from __future__ import annotations

from assay.checks.benchmarks import daos_perf, ior_by_rank, loss_load, net_test, self_test
from assay.checks.benchmarks.agent_loss import AGENT_LOSS
from assay.checks.benchmarks.drain import DRAIN
from assay.checks.benchmarks.extend import EXTEND
from assay.checks.benchmarks.rank_loss import RANK_LOSS
from assay.checks.benchmarks.service_loss import SERVICE_LOSS
from assay.checks.benchmarks.target_loss import TARGET_LOSS
from assay.checks.pairs import clients_by_rank, clients_of, engines_of
from assay.checks.plan import is_required
from assay.checks.subjects import each_engine, each_engine_pair
from assay.cluster.description import Cluster
from assay.tools.daos import recovery
from assay.tools.daos.losses import TARGETS


def by_rank(cluster: Cluster) -> list[str]:
    """When each rank is measured alone, or what it takes, if only the site's consent is missing."""
    system = cluster.daos
    if system is None or system.found or not ior_by_rank.is_possible(cluster):
        return []
    if ior_by_rank.each_rank(cluster, "clients"):
        ranks, turns = len(each_engine(cluster, "clients")), len(clients_by_rank(cluster).rounds)
        return [
            f"IorByRank measures {ranks:,} ranks in {turns:,} rounds, at the scale acceptance only"
        ]
    return [
        "IorByRank is not tested: it makes a pool on each rank, which needs cluster_rank_pool_size;"
        " without it a slow rank shows only in figures of all ranks together"
    ]


def failures(cluster: Cluster) -> list[str]:
    """What the checks of the phase failure would do to the system, or why there are none."""
    system = cluster.daos
    if system is None or system.found or not system.failure:
        return []
    if why := loss_load.unable(cluster):
        return [f"no failure is tested on {system.name}: {why}"]
    if cluster.benchmarks.fio_dfs is None:
        return [f"no failure is tested on {system.name}: cluster_fio_dfs is not set"]
    if not loss_load.is_possible(cluster):
        return [f"no failure is tested: it needs DAOS {recovery.RELEASES}, not {system.version}"]
    (engine,) = loss_load.the_last_engine(cluster, "clients")
    (added,) = loss_load.the_last_to_spare(cluster, "clients")
    (client,) = loss_load.the_last_client(cluster, "clients")
    own = f"a pool of its own ({loss_load.LABEL})"
    return [
        f"{RANK_LOSS.name} kills {engine} under load, waits until {system.name} has made up for it,"
        f" starts it again and takes it back into all pools; it makes {own}, and destroys it. Until"
        " the engine is back, every pool has lost a copy of what was on it, and what has one copy"
        " is not there; containers of daos_system_pools without redundancy may lose what is in"
        " them",
        f"{SERVICE_LOSS.name} does the same to the engine that leads the service of {own},"
        " whichever that is then",
        f"{DRAIN.name} drains {engine} under load in {own}, and takes it back; no other pool and no"
        " engine is touched",
        f"{TARGET_LOSS.name} excludes target {TARGETS[0]} of {engine} under load from {own}, waits"
        f" until {system.name} has made up for it, and takes it back; no other pool and no engine"
        " is touched",
        f"{EXTEND.name} makes {own} without {added}, and extends it to that engine under load; no"
        " other pool and no engine is touched",
        f"{AGENT_LOSS.name} kills daos_agent of {client} under load in {own}, and waits until"
        " systemd has started it again; where systemd would not, it kills nothing, and has no"
        " figure. Meanwhile no program that uses DAOS can start there; no other pool and no engine"
        " is touched",
    ]


def left_out(cluster: Cluster) -> list[str]:
    """The measured share of pairs and clients, and the chance of missing a fault of just one."""
    engines, clients = len(each_engine(cluster, "clients")), len(cluster.clients)
    pairs = len(each_engine_pair(cluster, "clients")) if engines else 0
    measured = (
        (self_test.CLIENT_SERVER, clients_of(cluster).met, engines * clients, "client and engine"),
        (net_test.NET_TEST, engines_of(cluster).met, engines * clients, "client and engine"),
        (self_test.CROSS_SERVER, pairs, engines * (engines - 1) // 2, "engine and engine"),
    )
    sentences = [
        f"{check.name} measures {met:,} of {every:,} pairs of {ends}: every slow port is found; a"
        f" slow path between a single {ends} is missed with a probability of {1 - met / every:.1%}"
        for check, met, every, ends in measured
        if met < every
    ]
    sentences += _clients(cluster)
    if not sentences:
        return []
    return [*sentences, "cluster_every_pair: true measures all of them"]


def _clients(cluster: Cluster) -> list[str]:
    """The measured share of clients that are measured in turn."""
    check, clients = daos_perf.DAOS_PERF, len(cluster.clients)
    measured = len(check.subjects(cluster, "clients"))
    if measured == clients or not is_required(cluster, check, "clients"):
        return []
    return [
        f"{check.name} measures {measured:,} of {clients:,} clients, one after the other; a client"
        f" that is slow only in this is missed with a probability of {1 - measured / clients:.1%}"
    ]
