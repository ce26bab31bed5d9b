"""Text that others wrote, made safe to print."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    # What turns the order of the text around, hides in it, or ends a line of it.
    "|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    "|[\ufdd0-\ufdef\U000e0000-\U000e0fff]"
)
"""C0 and C1 but for tab and line feed, DEL, what XML or UTF-8 cannot hold; and what is not seen:
bidirectional marks, overrides and isolates, characters without width, tags, other line ends."""

_BREAK = re.compile(r"[\t\n]+")
_SHOWN = 200
"""So many characters of a foreign value are quoted in a message (this project's own choice)."""


def printable(text: str) -> str:
    """Replace by `�` what a terminal would obey, what would not be seen, and what XML cannot hold.

    All that is printed or put in a report goes through here: programs that fail print anything,
    and reports and descriptions may come from somebody who means harm.
    """
    if text.isascii() and text.isprintable():
        return text  # as nearly all are, of which a large campaign has a million
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def line(text: str) -> str:
    """The same on one line, so that a value cannot pass for a line of ours."""
    return _BREAK.sub(" ", printable(text))


def quoted(value: object) -> str:
    """A foreign value as a message shows it: printable, on one line, and not at any length."""
    text = line(str(value)[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_ENDLESS = re.compile(r"\d{400,}")


def tame(text: str) -> str:
    """The output of a program without numbers that no computer prints: to read one is an error.

    The largest float has 309 digits, and Python refuses integers of more than 4,300.
    """
    return _ENDLESS.sub("\ufffd", text)


def shorten_all(texts: Sequence[str], most: int) -> list[str]:
    """As many of them as have so many characters together, each on one line.

    Says how many are left out; a host that prints a million errors has a report like any other.
    """
    shown: list[str] = []
    room = most
    for number, text in enumerate(texts):
        room -= len(text)
        if room < 0:
            first = shown or [line(shorten(text, most - 50))]
            left = len(texts) - max(number, 1)
            return [*first, f"and {left:,} problems more"] if left else first
        shown.append(line(text))
    return shown


def shorten(text: str, most: int) -> str:
    """At most so many characters of a text; says how many are left out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} characters more)"
