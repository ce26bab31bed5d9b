"""The bounds from round trips to an engine: on the rate of operations, and on their latency.

An operation that needs an engine takes at least one RPC and its answer, and so at least the
shortest round trip (`assay.checks.benchmarks.self_test.round_trip`). A process that waits for each
operation does at most one operation per round trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.checks.bounds import Bound, Limit, tightest
from assay.checks.entry import MEASURED_CEILING, Expectation, Requirement
from assay.checks.figures import within
from assay.cluster.description import Cluster
from assay.units import Quantity


def as_often(
    cluster: Cluster,
    requirement: Requirement,
    law: Limit,
    crossed: Sequence[Limit] = (),
    below: Sequence[Limit] | None = None,
    processes: int = 0,
    copies: float = 1,
    guards: Sequence[Limit] = (),
) -> Expectation:
    """Compare a rate with the time of round trips, and with the limits that its data crosses.

    `below`, `processes` and `copies` determine its floor, as in `within`, and `guards` its bound,
    as in `guarded`.
    """
    unit = law.value.unit
    bound = guarded([law, *crossed], guards, unit)
    most = [*(limit.most for limit in crossed), *guards]
    highest = tightest([law.over(1 / MEASURED_CEILING, "measured"), *most], unit)
    assert bound is not None
    assert highest is not None
    expected = within(cluster, requirement, bound, "", highest.limits[0], below, processes, copies)
    if bound.limits[0] is not law:
        return expected
    ceiling = f"{MEASURED_CEILING:g} times the bound"
    if highest.limits[0] in most:
        ceiling = f"what {highest.limits[0].who} would allow"
    derivation = f"{expected.derivation}; ceiling {ceiling}"
    return replace(expected, ground="measured", derivation=derivation)


def guarded(limits: Sequence[Limit], guards: Sequence[Limit], unit: str) -> Bound | None:
    """The bound of some limits, which is no more than guards let pass; None without a limit.

    Guards are ceilings that hold on every hardware, and too wide to bound anything by themselves.
    """
    bound = tightest(limits, unit)
    lowest = tightest(guards, unit)
    if bound is None or lowest is None or lowest.value.value >= bound.value.value:
        return bound
    return tightest([*limits, lowest.limits[0]], unit)


def no_shorter(
    cluster: Cluster,
    requirement: Requirement,
    trip: Limit,
    payload: Bound | None = None,
    below: Sequence[Limit] | None = None,
) -> Expectation:
    """Compare a latency with a round trip and the time of its payload on a wire.

    `below` is the time of all layers below together, from which its limit follows.
    """
    time, made_of = trip.value, f"a round trip, {trip.value}"
    if payload is not None:
        time = Quantity(time.value + payload.value.to(time.unit).value, time.unit)
        made_of += f", and {payload.limits[0].made_of}"
    bound = Bound(time, (Limit(trip.who, time, made_of, trip.source),))
    least = bound.limits[0].over(MEASURED_CEILING, "measured")
    expected = within(cluster, requirement, bound, "", least, below)
    derivation = f"{expected.derivation}; no shorter than {1 / MEASURED_CEILING:.0%} of the bound"
    return replace(expected, ground="measured", derivation=derivation)
