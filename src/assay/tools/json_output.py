"""The JSON in what a program printed, among the lines that others printed around and inside it.

Hosts without `assay` read it with this file, too (see `assay.tools.pools`), so it has the standard
library and Python 3.9 alone.
"""

from __future__ import annotations

import json
import re
from typing import Any

# How a line of pretty-printed JSON begins. No log line does: those start with a word, a date,
# or a tag such as "[error]".
_JSON_LINE = re.compile(r'\s*(?:[{}\],"]|\[\s*$|(?:-?\d[\d.eE+-]*|true|false|null),?\s*$)')
_OBJECT = re.compile(r"^\{", re.MULTILINE)


def json_objects(text: str) -> tuple[list[dict[str, Any]], str | None]:
    """The top-level JSON objects in a text, and why there are not more.

    An object starts with a brace in the first column, as fio and IOR print it. Lines that
    cannot be JSON are left out, so log lines between those of an object do no harm.

    Returns:
        the objects that are whole, in order; and a sentence when there is none, or when the
        last one is cut off or not valid JSON.
    """
    kept = "\n".join(line for line in text.splitlines() if _JSON_LINE.match(line))
    objects: list[dict[str, Any]] = []
    end = 0
    while start := _OBJECT.search(kept, end):
        try:
            value, end = json.JSONDecoder().raw_decode(kept, start.start())
        except (ValueError, RecursionError) as error:
            return objects, _why_invalid(kept, error)
        objects.append(value)
    return objects, None if objects else "there is no JSON in it"


def no_answer(text: str, invalid: str | None) -> str:
    """Why what a program printed is no answer: what it says instead, or what is wrong with it."""
    lines = text.strip().splitlines()
    if lines and _OBJECT.search(text) is None:
        return lines[-1][:200]
    return invalid or "there is more than one"


def _why_invalid(text: str, error: ValueError | RecursionError) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "its JSON is rubbish"
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return "its JSON is cut off before the end: the run was killed, or still writes"
    line = text.splitlines()[error.lineno - 1].strip()
    return f"its JSON is not valid: {error.msg.lower()} at {line[:80]!r}"
