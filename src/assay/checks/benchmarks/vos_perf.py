"""The SCM of one engine, measured with vos_perf: DAOS's storage layer without network or SSDs."""

from __future__ import annotations

from assay.checks.bounds import Limit
from assay.checks.bounds.devices import IO, MEBIBYTE, Direction, scm
from assay.checks.entry import Check, Metric, Reading, Requirement, Run, Scales, each_sample
from assay.checks.estimates import START_S, busiest
from assay.checks.memory import MemoryRules
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_scm_engine, each_unflushed_engine
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.vos_perf import TOOL, parse


def _scm(cluster: Cluster, requirement: Requirement) -> Limit | None:
    """The SCM of one engine, written and read by one process, one value at a time."""
    engine, direction = cluster.engine(requirement.subject), requirement.metric.direction
    assert direction
    return scm(cluster, cluster.hosts[requirement.host], engine, direction, line=False)


_SCM = MemoryRules(_scm)


def _bandwidth(name: str, direction: Direction) -> Metric:
    return Metric(
        name, "MiB/s", _SCM.bandwidth, direction=direction, transfer=MEBIBYTE, in_chain=True
    )


_BANDWIDTH = (_bandwidth("update_1m", "write"), _bandwidth("fetch_1m", "read"))
_RATE = (
    Metric("update_4k", "IO/s", _SCM.rate, direction="write", transfer=IO),
    Metric("fetch_4k", "IO/s", _SCM.rate, direction="read", transfer=IO),
    Metric("update_latency_4k", "us", _SCM.latency, better="lower", direction="write", transfer=IO),
    Metric("fetch_latency_4k", "us", _SCM.latency, better="lower", direction="read", transfer=IO),
)


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the results and the messages of every run."""
    left = raw.of(subject)
    outputs = (left.printed(name) for name in run.names("run"))
    return merged(TOOL, (parse(output, expected_processes=1) for output in outputs))


_TESTS = {"write": "update", "read": "fetch"}
_FIGURES = {"IO/s": "rate", "MiB/s": "bandwidth", "us": "latency"}
"""The program's name of each figure: `update_4k` in IO/s is its `update_rate`."""


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match a sample with a metric by test, update or fetch, and by figure."""
    assert metric.direction
    return sample.metric == f"{_TESTS[metric.direction]}_{_FIGURES[metric.unit]}"


_READING = Reading(_parsed, each_sample("run"), _is_sample_of)

_RATE_SCALES: Scales = {
    "quick": {"repetitions": 3, "values": 50 * 1024, "pool_mib": 512},
    "acceptance": {"repetitions": 7, "values": 500 * 1024, "pool_mib": 4096},
}
"""Single values of 4 KiB under one key."""

_BANDWIDTH_SCALES: Scales = {
    "quick": {"repetitions": 3, "values": 256, "pool_mib": 512},
    "acceptance": {"repetitions": 7, "values": 2048, "pool_mib": 4096},
}
"""Array values of 1 MiB under one key."""


def _takes(run: Run) -> float:
    """The engines of a host run one after the other; each value is written and fetched."""
    value = run.check.metrics[0].transfer
    each = 2 / 1500 if value == MEBIBYTE else 40e-6
    return busiest(run.subjects) * run.repetitions * (4 * START_S + run.sizes["values"] * each)


_FLUSHED = ("server", "daos")
_UNFLUSHED = ("server", "daos", "no_flush")


def _check(name: str, *, flushed: bool, rate: bool) -> Check:
    return Check(
        name,
        "scm",
        "scm",
        _FLUSHED if flushed else _UNFLUSHED,
        each_scm_engine if flushed else each_unflushed_engine,
        _RATE if rate else _BANDWIDTH,
        scales=_RATE_SCALES if rate else _BANDWIDTH_SCALES,
        reading=_READING,
        takes=_takes,
    )


RATE = _check("VosPerfRate", flushed=True, rate=True)
BANDWIDTH = _check("VosPerfBandwidth", flushed=True, rate=False)
RATE_NO_FLUSH = _check("VosPerfRateNoFlush", flushed=False, rate=True)
BANDWIDTH_NO_FLUSH = _check("VosPerfBandwidthNoFlush", flushed=False, rate=False)
