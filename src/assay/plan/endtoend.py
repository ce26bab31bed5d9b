"""The checks of data from end to end: from a client's process to the storage and back."""

from assay.plan.entry import Check, latencies, rates
from assay.plan.subjects import each_host, each_ior_backend, each_mount_backend

_FIO = (
    *rates("MiB/s", "write_1m", "read_1m"),
    *rates("IO/s", "randwrite_4k", "randread_4k"),
    *latencies("latency_4k"),
)

ENDTOEND = (
    Check(
        "PosixFio",
        "endtoend",
        "raw",
        ("client", "fio"),
        each_host,
        rates("MiB/s", "write_1m", "read_1m"),
    ),
    Check(
        "FdbHammer",
        "endtoend",
        "raw",
        ("client", "fdb_hammer"),
        each_host,
        rates("MiB/s", "write", "read"),
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
)
