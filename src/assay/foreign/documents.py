"""JSON and YAML that others wrote, within limits."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import yaml
from pydantic import ValidationError

from assay.foreign.files import ForeignError
from assay.foreign.limits import DEPTH, LEAST, NAME, NUMBER
from assay.foreign.text import one_line, quoted

MOST = 20
"""Maximum number of listed problems."""


def from_json(document: bytes) -> Any:
    """Parse JSON, which may have no key twice: a reader sees the first one, a parser the last.

    Raises:
        ForeignError: the document is not such JSON, or is nested too deeply.
    """
    try:
        return json.loads(document, parse_constant=_no_number, object_pairs_hook=_object)
    except RecursionError as error:
        raise ForeignError("is not JSON: it is nested too deeply") from error
    except ValueError as error:
        raise ForeignError(f"is not JSON: {quoted(error)}") from error


def refuse_repeated_keys(document: bytes) -> None:
    """Refuse JSON with a key twice, for readers that parse it on their own.

    Raises:
        ForeignError: it has one, or is not JSON.
    """
    try:
        json.loads(document, object_pairs_hook=_checked)
    except (ValueError, RecursionError) as error:
        raise ForeignError(f"is not JSON: {quoted(error)}") from error


def first_error(error: ValidationError) -> str:
    """The first place where a document does not fit its model, and why."""
    first = error.errors(include_url=False)[0]
    place = "/".join(map(str, first["loc"]))
    return f"{quoted(place)}: {quoted(first['msg'])}"


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _checked(pairs: list[tuple[str, Any]]) -> None:
    """Check the keys of an object, and keep nothing of it."""
    _object(pairs)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        [(key, count)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"it has the key {quoted(key)} {count} times in one place")
    return document


class _Loader(yaml.SafeLoader):
    """YAML without aliases and tags, and without a key twice.

    A few nested aliases can fill any memory. A value that does not fit its tag makes PyYAML raise
    all kinds of errors, such as KeyError. Of two equal keys, the first would be lost.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("it has an alias (*name), which is not allowed")
        if tag := self.peek_event().tag:  # type: ignore[no-untyped-call] # not in its stubs
            raise yaml.YAMLError(f"it has a tag ({tag}), which is not allowed")
        return super().compose_node(parent, index)

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, count in keys.most_common(1):
            if count > 1:
                raise yaml.YAMLError(f"it has the key {quoted(key)} {count} times in one place")
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """Read a value; one that only looks like a day or a number, as 2001-13-08, stays text."""
        try:
            return super().construct_object(node, deep)
        except ValueError:
            if not isinstance(node, yaml.ScalarNode):
                raise
            self.recursive_objects.pop(node, None)
            return node.value


_BY_FORM = {"int", "float", "timestamp"}
_BY_FORM_OF_GO = (
    ("int", r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]*|[1-9][0-9_]*)$"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
)
"""The forms of numbers (resolve.go of gopkg.in/yaml.v2); dates are text to DAOS's keys."""

ENTRIES_OF_YAML = 100_000
"""Values of a file of DAOS, aliases followed: 100 engines of 1,000 values each (own choice)."""


def from_yaml(document: bytes) -> Any:
    """Parse YAML, which may have no aliases, no tags, and no key twice.

    Raises:
        ForeignError: the document is not such YAML.
    """
    try:
        return _Loader(document.decode("utf-8")).get_single_data()
    except RecursionError as error:
        raise ForeignError("is not YAML: it is nested too deeply") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ForeignError(f"is not YAML: {one_line(str(error))}") from error


class _GoLoader(_Loader):
    """YAML as gopkg.in/yaml.v2 reads it: 0000:12:00.0 is text, and no number to the base of 60.

    Aliases and merge keys are read; `from_go_yaml` limits what they stand for.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            return yaml.SafeLoader.compose_node(self, parent, index)
        return super().compose_node(parent, index)


_GoLoader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if tag.rpartition(":")[2] not in _BY_FORM]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _form in _BY_FORM_OF_GO:
    _GoLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(_form), list("-+.0123456789")
    )


_INNER_TABS = re.compile(r"(?<=\S)[ \t]*\t[ \t]*")
"""Tabs within a line, which Go reads as blanks and PyYAML refuses; neither indents by tabs."""


def _as_blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def from_go_yaml(document: bytes) -> Any:
    """Parse YAML as DAOS's control plane does, with aliases, but no key twice.

    Raises:
        ForeignError: the document is not such YAML, or stands for too much.
    """
    try:
        text = _INNER_TABS.sub(_as_blanks, document.decode("utf-8-sig"))
        read = _GoLoader(text).get_single_data()
        _count(read)
    except RecursionError as error:
        raise ForeignError("is not YAML: it is nested too deeply") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ForeignError(f"is not YAML: {one_line(str(error))}") from error
    return read


def _count(document: Any) -> None:
    """Refuse what aliases make too large; a few of them can stand for any number of values."""
    waiting, left = [document], ENTRIES_OF_YAML
    while waiting:
        value = waiting.pop()
        left -= 1
        if left < 0:
            raise ValueError(f"it stands for more than {ENTRIES_OF_YAML:,} values")
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def misfits(document: Any, most: int = NAME) -> Iterator[tuple[str, str, str]]:
    """Keys and values of a description that are too long, too large, too deep or not printable.

    Yields the key, the value, and what is allowed.
    """
    waiting: list[tuple[str, Any, int]] = [("", document, 0)]
    while waiting:
        key, value, depth = waiting.pop()
        if depth > DEPTH:
            yield key, "", f"is nested more than {DEPTH} deep, which is the limit"
        elif isinstance(value, dict):
            for name, inner in value.items():
                if problem := _misfit(str(name), most):
                    yield key, quoted(name), f"has a key that {problem}"
                else:
                    waiting.append((f"{key}.{name}" if key else str(name), inner, depth + 1))
        elif isinstance(value, list):
            waiting += [(f"{key}[{n}]", inner, depth + 1) for n, inner in enumerate(value)]
        elif isinstance(value, str) and (problem := _misfit(value, most)):
            yield key, quoted(value), problem
        elif isinstance(value, int | float) and not (value == 0 or LEAST <= abs(value) <= NUMBER):
            yield key, f"{value:.3g}" if isinstance(value, float) else _digits(value), _RANGE


_RANGE = f"must be 0 or a number from {LEAST:g} to {NUMBER:,}, or the same below 0"


def _digits(value: int) -> str:
    """The approximate size of an integer that may have more digits than Python prints."""
    return f"{'-' if value < 0 else ''}2^{abs(value).bit_length() - 1} or more"


def _misfit(text: str, most: int) -> str | None:
    if len(text) > most:
        return f"has {len(text):,} characters, and {most:,} is the limit"
    if one_line(text) != text:
        return "must be printable, on one line, and without marks that turn its direction"
    return None
