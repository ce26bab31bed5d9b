"""What operations on files should do: each takes at least one round trip to an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.checks.backends import backend_of
from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import Direction, waiting
from assay.checks.figures import Expectation, Measured, Rule, nothing, within
from assay.checks.load import FILE_BYTES, under_way
from assay.checks.plan import Owed
from assay.checks.trips import as_often, round_trip
from assay.checks.way import UNDESCRIBED, clients_of, crossed_by
from assay.cluster.description import Cluster
from assay.units import Quantity

_MOVES: Mapping[str, Direction] = {"create": "write", "read": "read"}
"""The operations that move what is in a file."""


def files(
    cluster: Cluster, metric: Owed, measured: Measured, operation: str, size: int
) -> Expectation:
    """Files of so many bytes that mdtest makes, looks at, reads and takes away.

    Args:
        cluster: whose metric it is.
        metric: a rate of all clients together.
        measured: what lower layers were measured to do.
        operation: `create`, `stat`, `read` or `remove`.
        size: bytes of each file.
    """
    backend = backend_of(metric.subject)
    if cluster.daos is None or backend.name == "posix":
        return nothing(metric, UNDESCRIBED)
    if backend.mounted and operation in ("stat", "read"):
        return nothing(metric, "the kernel and dfuse may answer from their caches")
    unit, clients = "op/s", clients_of(cluster, metric)
    trip, why = round_trip(cluster, clients, measured)
    crossed: Sequence[Limit] = ()
    trips = 1
    # What is written through dfuse need not have left the client's memory.
    if size and operation in _MOVES and not backend.mounted:
        crossed, _ = crossed_by(cluster, metric, _MOVES[operation], Quantity(size, "B"), unit)
        trips = 2  # for the file's entry in its directory, and then for what is in it
    if trip is None:
        return within(cluster, metric, tightest(crossed, unit), why)
    operations = under_way(cluster, metric.check, len(clients), measured.scale)
    law = waiting(operations, trip.value, unit, trip.source, times=trips)
    return as_often(cluster, metric, law, crossed)


def _mdtest(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    return files(cluster, metric, measured, metric.metric.name, FILE_BYTES[metric.check])


METADATA: Mapping[str, Rule] = dict.fromkeys(FILE_BYTES, _mdtest)
