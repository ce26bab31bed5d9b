"""Caches what follows from a cluster as a whole, so that it is not computed again for each host."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from assay.cluster.description import Cluster

P = ParamSpec("P")
T = TypeVar("T")

_KEPT = 64
"""Maximum number of cached results of each function: a few clusters, directions and sizes."""


class _Same:
    """A cluster as a key, compared by identity, since comparing its content takes too long."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.cluster is other.cluster

    def __hash__(self) -> int:
        return id(self.cluster)


def once(function: Callable[Concatenate[Cluster, P], T]) -> Callable[Concatenate[Cluster, P], T]:
    """Compute a function of a cluster only once for the same arguments, which must be hashable."""

    @lru_cache(maxsize=_KEPT)
    def kept(same: _Same, *args: Any) -> T:
        return cast("Callable[..., T]", function)(same.cluster, *args)

    @wraps(function)
    def called(cluster: Cluster, *args: Any) -> T:
        return kept(_Same(cluster), *args)

    return cast("Callable[Concatenate[Cluster, P], T]", called)
