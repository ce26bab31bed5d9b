"""Who uses DAOS for a metric, and what its data crosses on the way there."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.bounds import Limit
from assay.checks.bounds.devices import Direction, as_rate
from assay.checks.bounds.path import data_path, of_files
from assay.checks.bounds.redundancy import NONE
from assay.checks.plan import Owed
from assay.cluster.description import PARTITIONS, Cluster
from assay.units import Quantity

UNDESCRIBED = "what serves the shared directory is not described"
"""Why a way that is not DAOS has no bound."""


_NO_FILES = ("DaosPerf", "FdbHammerDaos", "FdbHammerDaosSeparate")
"""Checks that write objects of their own classes, without redundancy, and no files."""


def clients_of(cluster: Cluster, metric: Owed) -> Sequence[str]:
    """The clients that a figure is of: one, or all of them together."""
    return cluster.clients if metric.host in PARTITIONS else (metric.host,)


def crossed_by(
    cluster: Cluster, metric: Owed, way: Direction, size: Quantity, unit: str
) -> tuple[Sequence[Limit], str]:
    """What values of a size cross between clients and storage; or why nothing of it is known.

    Args:
        cluster: whose metric it is.
        metric: whose clients send and receive.
        way: to the storage, or from it.
        size: of each value.
        unit: of the limits: ``MiB/s``, or one that counts values, such as ``IO/s``.
    """
    clients = clients_of(cluster, metric)
    servers = cluster.daos.servers if cluster.daos else ()
    if shared := set(clients) & set(servers):
        return (), f"{min(shared)} is client and server: no wire between them"
    stored = NONE if metric.check in _NO_FILES else of_files(cluster)
    bound = data_path(cluster, way, size, stored, clients)
    limits = bound.limits if bound else ()
    if unit != "MiB/s":
        limits = tuple(rate for limit in limits if (rate := as_rate(limit, unit, size)))
    return limits, "neither NICs nor SSDs have a speed that is known"
