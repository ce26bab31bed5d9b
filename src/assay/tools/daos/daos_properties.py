"""The properties of DAOS's pools and containers on which figures depend, as `get-prop` lists them.

Names and values are DAOS's own; those of 2.8 were seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from assay.tools.daos.daos_answer import read_answer

CONTAINER = (
    "rd_fac",
    "rd_lvl",
    "cksum",
    "srv_cksum",
    "compression",
    "dedup",
    "encryption",
    "ec_cell_sz",
    "acl",
)
"""Those of a container: its redundancy, what is computed for each byte, and who may write."""

POOL = (
    "rd_fac",
    "ec_cell_sz",
    "perf_domain",
    "data_thresh",
    "checkpoint",
    "reclaim",
    "scrub",
    "self_heal",
    "space_rb",
)
"""Those of a pool: its layout, where values go, and what engines do beside clients' work."""

OF = {"pool": POOL, "container": CONTAINER}
"""Those of each."""


class _Property(BaseModel):
    name: str
    value: Any


def parse(printed: str) -> Mapping[str, str]:
    """All properties in an answer; empty if it has none."""
    try:
        entries = TypeAdapter(list[_Property]).validate_python(read_answer(printed).response)
    except ValidationError:
        return {}
    return {entry.name: _spelled(entry.value) for entry in entries}


def kept(printed: str, names: tuple[str, ...]) -> dict[str, str]:
    """Those of some names, in their order."""
    found = parse(printed)
    return {name: found[name] for name in names if name in found}


def changed(before: str, after: str, names: tuple[str, ...], what: str) -> Iterator[str]:
    """What differs between two answers, a sentence each; nothing if one of them has none."""
    was, now = kept(before, names), kept(after, names)
    for name in was:
        if was[name] != now.get(name, was[name]):
            yield f"the property {name} of {what} changed from {was[name]} to {now[name]}"


def _spelled(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
