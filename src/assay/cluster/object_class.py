"""DAOS's object classes: the parts of an object, and what its redundancy costs a write.

Source: DAOS's documentation, overview/data_integrity and overview/storage: with replication the
client sends each byte once, to the leader, which forwards it to the other replicas; with an erasure
code the client computes the parity of a full stripe and sends it along with the data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_GROUPS = r"G(?:X|\d+)"
_CLASS = re.compile(
    rf"S(?:X|\d+)|(?P<everywhere>RP_XSF)|RP_(?P<replicas>\d+)(?:{_GROUPS})?"
    rf"|EC_(?P<data>\d+)P(?P<parity>\d+)(?:{_GROUPS})?"
)


@dataclass(frozen=True, slots=True)
class ObjectClass:
    """How an object class stores a redundancy group."""

    name: str
    replicas: int = 1
    data: int = 1
    """Number of data cells of a stripe."""
    parity: int = 0
    """Number of parity cells of a stripe."""

    @property
    def width(self) -> int:
        """Number of parts of a redundancy group; each is on a rank of its own."""
        return self.replicas * (self.data + self.parity)

    @property
    def survives(self) -> int:
        """Number of failures that an object survives (`daos_oclass_cid2allowedfailures`)."""
        return self.width - self.data

    @property
    def stored(self) -> float:
        """How often each byte of a write is stored."""
        return self.width / self.data

    def copies(self, *, whole_stripes: bool) -> float:
        """How often targets store what is written; of part of a stripe, each parity has a copy.

        Metadata are such a part. Source: `obj_ec_recx_scan` in src/object/cli_ec.c of DAOS 2.8: a
        partial update needs a replica on each parity target.
        """
        return self.stored if whole_stripes else self.survives + 1

    @property
    def sent(self) -> float:
        """How often the client sends each byte of a write."""
        return (self.data + self.parity) / self.data


def object_class(name: str, there: int) -> ObjectClass:
    """The object class of a name, such as ``SX``, ``RP_2GX`` or ``EC_4P2G1``.

    Args:
        name: its name.
        there: number of fault domains; ``RP_XSF`` has a replica on each (`daos_oclass_fit_max` in
            src/object/obj_class.c).

    Raises:
        ValueError: no object class has this name.
    """
    match = _CLASS.fullmatch(name)
    if match and match["replicas"]:
        if (replicas := int(match["replicas"])) > 1:
            return ObjectClass(name, replicas=replicas)
    elif match and match["data"]:
        data, parity = int(match["data"]), int(match["parity"])
        if data and parity:
            return ObjectClass(name, data=data, parity=parity)
    elif match and match["everywhere"]:
        return ObjectClass(name, replicas=there)
    elif match:
        return ObjectClass(name)
    raise ValueError(f"{name!r} is not an object class, such as SX, RP_2GX or EC_4P2GX")


PLAIN = ObjectClass("SX")
"""No redundancy: every byte is stored and sent once."""
