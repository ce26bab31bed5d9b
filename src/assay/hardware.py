"""Datasheet figures, each with its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from assay.units import Quantity, parse


@dataclass(frozen=True, slots=True)
class Ssd:
    """What the datasheet of an NVMe SSD promises."""

    name: str
    read_bandwidth: Quantity
    write_bandwidth: Quantity
    read_rate: Quantity
    write_rate: Quantity
    source: str


@dataclass(frozen=True, slots=True)
class PmemModule:
    """What the datasheet of a persistent-memory module promises, for accesses of two sizes."""

    name: str
    capacity: Quantity
    read_bandwidth_256b: Quantity
    write_bandwidth_256b: Quantity
    read_bandwidth_64b: Quantity
    write_bandwidth_64b: Quantity
    source: str


@cache
def ssds() -> dict[str, Ssd]:
    """All SSDs of `hardware.yml`, by name."""
    return {name: Ssd(name=name, **sheet) for name, sheet in _sheets("ssd").items()}


@cache
def pmem_modules() -> dict[str, PmemModule]:
    """All persistent-memory modules of `hardware.yml`, by name."""
    return {name: PmemModule(name=name, **sheet) for name, sheet in _sheets("pmem").items()}


def _sheets(kind: str) -> dict[str, dict[str, Any]]:
    text = resources.files("assay").joinpath("hardware.yml").read_text(encoding="utf-8")
    return {
        name: {key: value if key == "source" else parse(value) for key, value in sheet.items()}
        for name, sheet in yaml.safe_load(text)[kind].items()
    }
