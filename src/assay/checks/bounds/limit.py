"""A limit, and a bound, which is the minimum of several limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import isinf

from assay.units import Quantity, show


@dataclass(frozen=True, slots=True)
class Limit:
    """One component on the data path, and its maximum throughput."""

    who: str
    """The components, in the plural: ``the servers' NICs``."""
    value: Quantity
    made_of: str
    """How the value is computed: ``8 SSDs × 3.50 GB/s``."""
    source: str
    plausible: float = 1.0
    """How many times its value is still plausible; infinite if the value is no promise."""

    @property
    def most(self) -> Limit | None:
        """The most that is plausible; None if nothing is known of that."""
        if isinf(self.plausible):
            return None
        return self.over(1 / self.plausible, f"{self.plausible - 1:.0%} more is plausible")

    def over(self, cost: float, why: str) -> Limit:
        """The limit for the user's data if each byte crosses the component `cost` times."""
        if cost == 1:
            return self
        value = Quantity(self.value.value / cost, self.value.unit)
        return replace(self, value=value, made_of=f"{self.made_of} / {cost:.4g} ({why})")


@dataclass(frozen=True)
class Bound:
    """The minimum of some limits."""

    value: Quantity
    limits: tuple[Limit, ...]
    """All known limits, the tightest first."""

    @cached_property
    def sentence(self) -> str:
        """In words: ``28.0 GB/s: 8 SSDs × 3.50 GB/s; the servers' NICs would allow 50.0``."""
        tightest, *others = self.limits
        unit = tightest.value.unit
        allowing = [f"{o.who} would allow {show(o.value.to(unit).value)}" for o in others]
        return "; ".join([f"{tightest.value}: {tightest.made_of}", *allowing])

    @property
    def source(self) -> str:
        """The source of the tightest limit."""
        return self.limits[0].source


def tightest(limits: Iterable[Limit | None], unit: str) -> Bound | None:
    """The minimum of the limits, in `unit`; None if none of them is known.

    Unknown limits (None) are ignored: the bound is still true, but less tight.
    """
    known = [limit for limit in limits if limit is not None]
    if not known:
        return None
    ordered = sorted(known, key=lambda limit: limit.value.to(unit).value)
    return Bound(ordered[0].value.to(unit), tuple(ordered))
