"""The checks of SSDs: the one with the scratch directory, and those of DAOS's engines."""

from assay.checks.entry import Check, latencies, rates
from assay.checks.subjects import each_disk, each_ssd

SSD = (
    Check(
        "SsdFio",
        "ssd",
        "raw",
        ("disk", "fio"),
        each_disk,
        (
            *rates("MiB/s", "write_1m", "read_1m"),
            *rates("IO/s", "randwrite_4k", "randread_4k"),
        ),
    ),
    Check(
        "NvmeBandwidth",
        "ssd",
        "raw",
        ("server", "daos", "nvme"),
        each_ssd,
        rates("MiB/s", "read_1m_alone", "read_1m_together"),
    ),
    Check(
        "NvmeIops",
        "ssd",
        "raw",
        ("server", "daos", "nvme"),
        each_ssd,
        (
            *rates("IO/s", "randread_4k_alone", "randread_4k_together"),
            *latencies("latency_4k"),
        ),
    ),
)
