"""The cost of DAOS's object classes for a write: replicas and parity.

Source: DAOS's documentation, overview/data_integrity and overview/storage: with replication the
client sends each byte once, to the leader, which forwards it to the other replicas; with an erasure
code the client computes the parity of a full stripe and sends it along with the data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_REPLICATED = re.compile(r"RP_(?P<replicas>\d+)G(?:X|\d+)|RP_(?P<plain>\d+)")
_CODED = re.compile(r"EC_(?P<data>\d+)P(?P<parity>\d+)(?:G(?:X|\d+))?")
_SHARDED = re.compile(r"S(?:X|\d+)")


@dataclass(frozen=True, slots=True)
class Redundancy:
    """How often each byte of a write is stored, and how often the client sends it."""

    object_class: str
    stored: float
    sent: float


def redundancy(object_class: str) -> Redundancy:
    """The redundancy of an object class, such as ``SX``, ``RP_2GX`` or ``EC_4P2G1``.

    Raises:
        ValueError: the object class is unknown.
    """
    if match := _REPLICATED.fullmatch(object_class):
        replicas = int(match["replicas"] or match["plain"])
        if replicas > 1:
            return Redundancy(object_class, float(replicas), 1.0)
    elif match := _CODED.fullmatch(object_class):
        data, parity = int(match["data"]), int(match["parity"])
        if data and parity:
            cost = (data + parity) / data
            return Redundancy(object_class, cost, cost)
    elif _SHARDED.fullmatch(object_class):
        return Redundancy(object_class, 1.0, 1.0)
    raise ValueError(f"{object_class!r} is no object class, such as SX, RP_2GX or EC_4P2GX")


def is_object_class(name: str) -> bool:
    """Whether `redundancy` knows the object class."""
    try:
        redundancy(name)
    except ValueError:
        return False
    return True


NONE = redundancy("SX")
"""No redundancy: every byte is stored and sent once."""
