"""Quantities with units, in the spelling of this project.

GiB is not GB, bits are not bytes, and an I/O is not an operation on a file, so none of them can be
taken for another by accident.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

# Ours and not a library's: pint was a quarter of the processor time that `assay plan` took.
_PREFIXES = {
    "": 1.0,
    "u": 1e-6,
    "m": 1e-3,
    **{prefix: 1000.0**power for power, prefix in enumerate("kMGT", start=1)},
    **{prefix: 1024.0**power for power, prefix in enumerate(("Ki", "Mi", "Gi", "Ti"), start=1)},
}

# Counts of different things are different kinds.
_BASES = {
    "s": ("time", 1.0),
    "bit": ("information", 1.0),
    "B": ("information", 8.0),
    **{name: (name, 1.0) for name in ("IO", "op", "RPC", "score", "process", "%")},
}


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
    kind, scale = _kind_and_scale(unit)
    kind_to, scale_to = _kind_and_scale(to)
    if kind != kind_to:
        raise UnitError(f"{unit} cannot be converted to {to}: they measure different things")
    return scale / scale_to


def _kind_and_scale(unit: str) -> tuple[tuple[str, ...], float]:
    """What a unit such as ``MiB/s`` measures, and how many of the base units it is."""
    over, *under = (_simple(part, unit) for part in unit.split("/", maxsplit=1))
    scale = over[1]
    for _, divisor in under:
        scale /= divisor
    return (over[0], *(kind for kind, _ in under)), scale


def is_unit(text: str) -> bool:
    """Whether a text is a known unit, such as ``MiB/s``."""
    try:
        _kind_and_scale(text)
    except UnitError:
        return False
    return True


def _simple(name: str, unit: str) -> tuple[str, float]:
    for base, (kind, scale) in _BASES.items():
        prefix = name.removesuffix(base)
        if prefix != name and prefix in _PREFIXES:
            return kind, _PREFIXES[prefix] * scale
    raise UnitError(f"{unit!r} is not a unit, such as MiB/s, IO/s or us")


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
