"""The measured figures of the layers below, in this campaign, for data on its path to DAOS.

A bound is the most that hardware can do; the actual hardware did less. Floors of figures through
DAOS are fractions of what it did, so that a slow layer is reported once, and not by every figure
above it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from assay.checks.benchmarks import nvme_perf, self_test, vos_perf
from assay.checks.bounds import Limit
from assay.checks.bounds.devices import Direction
from assay.checks.bounds.path import NETWORK, data_ssds, data_ssds_of, is_in_scm, senders
from assay.checks.entry import Check, Measured, Metric
from assay.checks.figures import targets
from assay.checks.pairs import clients_of
from assay.checks.subjects import each_engine
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.units import Quantity


def network(
    cluster: Cluster,
    direction: Direction,
    clients: Sequence[str],
    measured: Measured,
    engine: Subject | None = None,
) -> Limit | None:
    """The network of engines, by default all, with clients; each was measured separately.

    For clients whose line rates are unknown, it is their share.
    """
    name = self_test.CLIENT_SERVER.in_chain(direction).name
    total = _sum(cluster, self_test.CLIENT_SERVER, name, measured, engine)
    if total is None:
        return None
    sending = len(clients_of(cluster).partners[engine] if engine else cluster.clients)
    if senders(cluster, tuple(clients)) is None:
        total *= min(1.0, len(clients) / sending)
    figure = f"{self_test.CLIENT_SERVER.name}.{name}"
    instead = measured.instead(figure, (engine,)) if engine else ""
    return _as_measured(NETWORK, total, "MiB/s", figure, instead)


def storage(
    cluster: Cluster,
    direction: Direction,
    size: Quantity,
    measured: Measured,
    engine: Subject | None = None,
) -> Limit | None:
    """The SSDs, read all at once on each host; or the SCM, if the data goes there.

    `engine` is the only one that the data goes to, if it is one.
    """
    if is_in_scm(cluster, size):
        name = vos_perf.BANDWIDTH.in_chain(direction).name
        figure = f"{vos_perf.BANDWIDTH.name}.{name}"
        medians = measured.medians(figure, own=engine is not None)
        engines = (engine,) if engine else each_engine(cluster, "servers")
        if not engines or not medians.keys() >= set(engines):
            return None
        total = sum(medians[engine] * targets(cluster, engine) for engine in engines)
        instead = measured.instead(figure, engines) if engine else ""
        return _as_measured("the SCM", total, "MiB/s", figure, instead)
    if direction == "write":
        return None  # nothing writes to the engines' SSDs: what is on them would be lost
    return _of_ssds(cluster, nvme_perf.BANDWIDTH, nvme_perf.TOGETHER, measured, engine)


def reads(
    cluster: Cluster,
    direction: Direction,
    size: Quantity,
    measured: Measured,
    engine: Subject | None = None,
) -> Limit | None:
    """Random reads of 4 KiB of the SSDs, all at once on each host, for values of a size."""
    if direction == "write" or is_in_scm(cluster, size):
        return None
    return _of_ssds(cluster, nvme_perf.IOPS, nvme_perf.RATE_TOGETHER, measured, engine)


def taking_turns(
    cluster: Cluster, direction: Direction, size: Quantity, in_flight: int, measured: Measured
) -> Limit | None:
    """Several transfers in flight, each taking as long as a single one.

    Source: Little's law, as for waiting (`assay.checks.bounds.devices`).
    """
    seconds = service(cluster, direction, size, measured)
    if seconds is None:
        return None
    rate = in_flight * size.to("MiB").value / seconds
    made_of = f"{in_flight} in flight, each {Quantity(seconds * 1e6, 'us')} alone"
    return Limit("waiting", Quantity(rate, "MiB/s"), made_of, "as measured below")


def service(
    cluster: Cluster, direction: Direction, size: Quantity, measured: Measured
) -> float | None:
    """Seconds of a single transfer: round trip, payload on the network, and on one SSD."""
    empty = _usual(measured, self_test.CLIENT_SERVER, "latency_empty")
    name = "latency_get_1m" if direction == "write" else "latency_put_1m"
    payload = _usual(measured, self_test.CLIENT_SERVER, name)
    if empty is None or payload is None:
        return None
    mebibytes = size.to("MiB").value
    micro = empty + max(payload - empty, 0.0) * mebibytes
    if not is_in_scm(cluster, size):
        alone = _usual(measured, nvme_perf.BANDWIDTH, nvme_perf.ALONE.name)
        micro += mebibytes / alone * 1e6 if alone else 0.0
        micro += _usual(measured, nvme_perf.IOPS, nvme_perf.LATENCY.name) or 0.0
    return micro / 1e6


def _usual(measured: Measured, check: Check, name: str) -> float | None:
    """The median of a figure over all subjects."""
    figure = f"{check.name}.{name}"

    def middle() -> float | None:
        figures = sorted(measured.medians(figure).values())
        return figures[len(figures) // 2] if figures else None

    return measured.once(("usual", figure), middle)


def _sum(
    cluster: Cluster, check: Check, name: str, measured: Measured, engine: Subject | None
) -> float | None:
    """The sum over all engines, or the figure of one; None if one was not measured."""
    figure = f"{check.name}.{name}"

    def total() -> float | None:
        engines = (engine,) if engine else each_engine(cluster, "clients")
        return _total(measured.medians(figure, own=engine is not None), engines)

    return measured.once(("sum", figure, engine), total)


def _of_ssds(
    cluster: Cluster, check: Check, metric: Metric, measured: Measured, engine: Subject | None
) -> Limit | None:
    figure = f"{check.name}.{metric.name}"

    def total() -> float | None:
        return _total(measured.medians(figure, own=engine is not None), ssds)

    ssds = data_ssds_of(cluster, engine) if engine else data_ssds(cluster)
    together = measured.once(("sum", figure, engine), total)
    if together is None:
        return None
    instead = measured.instead(figure, ssds) if engine else ""
    return _as_measured("the SSDs", together, metric.unit, figure, instead)


def _total(medians: Mapping[Subject, float], subjects: Collection[Subject]) -> float | None:
    known = [medians[subject] for subject in subjects if subject in medians]
    return sum(known) if known and len(known) == len(subjects) else None


def _as_measured(who: str, value: float, unit: str, figure: str, instead: str) -> Limit:
    how = f"as measured {instead}".strip()
    return Limit(who, Quantity(value, unit), f"{who} {how}", f"sum of {figure}")
