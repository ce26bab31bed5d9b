"""The object classes that each release has.

Source: `daos_obj_classes` in src/object/obj_class_def.c at tags v2.4.0 to v2.8.0.
"""

from __future__ import annotations

import re

from assay.cluster.daos import Version

_CODES = "2P1|2P2|4P1|4P2|8P1|8P2|16P1|16P2"
_OF_2_8 = "4P3|8P3|16P3"
_GROUPS = "1|2|4|6|8|12|16|32|X"
_CLASS = re.compile(
    rf"S({_GROUPS})|RP_[2-6]G({_GROUPS})|RP_XSF"
    rf"|EC_(?P<code>{_CODES}|{_OF_2_8})G({_GROUPS})"
)

ALLOWED = (
    "should be an object class of DAOS {version}, such as SX, RP_2GX or EC_4P2GX: RP_2 to RP_6, or"
    " EC_ with {codes}, and G with {groups}"
)


def not_a_class(name: str, version: Version) -> str | None:
    """The allowed object classes if a release does not have this one, otherwise None."""
    match = _CLASS.fullmatch(name)
    is_later = match is not None and match["code"] in _OF_2_8.split("|") and version != "2.8"
    if match is not None and not is_later:
        return None
    codes = _CODES if version != "2.8" else f"{_CODES}|{_OF_2_8}"
    return ALLOWED.format(
        version=version, codes=codes.replace("|", ", "), groups=_GROUPS.replace("|", ", ")
    )
