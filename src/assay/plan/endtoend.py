"""The checks of data from end to end: from a client's process to the storage and back."""

from assay.plan.entry import Check, rates
from assay.plan.subjects import each_host, partition_as_one

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
        "IorPosix",
        "endtoend",
        "system",
        ("client", "ior"),
        partition_as_one,
        rates("MiB/s", "write", "read"),
    ),
)
