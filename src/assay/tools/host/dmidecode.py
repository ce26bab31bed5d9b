"""dmidecode: the memory modules of a host.

It has no JSON. `dmidecode --type memory` prints a paragraph for each slot.
"""

from __future__ import annotations

from typing import NamedTuple


class Module(NamedTuple):
    """A memory module, in dmidecode's words; what it does not know is empty."""

    slot: str
    size: str
    kind: str
    speed: str
    """The speed at which it runs, which may be below its rated speed."""
    part: str
    serial: str


def parse(printed: str) -> list[Module]:
    """The slots that hold a module."""
    modules = []
    for paragraph in printed.split("\n\n"):
        lines = paragraph.splitlines()
        if "Memory Device" not in lines:
            continue
        pairs = [line.strip().partition(": ") for line in lines]
        known = {key: value.strip() for key, _, value in pairs}
        size = known.get("Size", "")
        if size[:1].isdigit():
            modules.append(
                Module(
                    known.get("Locator", ""),
                    size,
                    known.get("Type", ""),
                    known.get("Configured Memory Speed", "") or known.get("Speed", ""),
                    _known(known.get("Part Number", "")),
                    _known(known.get("Serial Number", "")),
                )
            )
    return modules


def _known(word: str) -> str:
    """The word, or nothing if it is a placeholder: vendors do not fill in every field."""
    return "" if word in ("Not Specified", "Unknown", "NO DIMM", "None") else word
