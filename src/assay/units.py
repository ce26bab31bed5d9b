"""Quantities with units, in the spelling of this project.

A thin layer on `pint`. GiB is not GB, bits are not bytes, and an I/O is not an operation on a file,
so none of them can be taken for another by accident.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pint

_DEFINITIONS = (
    "kilo- = 1000 = k-",
    "mega- = 1e6 = M-",
    "giga- = 1e9 = G-",
    "tera- = 1e12 = T-",
    "micro- = 1e-6 = u-",
    "milli- = 1e-3 = m-",
    "kibi- = 2**10 = Ki-",
    "mebi- = 2**20 = Mi-",
    "gibi- = 2**30 = Gi-",
    "tebi- = 2**40 = Ti-",
    "second = [time] = s",
    "bit = [information]",
    "byte = 8 * bit = B",
    # Counts of different things are different dimensions.
    "io = [io] = IO",
    "operation = [operation] = op",
    "rpc = [rpc] = RPC",
    "score = [score]",
    "process = [process]",
)


@cache
def _registry() -> pint.UnitRegistry[float]:
    """The units; pint is imported only for the first conversion, since many commands need none."""
    import pint

    registry: pint.UnitRegistry[float] = pint.UnitRegistry(None)
    for definition in _DEFINITIONS:
        registry.define(definition)
    return registry


_UNIT = re.compile("[A-Za-z]+(/[A-Za-z]+)?")
"""Pattern of a unit; pint would evaluate any other expression, even powers of powers."""


class UnitError(ValueError):
    """The unit is unknown, or a conversion is between units of different kinds."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure with its unit, such as ``28.0 GB/s``."""

    value: float
    unit: str

    def to(self, unit: str) -> Quantity:
        """The same quantity in another unit of the same kind.

        Raises:
            UnitError: one of the units is unknown, or they measure different things.
        """
        if unit == self.unit:
            return self  # most are, and a large campaign asks a million times
        return Quantity(self.value * factor(self.unit, unit), unit)

    def __str__(self) -> str:
        return f"{show(self.value)} {self.unit}"


@lru_cache(maxsize=1024)
def factor(unit: str, to: str) -> float:
    """The factor that converts a figure from `unit` into `to`.

    Raises:
        UnitError: one of the units is unknown, or they measure different things.
    """
    for name in (unit, to):
        if not _UNIT.fullmatch(name):
            raise UnitError(f"{name!r} is not a unit, such as MiB/s, IO/s or us")
    import pint

    registry = _registry()
    try:
        return float(registry.Quantity(1.0, registry.Unit(unit)).m_as(registry.Unit(to)))
    except pint.DimensionalityError as error:
        raise UnitError(
            f"{unit} cannot be converted to {to}: they measure different things"
        ) from error
    except (pint.PintError, AttributeError, ValueError, TypeError) as error:
        raise UnitError(f"{unit!r} or {to!r} is not a unit, such as MiB/s, IO/s or us") from error


def parse(text: str) -> Quantity:
    """Read ``28 GB/s`` or ``1.9 us``.

    Raises:
        UnitError: the text is not a number, a space and a unit.
    """
    number, _, unit = text.strip().partition(" ")
    try:
        value = float(number)
    except ValueError as error:
        raise UnitError(
            f"{text!r} is not a quantity: write a number, a space and a unit"
        ) from error
    factor(unit.strip(), unit.strip())
    return Quantity(value, unit.strip())


def show(value: float) -> str:
    """Print a figure with three significant digits, or with all digits before the point.

    Examples: ``0.0123``, ``7.45``, ``28.0``, ``433``, ``61,072``.
    """
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1:
        return f"{value:.2f}"
    return f"{value:.3g}"
