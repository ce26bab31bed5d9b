"""The SSDs of DAOS's engines, measured with SPDK's benchmark, past the kernel."""

from __future__ import annotations

from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.entry import Check, Metric
from assay.checks.ssd import SsdRules
from assay.checks.subjects import each_ssd

_SSD = SsdRules(lambda host: host.datasheets.ssd, "the inventory names no SSD for the engines")
_NEEDS = ("server", "daos", "nvme")


def _bandwidth(name: str) -> Metric:
    """Sequential reads; writes would destroy what the engines have on them."""
    return Metric(
        name,
        "MiB/s",
        _SSD.bandwidth,
        direction="read",
        transfer=MEBIBYTE,
        in_flight=16,
    )


def _rate(name: str) -> Metric:
    """Random reads."""
    return Metric(
        name,
        "IO/s",
        _SSD.rate,
        direction="read",
        transfer=IO,
        in_flight=128,
    )


ALONE = _bandwidth("read_1m_alone")
"""For an SSD while its host reads no other."""

TOGETHER = _bandwidth("read_1m_together")
"""Of an SSD while all SSDs of its host are read."""

BANDWIDTH = Check("NvmeBandwidth", "ssd", "raw", _NEEDS, each_ssd, (ALONE, TOGETHER))

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
    (_rate("randread_4k_alone"), RATE_TOGETHER, LATENCY),
)
