"""Objects of DAOS without a file system, written and fetched with daos_perf."""

from __future__ import annotations

from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.daos_path import DaosPath, objects
from assay.checks.entry import Check, Metric
from assay.checks.subjects import each_host

IN_FLIGHT = 16
"""Values that each process has in flight."""

_PATH = DaosPath(stored=objects)

DAOS_PERF = Check(
    "DaosPerf",
    "endtoend",
    "system",
    ("client", "daos_perf"),
    each_host,
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
)
