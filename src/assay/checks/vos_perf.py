"""The SCM of one engine, measured with vos_perf: DAOS's storage engine without network or SSDs."""

from __future__ import annotations

from assay.checks.bounds import Limit
from assay.checks.bounds.devices import IO, MEBIBYTE, scm
from assay.checks.entry import Check, Metric, Requirement
from assay.checks.memory import MemoryRules
from assay.checks.subjects import each_scm_engine, each_unflushed_engine
from assay.cluster.description import Cluster


def _scm(cluster: Cluster, requirement: Requirement) -> Limit | None:
    """The SCM of one engine, written and read by one process, one value at a time."""
    engine, direction = cluster.engine(requirement.subject), requirement.metric.direction
    assert direction
    return scm(cluster, cluster.hosts[requirement.host], engine, direction, line=False)


_SCM = MemoryRules(_scm)

_BANDWIDTH = (
    Metric("update_1m", "MiB/s", _SCM.bandwidth, direction="write", transfer=MEBIBYTE),
    Metric("fetch_1m", "MiB/s", _SCM.bandwidth, direction="read", transfer=MEBIBYTE),
)
_RATE = (
    Metric("update_4k", "IO/s", _SCM.rate, direction="write", transfer=IO),
    Metric("fetch_4k", "IO/s", _SCM.rate, direction="read", transfer=IO),
    Metric("update_latency_4k", "us", _SCM.latency, better="lower", direction="write", transfer=IO),
    Metric("fetch_latency_4k", "us", _SCM.latency, better="lower", direction="read", transfer=IO),
)

_FLUSHED = ("server", "daos", "scm")
_UNFLUSHED = ("server", "daos", "no_flush")

RATE = Check("VosPerfRate", "scm", "scm", _FLUSHED, each_scm_engine, _RATE)
BANDWIDTH = Check("VosPerfBandwidth", "scm", "scm", _FLUSHED, each_scm_engine, _BANDWIDTH)
RATE_NO_FLUSH = Check("VosPerfRateNoFlush", "scm", "scm", _UNFLUSHED, each_unflushed_engine, _RATE)
BANDWIDTH_NO_FLUSH = Check(
    "VosPerfBandwidthNoFlush", "scm", "scm", _UNFLUSHED, each_unflushed_engine, _BANDWIDTH
)
