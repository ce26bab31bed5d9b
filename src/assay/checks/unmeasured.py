"""Which pairs a campaign does not measure, since there are too many, and what that may miss."""

from __future__ import annotations

from assay.checks import net_test, self_test
from assay.checks.pairs import clients_of, engines_of
from assay.checks.subjects import each_engine, each_engine_pair
from assay.cluster.description import Cluster


def left_out(cluster: Cluster) -> list[str]:
    """What is measured of all pairs, and how likely a fault of just one of them is missed."""
    engines, clients = len(each_engine(cluster, "clients")), len(cluster.clients)
    pairs = len(each_engine_pair(cluster, "clients")) if engines else 0
    measured = (
        (self_test.CLIENT_SERVER, clients_of(cluster).met, engines * clients, "client and engine"),
        (net_test.NET_TEST, engines_of(cluster).met, engines * clients, "client and engine"),
        (self_test.CROSS_SERVER, pairs, engines * (engines - 1) // 2, "engine and engine"),
    )
    said = [
        f"{check.name} measures {met:,} of {every:,} pairs of {ends}: no slow port is missed; a"
        f" path that is slow between just one {ends} is missed with {1 - met / every:.1%}"
        for check, met, every, ends in measured
        if met < every
    ]
    return [*said, "cluster_every_pair: true measures every pair"] if said else []
