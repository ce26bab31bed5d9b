"""Datasheet figures, each with its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

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


@cache
def ssds() -> dict[str, Ssd]:
    """All SSDs of `hardware.yml`, by name."""
    text = resources.files("assay").joinpath("hardware.yml").read_text(encoding="utf-8")
    return {
        name: Ssd(
            name=name,
            source=sheet["source"],
            **{key: parse(value) for key, value in sheet.items() if key != "source"},
        )
        for name, sheet in yaml.safe_load(text)["ssd"].items()
    }
