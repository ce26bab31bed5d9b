"""The number of processes that the checks run on a client; bounds depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.cluster.description import Cluster
from assay.cluster.once import once

RANKS: Mapping[str, int] = {"quick": 2, "acceptance": 32}
"""Maximum number of ranks of an MPI program on each client, by scale; a client with fewer cores has
fewer ranks (this project's own choice; DAOS's own runs of IO500 have 32)."""


def ranks_per_node(cluster: Cluster, clients: Sequence[str], scale: str) -> int:
    """Number of ranks of an MPI program on each of some clients, the same for all of them."""
    return min(of_scale(RANKS, scale), _cores(cluster, tuple(clients)))


@once
def _cores(cluster: Cluster, clients: tuple[str, ...]) -> int:
    return min(cluster.hosts[name].cores for name in clients)


def ranks(cluster: Cluster, scale: str) -> int:
    """Number of ranks of an MPI program on each client."""
    return ranks_per_node(cluster, cluster.clients, scale)


def of_scale(figures: Mapping[str, int], scale: str) -> int:
    """The figure of a scale; the largest if a campaign has no scale, or several."""
    return figures.get(scale, max(figures.values()))
