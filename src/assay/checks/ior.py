"""Data of all clients together, written and read with IOR by every backend."""

from __future__ import annotations

from assay.checks.daos_path import DaosPath
from assay.checks.entry import Check, Metric
from assay.checks.subjects import each_ior_backend
from assay.tools.io500 import HARD_TRANSFER_BYTES
from assay.units import Quantity

EASY_TRANSFER = Quantity(2, "MiB")
"""What IOR moves at a time in the pattern that suits every storage."""

HARD_TRANSFER = Quantity(HARD_TRANSFER_BYTES, "B")
"""What it moves in the pattern that aligns with nothing."""

_PATH = DaosPath()


def write(name: str, unit: str, transfer: Quantity) -> Metric:
    """The bandwidth of a phase in which IOR writes."""
    return Metric(name, unit, _PATH.bandwidth, direction="write", transfer=transfer)


def read(name: str, unit: str, transfer: Quantity) -> Metric:
    """The bandwidth of a phase in which IOR reads."""
    return Metric(name, unit, _PATH.bandwidth, direction="read", transfer=transfer)


EASY = Check(
    "IorEasy",
    "endtoend",
    "system",
    ("client", "ior"),
    each_ior_backend,
    (write("write", "MiB/s", EASY_TRANSFER), read("read", "MiB/s", EASY_TRANSFER)),
)

HARD = Check(
    "IorHard",
    "endtoend",
    "system",
    ("client", "ior"),
    each_ior_backend,
    (write("write", "MiB/s", HARD_TRANSFER), read("read", "MiB/s", HARD_TRANSFER)),
)
