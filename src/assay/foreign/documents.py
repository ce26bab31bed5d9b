"""JSON and YAML that others wrote, within limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml

from assay.foreign.files import ForeignError
from assay.foreign.limits import DEPTH, NAME
from assay.foreign.text import line, quoted

MOST = 20
"""So many things that are wrong are listed."""


def from_json(text: bytes) -> Any:
    """Parse JSON.

    Raises:
        ForeignError: it is none, or is nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ForeignError("is not JSON: it is nested too deeply") from error
    except ValueError as error:
        raise ForeignError(f"is not JSON: {quoted(error)}") from error


class _Loader(yaml.SafeLoader):
    """YAML without anchors: a few of them in each other fill any memory."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("it has an alias (*name), which is not allowed")
        return super().compose_node(parent, index)


def from_yaml(text: bytes) -> Any:
    """Parse YAML, which may have no aliases.

    Raises:
        ForeignError: it is none.
    """
    try:
        return _Loader(text.decode("utf-8")).get_single_data()
    except RecursionError as error:
        raise ForeignError("is not YAML: it is nested too deeply") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ForeignError(f"is not YAML: {line(str(error))}") from error


def misfits(document: Any, most: int = NAME) -> Iterator[tuple[str, str, str]]:
    """Keys and strings of a description that are too long, nested too deeply, or not printable.

    Yields the key, the value, and what is allowed.
    """
    waiting: list[tuple[str, Any, int]] = [("", document, 0)]
    while waiting:
        key, value, depth = waiting.pop()
        if depth > DEPTH:
            yield key, "", f"is nested more than {DEPTH} deep, which is the limit"
        elif isinstance(value, dict):
            for name, inner in value.items():
                if wrong := _misfit(str(name), most):
                    yield key, quoted(name), f"has a key that {wrong}"
                else:
                    waiting.append((f"{key}.{name}" if key else str(name), inner, depth + 1))
        elif isinstance(value, list):
            waiting += [(f"{key}[{n}]", inner, depth + 1) for n, inner in enumerate(value)]
        elif isinstance(value, str) and (wrong := _misfit(value, most)):
            yield key, quoted(value), wrong


def _misfit(text: str, most: int) -> str | None:
    if len(text) > most:
        return f"has {len(text):,} characters, and {most:,} is the limit"
    if line(text) != text:
        return "must be printable, on one line, and without marks that turn its direction"
    return None
