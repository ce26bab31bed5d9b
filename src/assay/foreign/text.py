"""Text that others wrote, made safe to print."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    # Characters that reverse the order of text, are invisible, or end a line.
    "|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    "|[\ufdd0-\ufdef\U000e0000-\U000e0fff]"
)
"""C0 and C1 except tab and line feed, DEL, and characters that XML or UTF-8 cannot contain. Also
invisible characters: bidirectional marks, overrides and isolates, characters without width, tags,
and other line ends."""

_BREAK = re.compile(r"[\t\n]+")
_SHOWN = 200
"""Maximum number of characters of a foreign value in a message (this project's own choice)."""


def printable(text: str) -> str:
    """Replace control characters, invisible characters and those that XML forbids by `�`.

    Everything that is printed or put into a report passes through here, since failing programs
    print anything, and reports and descriptions may be hostile.
    """
    if text.isascii() and text.isprintable():
        return text  # the usual case; a large campaign has a million texts
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Printable text on one line, so that a value cannot imitate one of our own lines."""
    return _BREAK.sub(" ", printable(text))


def quoted(value: object) -> str:
    """A foreign value as a message shows it: printable, on one line, shortened."""
    text = one_line(str(value)[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_HUGE_NUMBER = re.compile(r"\d{400,}")


def without_huge_numbers(text: str) -> str:
    """A program's output with each absurdly long number replaced by `�`, since parsing it fails.

    The largest float has 309 digits, and Python refuses integers of more than 4,300 digits.
    """
    return _HUGE_NUMBER.sub("\ufffd", text)


def shorten_all(texts: Sequence[str], most: int) -> list[str]:
    """The first texts that together have at most `most` characters, each on one line.

    The last text states how many are left out. So the report stays readable if a host prints a
    million problems.
    """
    shown: list[str] = []
    room = most
    for number, text in enumerate(texts):
        room -= len(text)
        if room < 0:
            first = shown or [one_line(shorten(text, most - 50))]
            left = len(texts) - max(number, 1)
            return [*first, f"and {left:,} more problems"] if left else first
        shown.append(one_line(text))
    return shown


def shorten(text: str, most: int) -> str:
    """The first `most` characters of a text, and the number of those left out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"
