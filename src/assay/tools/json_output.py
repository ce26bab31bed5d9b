"""The JSON in the output of a program, with lines of other programs around it and inside it.

Hosts without `assay` use this file, too (see `assay.tools.daos.pools`), so it uses only the
standard library of Python 3.9.
"""

from __future__ import annotations

import json
import re
from typing import Any

# The start of a line of pretty-printed JSON. No log line matches: it starts with a word, a date,
# or a tag such as "[error]".
_JSON_LINE = re.compile(r'\s*(?:[{}\],"]|\[\s*$|(?:-?\d[\d.eE+-]*|true|false|null),?\s*$)')
_OBJECT = re.compile(r"^\{", re.MULTILINE)


_DIGITS = 20
"""Digits of the largest counter of 64 bits; a larger number has no figure, and its quotient may be
beyond a float."""


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > _DIGITS:
        raise ValueError(f"a number has more than {_DIGITS} digits")
    return int(text)


_DECODER = json.JSONDecoder(parse_int=_integer)


def json_objects(text: str) -> tuple[list[dict[str, Any]], str | None]:
    """The top-level JSON objects in a text, and the error that ended the search.

    An object starts with a brace in the first column, as fio and IOR print it. Lines that cannot
    be JSON are ignored, so log lines within an object do no harm.

    Returns:
        the complete objects, in order, and a sentence if there is none, or if the last one is cut
        off or invalid.
    """
    kept = "\n".join(line for line in text.splitlines() if _JSON_LINE.match(line))
    objects: list[dict[str, Any]] = []
    end = 0
    while start := _OBJECT.search(kept, end):
        try:
            value, end = _DECODER.raw_decode(kept, start.start())
        except (ValueError, RecursionError) as error:
            return objects, _why_invalid(kept, error)
        objects.append(value)
    return objects, None if objects else "it contains no JSON"


def no_answer(text: str, invalid: str | None) -> str:
    """Why an output is no answer: its last line if it has no JSON, or else the JSON's error."""
    lines = text.strip().splitlines()
    if lines and _OBJECT.search(text) is None:
        return lines[-1][:200]
    return invalid or "it contains more than one"


def _why_invalid(text: str, error: ValueError | RecursionError) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "its JSON is not readable"
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return "its JSON is cut off before the end: the run was killed, or is still writing"
    line = text.splitlines()[error.lineno - 1].strip()
    return f"its JSON is not valid: {error.msg.lower()} at {line[:80]!r}"
