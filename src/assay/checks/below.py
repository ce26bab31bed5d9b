"""The measured figures of the layers below, in this campaign, for data on its path to DAOS.

A bound is the most that hardware can do; the actual hardware did less. Floors of figures through
DAOS are fractions of what it did, so that a slow layer is reported once, and not by every figure
above it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from assay.checks import nvme_perf, self_test, vos_perf
from assay.checks.bounds import Limit
from assay.checks.bounds.devices import Direction, nic
from assay.checks.bounds.path import SMALL, data_ssds, is_in_scm
from assay.checks.entry import Check, Metric
from assay.checks.figures import Measured, targets
from assay.checks.subjects import each_engine
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.units import Quantity


def network(
    cluster: Cluster, direction: Direction, clients: Sequence[str], measured: Measured
) -> Limit | None:
    """The network of all engines with all clients; each engine was measured separately.

    For clients whose line rates are unknown, it is their share.
    """
    name = "get_1m" if direction == "write" else "put_1m"
    total = _sum(cluster, self_test.CLIENT_SERVER, name, measured)
    if total is None:
        return None
    if any(nic(cluster, c, cluster.hosts[c].interface) is None for c in clients):
        total *= len(clients) / len(cluster.clients)
    return _as_measured("the network", total, "MiB/s", self_test.CLIENT_SERVER, name)


def storage(
    cluster: Cluster, direction: Direction, size: Quantity, measured: Measured
) -> Limit | None:
    """The SSDs, read all at once on each host; or the SCM, if the data goes there."""
    if is_in_scm(cluster, size):
        name = "update_1m" if direction == "write" else "fetch_1m"
        medians = measured.medians(f"{vos_perf.BANDWIDTH.name}.{name}")
        engines = each_engine(cluster, "servers")
        if not engines or not medians.keys() >= set(engines):
            return None
        total = sum(medians[engine] * targets(cluster, engine) for engine in engines)
        return _as_measured("the SCM", total, "MiB/s", vos_perf.BANDWIDTH, name)
    if direction == "write":
        return None  # nothing writes to the engines' SSDs: what is on them would be lost
    return _of_ssds(cluster, nvme_perf.BANDWIDTH, nvme_perf.TOGETHER, measured)


def reads(cluster: Cluster, direction: Direction, measured: Measured) -> Limit | None:
    """Random reads of 4 KiB of the SSDs, all at once on each host."""
    if direction == "write" or is_in_scm(cluster, SMALL):
        return None
    return _of_ssds(cluster, nvme_perf.IOPS, nvme_perf.RATE_TOGETHER, measured)


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


def _sum(cluster: Cluster, check: Check, name: str, measured: Measured) -> float | None:
    """The sum over all engines; None if one was not measured."""
    figure = f"{check.name}.{name}"

    def total() -> float | None:
        return _total(measured.medians(figure), each_engine(cluster, "clients"))

    return measured.once(("sum", figure), total)


def _of_ssds(cluster: Cluster, check: Check, metric: Metric, measured: Measured) -> Limit | None:
    figure = f"{check.name}.{metric.name}"

    def total() -> float | None:
        return _total(measured.medians(figure), data_ssds(cluster))

    together = measured.once(("sum", figure), total)
    if together is None:
        return None
    return _as_measured("the SSDs", together, metric.unit, check, metric.name)


def _total(medians: Mapping[Subject, float], subjects: Collection[Subject]) -> float | None:
    known = [medians[subject] for subject in subjects if subject in medians]
    return sum(known) if known and len(known) == len(subjects) else None


def _as_measured(who: str, value: float, unit: str, check: Check, name: str) -> Limit:
    return Limit(who, Quantity(value, unit), f"{who} as measured", f"sum of {check.name}.{name}")
