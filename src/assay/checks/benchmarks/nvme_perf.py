"""The SSDs of DAOS's engines, measured with SPDK's benchmark, which bypasses the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.entry import Check, Metric, Reading, Run
from assay.checks.estimates import START_S, busiest
from assay.checks.raw import RawOutputs
from assay.checks.ssd import SsdRules
from assay.checks.subjects import each_ssd
from assay.cluster.description import Cluster
from assay.cluster.once import once
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.spdk_nvme_perf import TOOL, parse

_SSD = SsdRules(lambda host: host.datasheets.ssd, "no SSD is named for the engines")
_NEEDS = ("server", "daos", "nvme")


def _bandwidth(name: str) -> Metric:
    """The bandwidth of sequential reads; writes would destroy the engines' data."""
    return Metric(
        name,
        "MiB/s",
        _SSD.bandwidth,
        direction="read",
        transfer=MEBIBYTE,
        in_flight=16,
    )


def _rate(name: str) -> Metric:
    """The rate of random reads."""
    return Metric(
        name,
        "IO/s",
        _SSD.rate,
        direction="read",
        transfer=IO,
        in_flight=128,
    )


ALONE = _bandwidth("read_1m_alone")
"""Metrics of an SSD while its host reads no other SSD."""

TOGETHER = _bandwidth("read_1m_together")
"""Of an SSD while all SSDs of its host are read."""


# How a sample is taken and read.


def ssds(cluster: Cluster, host: str) -> tuple[str, ...]:
    """The addresses of all SSDs of the engines on a host."""
    return _by_host(cluster)[host]


@once
def _by_host(cluster: Cluster) -> dict[str, tuple[str, ...]]:
    by_host: dict[str, tuple[str, ...]] = {}
    for ssd in each_ssd(cluster, "servers"):
        assert ssd.device
        by_host[ssd.host] = (*by_host.get(ssd.host, ()), ssd.device)
    return by_host


def read_at_once(cluster: Cluster, subject: Subject, metric: Metric) -> Sequence[str]:
    """The addresses of the SSDs that are read together for a metric of one of them."""
    assert subject.device
    together = metric in (TOGETHER, RATE_TOGETHER)
    return ssds(cluster, subject.host) if together else [subject.device]


def samples(run: Run, subject: Subject) -> Iterator[tuple[Metric, Subject, str]]:
    """For each sample of a subject: the metric, the SSD for which it is run, and the step.

    A sample of all SSDs together runs only once, for the first SSD of the host.
    """
    first = Subject(subject.host, device=ssds(run.cluster, subject.host)[0])
    for metric in run.check.metrics:
        runner = first if metric in (TOGETHER, RATE_TOGETHER) else subject
        for name in run.names(metric.name):
            yield metric, runner, name


def _steps(run: Run, subject: Subject) -> Iterator[str]:
    return (name for _, runner, name in samples(run, subject) if runner == subject)


_FIGURES = {"MiB/s": "bandwidth", "IO/s": "rate", "us": "latency"}


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the figures of the subject's SSD in all runs that include it."""
    parts = []
    for metric, runner, name in samples(run, subject):
        expected = tuple(read_at_once(run.cluster, subject, metric))
        read = parse(raw.of(runner).printed(name), expected_devices=expected)
        figures = tuple(
            Sample(metric.name, sample.value, sample.unit)
            for sample in read.samples
            if sample.metric == _FIGURES[metric.unit] and sample.labels["device"] == subject.device
        )
        parts.append(Parsed(TOOL, figures, read.problems))
    return merged(TOOL, parts)


def _takes(run: Run) -> float:
    """Each SSD of a host runs alone, then all together; SPDK needs some seconds to start."""
    most = busiest(run.subjects)
    runs = sum(1 if m in (TOGETHER, RATE_TOGETHER) else most for m in run.check.metrics)
    return runs * run.repetitions * (run.sizes["run_s"] + 8 * START_S)


_SCALES = {
    "quick": {"repetitions": 3, "run_s": 2},
    "acceptance": {"repetitions": 5, "run_s": 10},
}

BANDWIDTH = Check(
    "NvmeBandwidth",
    "ssd",
    "raw",
    _NEEDS,
    each_ssd,
    (ALONE, TOGETHER),
    scales=_SCALES,
    reading=Reading(_parsed, _steps),
    takes=_takes,
)

RATE_ALONE = _rate("randread_4k_alone")
RATE_TOGETHER = _rate("randread_4k_together")
"""Of an SSD while all SSDs of its host are read."""

LATENCY = Metric(
    "latency_4k",
    "us",
    _SSD.latency,
    better="lower",
    direction="read",
    transfer=IO,
    in_flight=1,
)

IOPS = Check(
    "NvmeIops",
    "ssd",
    "raw",
    _NEEDS,
    each_ssd,
    (RATE_ALONE, RATE_TOGETHER, LATENCY),
    scales=_SCALES,
    reading=Reading(_parsed, _steps),
    takes=_takes,
)
