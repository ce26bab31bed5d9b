"""The SSDs of DAOS's engines, measured with SPDK's benchmark, past the kernel."""

from __future__ import annotations

from assay.checks.bounds.devices import IO, MEBIBYTE
from assay.checks.entry import OWN, Check, Floor, Metric
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
        floor=Floor(0.85),
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
        floor=Floor(0.7, f"one core for each SSD, {OWN}"),
    )


TOGETHER = _bandwidth("read_1m_together")
"""Of an SSD while all SSDs of its host are read."""

BANDWIDTH = Check(
    "NvmeBandwidth", "ssd", "raw", _NEEDS, each_ssd, (_bandwidth("read_1m_alone"), TOGETHER)
)

IOPS = Check(
    "NvmeIops",
    "ssd",
    "raw",
    _NEEDS,
    each_ssd,
    (
        _rate("randread_4k_alone"),
        _rate("randread_4k_together"),
        Metric(
            "latency_4k",
            "us",
            _SSD.latency,
            better="lower",
            direction="read",
            transfer=IO,
            in_flight=1,
            floor=Floor(0.5, f"a typical latency, {OWN}"),
        ),
    ),
)
