"""The expected performance of a whole system, layer by layer, and its limits.

An expectation is for one subject: an SSD, an engine, a client. Planning needs the total of all
subjects. Figures of parts that work in parallel add up; but the data of all clients together
crosses shared components, so their sum is limited by the same rule for all clients together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.checks.benchmarks import nvme_perf, self_test
from assay.checks.bounds import Bound, Limit
from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.bounds.path import as_rates, data_path, of_files, senders
from assay.checks.daos_path import DaosPath
from assay.checks.entry import Expectation, Measured, Requirement
from assay.checks.expect import expectation
from assay.cluster.description import PARTITIONS, Cluster
from assay.subject import Subject

ALONE = frozenset({nvme_perf.ALONE, nvme_perf.RATE_ALONE})
"""Figures of an SSD while the other SSDs of its host are idle; they do not add up."""


@dataclass(frozen=True, slots=True)
class Total:
    """One figure of all its subjects."""

    requirement: Requirement
    """The requirement of the first subject."""
    count: int
    is_sum: bool
    """Whether `floor` and `bound` are for all subjects together; otherwise, for each of them."""
    floor: float | None
    bound: float | None
    limited: str
    """The component that limits it, and the next one."""


def paths(cluster: Cluster) -> Iterator[tuple[str, Bound]]:
    """The maximum of a DAOS system for applications, in blocks of 1 MiB and of 4 KiB."""
    if cluster.daos is None:
        return
    for direction in ("write", "read"):
        whole = data_path(cluster, direction, MEBIBYTE, of_files(cluster))
        if whole:
            yield f"{direction} in blocks of {MEBIBYTE}", whole
        small = data_path(cluster, direction, IO, of_files(cluster))
        if small:
            rates = as_rates(cluster, direction, IO, "IO/s", small.limits)
            yield f"{direction} in blocks of {IO}", rates


def totals(cluster: Cluster, requirements: Iterable[Requirement]) -> list[Total]:
    """The bandwidths and rates whose limits are known before any measurement, by layer."""
    groups: dict[tuple[str, str, str | None, int | None], list[Requirement]] = {}
    for requirement in requirements:
        subject = requirement.subject
        if requirement.metric.better == "higher" and requirement.metric not in ALONE:
            key = (requirement.figure, requirement.partition, subject.backend, subject.containers)
            groups.setdefault(key, []).append(requirement)
    measured = Measured({})
    made = (_total(cluster, group, measured) for group in groups.values())
    return [total for total in made if total is not None]


def _total(cluster: Cluster, group: Sequence[Requirement], measured: Measured) -> Total | None:
    first = group[0]
    each = [expectation(cluster, requirement, measured) for requirement in group]
    if each[0].ground == "count":
        return None
    is_sum = all(requirement.subject.peer is None for requirement in group)
    of_all = sum if is_sum else min
    floor = of_all(e.floor for e in each if e.floor is not None) if _all(each, "floor") else None
    bound = of_all(e.bound for e in each if e.bound is not None) if _all(each, "bound") else None
    limited = _limited(each[0].limits)
    if is_sum and len(group) > 1:
        limited = limited and f"each by {limited}"
        shared = _shared(cluster, first, measured)
        if shared and bound is not None and shared[0] < bound:
            most, least, limited = shared
            if floor is not None:  # the part of each one's bound is required of them together
                floor = floor / bound * most if least is None else min(floor, least)
            bound = most
    if floor is None and bound is None:
        return None
    return Total(first, len(group), is_sum, floor, bound, limited)


def _all(each: Sequence[Expectation], limit: str) -> bool:
    return all(getattr(expected, limit) is not None for expected in each)


def _shared(
    cluster: Cluster, first: Requirement, measured: Measured
) -> tuple[float, float | None, str] | None:
    """Bound, floor and limit of the components that all subjects of a figure share, if any."""
    if first.check == self_test.CLIENT_SERVER.name:
        wire = senders(cluster)
        if wire is None or first.unit != "MiB/s":
            return None
        return wire.value.to(first.unit).value, None, wire.made_of
    if first.host in PARTITIONS or not isinstance(
        getattr(first.metric.rule, "__self__", None), DaosPath
    ):
        return None
    together = Subject(first.partition, backend=first.subject.backend)
    expected = expectation(cluster, replace(first, subject=together), measured)
    if expected.bound is None:
        return None
    return expected.bound, expected.floor, _limited(expected.limits)


def _limited(limits: Sequence[Limit]) -> str:
    if not limits:
        return ""
    least, *others = limits
    following = [limit for limit in others if limit.who != least.who][:1]
    return "; ".join([least.made_of, *(f"then {limit.who}, {limit.value}" for limit in following)])
