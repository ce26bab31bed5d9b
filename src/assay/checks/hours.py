"""The estimated time of a campaign, from its plan."""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.entry import PHASES, SCALES, run_of
from assay.checks.estimates import JOB_S
from assay.checks.load import ranks
from assay.checks.plan import CHECKS, CaseKey, is_required
from assay.cluster.description import PARTITIONS, Cluster


def of_checks(cluster: Cluster, scale: str) -> Mapping[CaseKey, float]:
    """Check and partition to the estimated seconds of its job."""
    crowded = _crowding(cluster, scale)
    return {
        CaseKey(check.name, partition): JOB_S
        + check.takes(run_of(cluster, check, partition, scale))
        * (crowded if check.phase in ("system", "failure") else 1)
        for check in CHECKS.values()
        if check.has(scale)
        for partition in PARTITIONS
        if is_required(cluster, check, partition) and check.subjects(cluster, partition)
    }


def _crowding(cluster: Cluster, scale: str) -> float:
    """How many execution streams of engines and ranks of clients share a core, at least 1.

    They share cores where a host plays both parts, as in a trial on one machine. Both poll, except
    for the stream of SWIM, so that all take as much longer.
    """
    both = set(cluster.clients) & set(cluster.servers)
    shares = (
        (ranks(cluster, scale) + sum(each.xstreams - 1 for each in host.engines)) / host.cores
        for host in (cluster.hosts[name] for name in both)
    )
    return max([1.0, *shares])


def by_phase(cluster: Cluster, scale: str) -> Mapping[str, float]:
    """Phase to seconds, without the time to stop and start engines."""
    seconds = dict.fromkeys(PHASES, 0.0)
    for case, each in of_checks(cluster, scale).items():
        seconds[CHECKS[case.check].phase] += each
    return {phase: each for phase, each in seconds.items() if each}


FURTHER = 3
"""Most further rounds of a check (own choice): four times the samples halve each error."""


def spelled(seconds: float) -> str:
    """A time in words, rounded to about a tenth: ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 90:
        return f"{max(10, round(seconds, -1)):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def sentences(cluster: Cluster, more_hours: float = 0.0) -> list[str]:
    """The expected time of a campaign, by scale, and with DAOS by phase; then its budget.

    Args:
        cluster: the cluster.
        more_hours: the budget for further rounds of checks whose verdicts are open.
    """
    lines = []
    for scale in SCALES:
        phases = by_phase(cluster, scale)
        parts = ", ".join(f"{phase} {spelled(each)}" for phase, each in phases.items())
        # Without DAOS nothing is stopped or started, and all checks run in one go.
        phase_times = f" ({parts})" if cluster.daos is not None and len(phases) > 1 else ""
        lines.append(f"expected time, {scale}: {spelled(sum(phases.values()))}{phase_times}")
    if more_hours > 0:
        lines.append(
            "further rounds of checks whose verdicts are open: at most"
            f" {spelled(more_hours * 3600)}, and {FURTHER} of each"
        )
    return lines
