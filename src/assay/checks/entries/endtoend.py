"""The checks of data from end to end: from a client's process to the storage and back."""

from assay.checks.entry import Check, Metric, latencies, rates
from assay.checks.subjects import (
    each_fdb_daos,
    each_host,
    each_io500_backend,
    each_ior_backend,
    each_mount_backend,
    each_shared_fdb_daos,
)
from assay.tools.io500 import BANDWIDTHS, RATES

_FIO = (
    *rates("MiB/s", "write_1m", "read_1m"),
    *rates("IO/s", "randwrite_4k", "randread_4k"),
    *latencies("latency_4k"),
)

_FDB = (
    *rates("MiB/s", "write", "read"),
    *(Metric(name, "s", better="lower") for name in ("write_open", "read_open")),
)

_IO500_BANDWIDTHS = rates("GiB/s", *(name.replace("-", "_") for name in BANDWIDTHS))
_IO500_RATES = rates("kop/s", *(name.replace("-", "_") for name in RATES))

ENDTOEND = (
    Check(
        "PosixFio",
        "endtoend",
        "raw",
        ("client", "fio"),
        each_host,
        rates("MiB/s", "write_1m", "read_1m"),
    ),
    Check("FdbHammer", "endtoend", "raw", ("client", "fdb_hammer"), each_host, _FDB),
    Check("FdbHammerSeparate", "endtoend", "raw", ("client", "fdb_hammer"), each_host, _FDB),
    Check(
        "DaosPerf",
        "endtoend",
        "system",
        ("client", "daos_perf"),
        each_host,
        (*rates("IO/s", "update_4k", "fetch_4k"), *rates("MiB/s", "update_1m", "fetch_1m")),
    ),
    Check("FdbHammerDaos", "endtoend", "system", ("client", "fdb_daos"), each_fdb_daos, _FDB),
    Check(
        "FdbHammerDaosSeparate",
        "endtoend",
        "system",
        ("client", "shared_fdb_daos"),
        each_shared_fdb_daos,
        _FDB,
    ),
    Check(
        "IorEasy",
        "endtoend",
        "system",
        ("client", "ior"),
        each_ior_backend,
        rates("MiB/s", "write", "read"),
    ),
    Check(
        "IorHard",
        "endtoend",
        "system",
        ("client", "ior"),
        each_ior_backend,
        rates("MiB/s", "write", "read"),
    ),
    Check("FioDfs", "endtoend", "system", ("client", "fio_dfs"), each_host, _FIO),
    Check("FioDfuse", "endtoend", "system", ("client", "fio", "mount"), each_mount_backend, _FIO),
    Check(
        "Io500",
        "endtoend",
        "system",
        ("client", "ior", "mdtest"),
        each_io500_backend,
        (
            *_IO500_BANDWIDTHS,
            *(metric for metric in _IO500_RATES if metric.name != "find"),
            *rates("GiB/s", "bandwidth_score"),
            *rates("kop/s", "metadata_score_without_find"),
            *rates("score", "score_without_find"),
        ),
    ),
    Check(
        "Io500Program",
        "endtoend",
        "system",
        ("client", "io500"),
        each_io500_backend,
        (
            *_IO500_BANDWIDTHS,
            *_IO500_RATES,
            *rates("GiB/s", "bandwidth_score"),
            *rates("kop/s", "metadata_score"),
            *rates("score", "score"),
        ),
    ),
)
