"""Datasheet figures, each with its source, from `hardware.yml` and from the site."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, partial
from importlib import resources
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from assay.units import Quantity, UnitError, factor, parse


def _read(unit: str, value: object) -> Quantity:
    if isinstance(value, Quantity):
        return value
    try:
        quantity = parse(str(value))
        factor(quantity.unit, unit)
    except UnitError as error:
        raise ValueError(f"should be a quantity such as 7 {unit}: {error}") from error
    if not 0 < quantity.value < math.inf:
        raise ValueError(f"should be above zero, and not infinite: {value}")
    return quantity


def _as(unit: str) -> BeforeValidator:
    """A field such as ``7000 MB/s``, in `unit` or another unit of the same kind."""
    return BeforeValidator(partial(_read, unit), json_schema_input_type=str)


def _written(quantity: Quantity) -> str:
    """The form that `_read` takes, with every digit, since `assay verify` judges a bundle by it."""
    return f"{quantity.value!r} {quantity.unit}"


_WRITTEN = PlainSerializer(_written)

Bandwidth = Annotated[Quantity, _as("MB/s"), _WRITTEN]
Rate = Annotated[Quantity, _as("IO/s"), _WRITTEN]
Latency = Annotated[Quantity, _as("us"), _WRITTEN]
Capacity = Annotated[Quantity, _as("GB"), _WRITTEN]


class Sheet(BaseModel):
    """The promised figures of a device, and their source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1, description="the source: document, edition, page")
    announced: bool = Field(
        default=False, description="not from a datasheet, so it may plausibly be exceeded"
    )

    @property
    def word(self) -> str:
        """The source, marked if it is an announcement and not a datasheet."""
        return f"{self.source}; announced, no datasheet" if self.announced else self.source


class Ssd(Sheet):
    """An NVMe SSD; figures that nobody promises are absent."""

    models: tuple[str, ...] = Field(default=(), description="parts of the names that it reports")
    pcie: str | None = Field(default=None, pattern=r"^\d\.\d x(1|2|4|8|16)$", description="4.0 x4")
    read_bandwidth: Bandwidth | None = None
    write_bandwidth: Bandwidth | None = None
    read_rate: Rate | None = None
    write_rate: Rate | None = None
    read_latency: Latency | None = None
    write_latency: Latency | None = None


class PmemModule(Sheet):
    """A module of persistent memory, for two access sizes; figures without a promise are absent."""

    capacity: Capacity | None = None
    read_bandwidth_256b: Bandwidth | None = None
    mixed_bandwidth_256b: Bandwidth | None = None
    write_bandwidth_256b: Bandwidth | None = None
    read_bandwidth_64b: Bandwidth | None = None
    mixed_bandwidth_64b: Bandwidth | None = None
    write_bandwidth_64b: Bandwidth | None = None


class Channel(Sheet):
    """A port, a lane or a channel, in one direction."""

    bandwidth: Bandwidth


class Hardware(BaseModel):
    """Datasheets by the names of the devices."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ssd: Mapping[str, Ssd] = {}
    pmem: Mapping[str, PmemModule] = {}
    fabric: Mapping[str, Channel] = {}
    pcie: Mapping[str, Channel] = {}
    memory: Mapping[str, Channel] = {}

    def and_also(self, other: Hardware) -> Hardware:
        """The sheets of both; those of `other` take precedence."""
        return Hardware(
            ssd={**self.ssd, **other.ssd},
            pmem={**self.pmem, **other.pmem},
            fabric={**self.fabric, **other.fabric},
            pcie={**self.pcie, **other.pcie},
            memory={**self.memory, **other.memory},
        )


@cache
def shipped() -> Hardware:
    """The sheets of `hardware.yml`."""
    text = resources.files("assay.cluster").joinpath("hardware.yml").read_text(encoding="utf-8")
    return Hardware.model_validate(yaml.safe_load(text))
