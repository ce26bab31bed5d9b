"""The object classes that each release has.

Source: `daos_obj_classes` in src/object/obj_class_def.c.
"""

from __future__ import annotations

import re

from assay.cluster.releases import ByRelease, Version

_FIRST = ("2P1", "2P2", "4P1", "4P2", "8P1", "8P2", "16P1", "16P2")
CODES = ByRelease({"2.4": _FIRST, "2.8": (*_FIRST, "4P3", "8P3", "16P3")})
"""The erasure codes: cells of data, P, cells of parity."""

_GROUPS = "1|2|4|6|8|12|16|32|X"
_CLASS = re.compile(
    rf"S({_GROUPS})|RP_[2-6]G({_GROUPS})|RP_XSF|EC_(?P<code>[0-9]+P[0-9]+)G({_GROUPS})"
)

ALLOWED = (
    "should be an object class of DAOS {version}, such as SX, RP_2GX or EC_4P2GX: RP_2 to RP_6, or"
    " EC_ with {codes}, and G with {groups}"
)


def not_a_class(name: str, version: Version) -> str | None:
    """The allowed object classes if a release does not have this one, otherwise None."""
    match = _CLASS.fullmatch(name)
    if match is not None and match["code"] in (None, *CODES[version]):
        return None
    return ALLOWED.format(
        version=version, codes=", ".join(CODES[version]), groups=_GROUPS.replace("|", ", ")
    )
