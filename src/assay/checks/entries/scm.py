"""The checks of storage class memory: DRAM in its place, and that of DAOS's engines."""

from assay.checks.entry import Check, latencies, rates
from assay.checks.subjects import each_ram_engine, each_scm_engine, each_unflushed_engine

_RATE = (
    *rates("IO/s", "update_4k", "fetch_4k"),
    *latencies("update_latency_4k", "fetch_latency_4k"),
)
_BANDWIDTH = rates("MiB/s", "update_1m", "fetch_1m")

SCM = (
    Check(
        "ScmFio",
        "scm",
        "scm",
        ("server", "ram_tier", "fio"),
        each_ram_engine,
        (
            *rates("MiB/s", "write_1m", "read_1m"),
            *rates("IO/s", "write_4k", "read_4k"),
        ),
    ),
    Check("VosPerfRate", "scm", "scm", ("server", "daos", "scm"), each_scm_engine, _RATE),
    Check("VosPerfBandwidth", "scm", "scm", ("server", "daos", "scm"), each_scm_engine, _BANDWIDTH),
    Check(
        "VosPerfRateNoFlush",
        "scm",
        "scm",
        ("server", "daos", "no_flush"),
        each_unflushed_engine,
        _RATE,
    ),
    Check(
        "VosPerfBandwidthNoFlush",
        "scm",
        "scm",
        ("server", "daos", "no_flush"),
        each_unflushed_engine,
        _BANDWIDTH,
    ),
)
