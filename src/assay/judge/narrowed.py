"""What acceptance needs and the plan does not have, since the description leaves it out.

The plan follows from the description alone, so whoever leaves out a program leaves out its verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.checks.accepted import Accepted
from assay.checks.bounds.devices import Direction
from assay.checks.entry import Requirement
from assay.checks.figures import is_judged
from assay.checks.plan import crosses_daos
from assay.checks.renamed import figure_now
from assay.cluster.description import Cluster
from assay.cluster.few_rails import few_rails

_WAYS: tuple[Direction, ...] = ("write", "read")
_MOST = 4
"""Maximum number of figures that a sentence names (own choice)."""


def narrowed(
    cluster: Cluster, plan: Sequence[Requirement], baseline: Accepted | None
) -> Iterator[str]:
    """What acceptance needs beside the plan, each in a sentence.

    Data that users of DAOS write and read, the rails that peers of a client have, and every kind of
    figure that was accepted before.

    Args:
        cluster: the cluster.
        plan: the metrics that are required of it.
        baseline: the accepted campaign whose figures are required again.
    """
    if cluster.daos is not None:
        crossed = (each.metric for each in plan if crosses_daos(each))
        ways = {metric.direction for metric in crossed if is_judged(metric)}
        if lacking := [way for way in _WAYS if way not in ways]:
            yield (
                f"no program is described that measures endtoend {' and '.join(lacking)} of DAOS:"
                " name ior, io500, fio_dfs or fdb_hammer_daos"
            )
    for client in few_rails(cluster, cluster.hosts):
        if client.is_narrowed:
            yield f"{client.client} is judged by {', '.join(client.rails)} alone: {client.why}"
    if baseline is not None:
        had = dict.fromkeys(figure_now(key.partition(" on ")[0]) for key in baseline.medians)
        if gone := [figure for figure in had if figure not in {each.figure for each in plan}]:
            more = f" and {len(gone) - _MOST:,} more" if len(gone) > _MOST else ""
            yield (
                f"accepted before ({baseline.campaign}), and no longer required:"
                f" {', '.join(gone[:_MOST])}{more}"
            )
