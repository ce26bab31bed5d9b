"""Objects of DAOS without a file system, written and fetched with daos_perf."""

from __future__ import annotations

from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.daos_path import DaosPath, objects
from assay.checks.entry import Check, Metric, Reading, Run, each_sample
from assay.checks.estimates import FABRIC_MIB_S, RPCS_S, SRUN_S
from assay.checks.load import ranks_per_node
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_in_turn
from assay.subject import Subject
from assay.tools.daos_perf import TOOL, parse
from assay.tools.output import Parsed, Sample, merged

IN_FLIGHT = 16
"""Values in flight in each process."""

_PATH = DaosPath(stored=objects)

SIZES = ("4k", "1m")
"""The values of each sample's runs."""


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the results of every run."""
    left = raw.of(subject)
    processes = ranks_per_node(run.cluster, run.hosts, run.scale)
    names = (f"{size}.{number}" for number in run.times for size in SIZES)
    return merged(TOOL, (parse(left.printed(name), expected_processes=processes) for name in names))


_TESTS = {"write": "update", "read": "fetch"}
_FIGURES = {"IO/s": "rate", "MiB/s": "bandwidth"}


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match a sample with a metric by test, update or fetch, and by size of values."""
    assert metric.direction
    assert metric.transfer
    figure = f"{_TESTS[metric.direction]}_{_FIGURES[metric.unit]}"
    moved = str(int(metric.transfer.to("B").value))
    return (sample.metric, sample.labels["value_size"]) == (figure, moved)


def _takes(run: Run) -> float:
    """One client after the other writes and fetches each size, and destroys its container."""
    ranks = ranks_per_node(run.cluster, run.hosts, run.scale)
    small = 2 * ranks * run.sizes["values_4k"] / RPCS_S
    large = 2 * ranks * run.sizes["values_1m"] / FABRIC_MIB_S
    return len(run.subjects) * run.repetitions * (4 * SRUN_S + small + large)


DAOS_PERF = Check(
    "DaosPerf",
    "endtoend",
    "system",
    ("client", "daos_perf"),
    each_in_turn,
    (
        Metric(
            "update_4k", "IO/s", _PATH.rate, direction="write", transfer=IO, in_flight=IN_FLIGHT
        ),
        Metric("fetch_4k", "IO/s", _PATH.rate, direction="read", transfer=IO, in_flight=IN_FLIGHT),
        Metric(
            "update_1m",
            "MiB/s",
            _PATH.bandwidth,
            direction="write",
            transfer=MEBIBYTE,
            in_flight=IN_FLIGHT,
        ),
        Metric(
            "fetch_1m",
            "MiB/s",
            _PATH.bandwidth,
            direction="read",
            transfer=MEBIBYTE,
            in_flight=IN_FLIGHT,
        ),
    ),
    scales={
        "quick": {"repetitions": 3, "values_4k": 5 * 1024, "values_1m": 64},
        "acceptance": {"repetitions": 5, "values_4k": 100 * 1024, "values_1m": 1024},
    },
    reading=Reading(
        _parsed, each_sample(*SIZES), _is_sample_of, watches_engines=True, pool="perf_pool"
    ),
    takes=_takes,
)
