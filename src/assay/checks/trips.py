"""One round trip to an engine, and what it bounds.

What an operation needs of an engine takes an RPC and its answer. self_test has measured the
shortest of them, empty and with one under way (`SelfTestClientServer.latency_empty`): no operation
is shorter, and so many processes do no more of them than fit into a second. The median of net-test
is no such figure: it is of 16 under way, which wait for each other (on a quiet DAOS 2.8 about
140 us, where one process of mdtest needed 42 us for an operation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.figures import MEASURED_CEILING, Expectation, Measured, within
from assay.checks.plan import Owed
from assay.cluster.description import Cluster
from assay.units import Quantity


def round_trip(
    cluster: Cluster, clients: Sequence[str], measured: Measured
) -> tuple[Limit | None, str]:
    """The shortest round trip from some clients to an engine, in us; or why none is known."""
    servers = set(cluster.daos.servers) if cluster.daos else set()
    if (near := servers & set(clients)) and len(servers | set(cluster.clients)) > 1:
        # It was measured from the first client, or is that of the slowest.
        return None, f"{min(near)} is client and server, and nearer to its own engines than others"
    return measured.round_trip, "SelfTestClientServer.latency_empty has not been measured"


def as_often(
    cluster: Cluster, metric: Owed, law: Limit, crossed: Sequence[Limit] = ()
) -> Expectation:
    """Hold a rate against waiting for round trips, and against what its data crosses."""
    unit = law.value.unit
    bound = tightest([law, *crossed], unit)
    highest = tightest([law.over(1 / MEASURED_CEILING, "measured"), *crossed], unit)
    assert bound is not None
    assert highest is not None
    told = within(cluster, metric, bound, "", highest.limits[0])
    if bound.limits[0] is not law:
        return told
    ceiling = f"{MEASURED_CEILING:g} times the bound"
    if highest.limits[0] in crossed:
        ceiling = f"what {highest.limits[0].who} would allow"
    return replace(told, ground="measured", derivation=f"{told.derivation}; ceiling {ceiling}")


def no_shorter(
    cluster: Cluster, metric: Owed, trip: Limit, payload: Bound | None = None
) -> Expectation:
    """Hold a latency against a round trip, and the time that its payload takes on a wire."""
    time, made_of = trip.value, f"a round trip, {trip.value}"
    if payload is not None:
        time = Quantity(time.value + payload.value.to(time.unit).value, time.unit)
        made_of += f", and {payload.limits[0].made_of}"
    bound = Bound(time, (Limit(trip.who, time, made_of, trip.source),))
    least = bound.limits[0].over(MEASURED_CEILING, "measured")
    told = within(cluster, metric, bound, "", least)
    derivation = f"{told.derivation}; no shorter than {1 / MEASURED_CEILING:.0%} of the bound"
    return replace(told, ground="measured", derivation=derivation)
