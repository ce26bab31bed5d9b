"""The properties of pools and containers: which releases have them, and their allowed values.

Source: src/control/lib/daos/pool_property.go and the limits in daos_prop.h;
src/control/lib/daos/container_property.go, src/include/daos/cont_props.h.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.cluster.releases import EVERY, Releases, Version, only, since, until
from assay.tools.daos.pools import LABEL, size_bytes

_LATER = since("2.6")

EC_CELL = (1024, 2**20)
"""Bytes (`DAOS_EC_CELL_MIN` and `_MAX`)."""

DEDUP_BYTES = (4096, 2**32 - 1)
"""Bytes (`daos_prop_valid` in src/common/prop.c)."""

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Words:
    """One of a set of words."""

    words: tuple[str, ...]

    def allowed(self, spelt: str) -> str | None:
        """The allowed words if this is none of them, otherwise None."""
        if spelt.lower() in self.words:
            return None
        return f"should be one of {', '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number within limits; with `percent`, it may end with a percent sign."""

    low: int
    high: int
    percent: bool = False

    def allowed(self, spelt: str) -> str | None:
        """The allowed range if this is outside it, otherwise None."""
        digits = spelt.removesuffix("%") if self.percent else spelt
        if digits.isdecimal() and digits.isascii() and self.low <= int(digits) <= self.high:
            return None
        return f"should be a whole number of {self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class Size:
    """A number of bytes within limits, with a unit or without."""

    low: int = 0
    high: int = 2**64 - 1

    def allowed(self, spelt: str) -> str | None:
        """The allowed form if this is no such size, otherwise None."""
        size = size_bytes(spelt)
        if size is not None and self.low <= size <= self.high:
            return None
        least = f" of at least {self.low} bytes" * bool(self.low)
        return f"should be a size{least}, such as 32KiB"


@dataclass(frozen=True, slots=True)
class Cell:
    """The size of a cell of erasure code."""

    def allowed(self, spelt: str) -> str | None:
        """The allowed sizes if this is none of them, otherwise None."""
        size, (low, high) = size_bytes(spelt), EC_CELL
        if size is not None and low <= size <= high and size % low == 0:
            return None
        return "should be a multiple of 1KiB, up to 1MiB"


@dataclass(frozen=True, slots=True)
class Label:
    """A name that does not look like a UUID, since DAOS would read it as one."""

    def allowed(self, spelt: str) -> str | None:
        """The allowed characters if this is no label, otherwise None."""
        if LABEL.match(spelt) and not _UUID.fullmatch(spelt):
            return None
        return "should be up to 127 letters, digits and . _ : -, and not be a UUID"


@dataclass(frozen=True, slots=True)
class Unread:
    """Any text; only DAOS itself checks it."""

    def allowed(self, spelt: str) -> str | None:
        """None: every value is allowed."""


Takes = Words | Number | Size | Cell | Label | Unread


@dataclass(frozen=True, slots=True)
class Property:
    """The allowed values of a property, in the releases that have it."""

    takes: Takes
    versions: Releases = EVERY


_ANY_NUMBER = Number(0, 2**31 - 1)
_DOMAIN = Number(1, 2**32 - 2)
_SELF_HEAL = (
    *("none", "exclude", "rebuild", "delay_rebuild", "exclude;rebuild", "rebuild;exclude"),
    *("exclude;delay_rebuild", "delay_rebuild;exclude"),
)

POOL: dict[str, tuple[Property, ...]] = {
    "reclaim": (Property(Words(("disabled", "lazy", "time"))),),
    "self_heal": (
        # 2.4 separates two of them by a comma, which dmg reads as the end of the property.
        Property(Words(("exclude", "rebuild")), only("2.4")),
        Property(Words(_SELF_HEAL), _LATER),
    ),
    "space_rb": (Property(Number(0, 100, percent=True)),),
    "svc_ops_enabled": (Property(Number(0, 1), _LATER),),
    "svc_ops_entry_age": (Property(Number(60, 600), _LATER),),
    "label": (Property(Label()),),
    "ec_cell_sz": (Property(Cell()),),
    "rd_fac": (Property(Number(0, 4)),),
    "ec_pda": (Property(_DOMAIN),),
    "rp_pda": (Property(_DOMAIN),),
    "policy": (Property(Unread(), only("2.4")),),
    "data_thresh": (Property(Size(), _LATER),),
    "scrub": (Property(Words(("off", "lazy", "timed"))),),
    "scrub-freq": (Property(_ANY_NUMBER, only("2.4")),),
    "scrub-thresh": (Property(_ANY_NUMBER, only("2.4")),),
    "scrub_freq": (Property(_ANY_NUMBER, _LATER),),
    "scrub_thresh": (Property(_ANY_NUMBER, _LATER),),
    "perf_domain": (
        Property(Words(("root", "node", "target", "rank")), only("2.4")),
        Property(Words(("root", "group")), _LATER),
    ),
    "svc_rf": (Property(Number(0, 4)),),
    "checkpoint": (Property(Words(("disabled", "timed", "lazy"))),),
    "checkpoint_freq": (Property(_ANY_NUMBER),),
    "checkpoint_thresh": (Property(Number(0, 100)),),
    "reintegration": (
        Property(Words(("data_sync", "no_data_sync")), until("2.6")),
        Property(Words(("data_sync", "no_data_sync", "incremental")), since("2.8")),
    ),
}
"""The properties of pools, except those that only DAOS sets (svc_list, global_version,
upgrade_status)."""

_FLAG = Words(("on", "off"))
_FACTOR = (Property(Number(0, 4)),)
_LEVEL = (Property(Words(("1", "2", "rank", "node"))),)

CONTAINER: dict[str, tuple[Property, ...]] = {
    "label": (Property(Label()),),
    "cksum": (
        Property(Words(("off", "adler32", "crc16", "crc32", "crc64", "sha1", "sha256", "sha512"))),
    ),
    "cksum_size": (Property(Size()),),
    "srv_cksum": (Property(_FLAG),),
    "dedup": (Property(Words(("off", "memcmp", "hash"))),),
    "dedup_threshold": (Property(Size(*DEDUP_BYTES)),),
    "compression": (
        Property(Words(("off", "lz4", "deflate", "deflate1", "deflate2", "deflate3", "deflate4"))),
    ),
    "encryption": (
        Property(
            Words(
                (
                    *("off", "aes-xts128", "aes-xts256", "aes-cbc128", "aes-cbc192"),
                    *("aes-cbc256", "aes-gcm128", "aes-gcm256"),
                )
            )
        ),
    ),
    "rd_fac": _FACTOR,
    "rf": _FACTOR,
    "rd_lvl": _LEVEL,
    "rf_lvl": _LEVEL,
    "ec_cell_sz": (Property(Cell()),),
    "ec_pda": (Property(_DOMAIN),),
    "rp_pda": (Property(_DOMAIN),),
    "perf_domain": (Property(Words(("root", "group")), _LATER),),
    "status": (Property(Words(("healthy",))),),
}
"""The properties of containers, except those that nobody may set (layout_type, scrubber_disabled
...)."""


def spelt(value: Any) -> str:
    """A value as the role passes it to dmg; YAML reads `off` as false."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def not_allowed(
    name: str, value: Any, known: Mapping[str, tuple[Property, ...]], version: Version
) -> str | None:
    """What is allowed instead of a property or its value; None if both are allowed.

    Args:
        name: the name of the property.
        value: its value in the inventory.
        known: `POOL` or `CONTAINER`.
        version: the release that is deployed.
    """
    of_release = next((p for p in known.get(name, ()) if version in p.versions), None)
    if of_release is not None:
        return of_release.takes.allowed(spelt(value))
    there = [key for key, ps in known.items() if any(version in p.versions for p in ps)]
    near = difflib.get_close_matches(str(name), there, n=1)
    hint = f" (did you mean {near[0]}?)" if near else f"; choose from: {', '.join(there)}"
    if name in known:
        releases = " and ".join(str(p.versions) for p in known[name])
        return f"is a property of DAOS {releases}, but {version} is deployed: leave it out{hint}"
    return f"unknown property{hint}"
