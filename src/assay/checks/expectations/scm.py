"""What storage class memory should do: DRAM in its place, and that of DAOS's engines."""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import IO, Direction, as_rate, memory, scm
from assay.checks.figures import Expectation, Measured, Rule, shortest, within
from assay.checks.plan import Owed
from assay.cluster.description import Cluster


def _tmpfs(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    """Files in the DRAM that stands for SCM, written and read by the CPU."""
    limit = memory(cluster, cluster.hosts[metric.host])
    return _in_memory(cluster, metric, limit)


def _vos_perf(cluster: Cluster, metric: Owed, _: Measured) -> Expectation:
    """Values in the SCM of one engine, by one process and one at a time."""
    described, engine = cluster.hosts[metric.host], cluster.engine(metric.subject)
    way: Direction = "write" if "update" in metric.metric.name else "read"
    limit = scm(cluster, described, engine, way, line=False)
    return _in_memory(cluster, metric, limit)


def _in_memory(cluster: Cluster, metric: Owed, limit: Limit | None) -> Expectation:
    why = "the inventory names neither PMem modules nor memory for this host"
    match metric.metric.unit:
        case "us":
            return within(cluster, metric, shortest(IO, limit), why)
        case "IO/s":
            return within(cluster, metric, tightest([as_rate(limit, "IO/s")], "IO/s"), why)
    return within(cluster, metric, tightest([limit], "GB/s"), why)


SCM: Mapping[str, Rule] = {
    "ScmFio": _tmpfs,
    "VosPerfRate": _vos_perf,
    "VosPerfBandwidth": _vos_perf,
    "VosPerfRateNoFlush": _vos_perf,
    "VosPerfBandwidthNoFlush": _vos_perf,
}
