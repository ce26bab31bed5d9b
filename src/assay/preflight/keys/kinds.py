"""The kinds of values in DAOS's files, by the rules of its control plane for YAML.

A kind takes a value and yields what is wrong with it: the place inside it, the value, and what is
allowed. Null is the same as absent: Go keeps the default.

Source: gopkg.in/yaml.v2, which src/control uses (`yaml.UnmarshalStrict`).
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from assay.cluster.daos import until_na
from assay.cluster.releases import EVERY, Releases, Version, until
from assay.preflight.keys import renamed

INT32, UINT8, UINT32, INT64 = 2**31 - 1, 2**8 - 1, 2**32 - 1, 2**63 - 1
PORT = 65535


class Wrong(NamedTuple):
    """What is wrong with a value: the place inside it, the value there, and what is allowed."""

    where: str
    value: object
    allowed: str


class Kind(Protocol):
    """A kind of value."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Yield what is wrong with a value that is not null."""


def shown(value: object) -> object:
    """A value in YAML's spelling; for lists and mappings, only their kind."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "keys and values" if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within limits."""

    low: int = -INT64
    high: int = INT64
    unit: str = ""
    why: str = ""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Refuse other values, also a number in quotes, as DAOS does; 16.0 counts as 16."""
        number = value if type(value) is int else None
        if isinstance(value, float) and value.is_integer():
            number = int(value)
        if number is None:
            quotes = " without quotes" if isinstance(value, str) and _is_number(value) else ""
            yield Wrong("", shown(value), f"should be a whole number{quotes}{self._limits(', ')}")
        elif number > self.high:
            yield Wrong("", value, f"should be {self.low} to {self.high}{self._unit()}")
        elif number < self.low:
            yield Wrong("", value, f"should be{self._limits(' ')}")

    def _limits(self, before: str) -> str:
        if self.low == -INT64:
            return ""
        is_small = self.high < INT32
        limits = f"{self.low} to {self.high}" if is_small else f"at least {self.low}"
        return f"{before}{limits}{self._unit()}"

    def _unit(self) -> str:
        return (self.unit and f" {self.unit}") + (self.why and f": {self.why}")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+", text.strip()) is not None


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false; in quotes it is text, which DAOS refuses."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Refuse other values; YAML has already turned yes and on into true."""
        if not isinstance(value, bool):
            quotes = ", without quotes" if isinstance(value, str) else ""
            yield Wrong("", shown(value), f"should be true or false{quotes}")


@dataclass(frozen=True, slots=True)
class Text:
    """Text; a number is accepted, since Go takes its digits."""

    pattern: str = ""
    allowed: str = ""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Refuse lists and mappings, and text that does not match the pattern, if there is one."""
        if isinstance(value, list | dict):
            yield Wrong("", shown(value), "should be text, not a list or keys and values")
        elif self.pattern and re.fullmatch(self.pattern, str(value)) is None:
            yield Wrong("", shown(value), self.allowed)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a set of words."""

    words: tuple[str, ...]
    folds_case: bool = False

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Refuse other words, and suggest the nearest allowed one."""
        text = str(value).upper() if self.folds_case else value
        if text not in self.words:
            near = _near(str(text), self.words)
            yield Wrong("", shown(value), f"should be one of {', '.join(self.words)}{near}")


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of items of one kind; with `unique`, each item only once."""

    kind: Kind
    unique: bool = False

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Judge each item separately."""
        if not isinstance(value, list):
            yield Wrong("", shown(value), "should be a list, such as [a, b]")
            return
        for number, item in enumerate(value):
            for where, actual, allowed in (
                self.kind.judge(item, version) if item is not None else ()
            ):
                yield Wrong(f"[{number}]{where}", actual, allowed)
        if self.unique:
            for item in sorted(
                item for item, times in Counter(map(str, value)).items() if times > 1
            ):
                yield Wrong("", item, "should be listed once")


class RoleList:
    """Roles of SSDs; since 2.6 `na` says that there are none, and ends the list."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Yield what is wrong with a value that is not null."""
        roles = ListOf(Choice(("wal", "meta", "data")))
        yield from roles.judge(value if version in until("2.4") else until_na(value), version)


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration in Go's notation."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Require a unit: without one, Go reads nanoseconds, which nobody means."""
        number = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)"
        if value != 0 and re.fullmatch(rf"({number}(ns|us|µs|ms|s|m|h))+", str(value)) is None:
            yield Wrong(
                "", shown(value), "should be a time with its unit, such as 30s, 5m or 1h30m"
            )


_NOT_RE2 = re.compile(r"\(\?(=|!|<=|<!|>|\(|P=)|\\[1-9]")
_ONLY_RE2 = re.compile(r"\\[pP](\{\^?\w+\}|\w)|\\z|\\C")


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression of Go."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Refuse lookaround and backreferences, which Go lacks; the rest is nearly Python's."""
        if _NOT_RE2.search(str(value)):
            yield Wrong("", shown(value), "should be without lookaround and backreferences (RE2)")
            return
        try:
            re.compile(_ONLY_RE2.sub(".", str(value)))
        except (re.error, OverflowError) as error:
            yield Wrong("", shown(value), f"should be a regular expression: {error}")
        else:
            if value == "":
                yield Wrong("", "", "should be a regular expression, not empty")


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value; other rules judge it."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Accept every value."""
        yield from ()


@dataclass(frozen=True, slots=True)
class Key:
    """A key: its kind, and the releases that know it."""

    kind: Kind = field(default_factory=Anything)
    versions: Releases = EVERY
    instead: str = ""
    """What to use in its place, if another variable or key has replaced it."""
    takes_null: bool = True
    """Whether null is the same as absent."""
    deprecated: Releases | None = None
    """The releases that read it and want another one in its place."""
    is_written: bool = True
    """Whether the roles may write it there."""

    def is_deprecated(self, version: Version) -> bool:
        """Whether a release reads it, but wants another one in its place."""
        return self.deprecated is not None and version in self.deprecated

    def is_for(self, version: Version) -> bool:
        """Whether the roles may write it for a release."""
        return self.is_written and version in self.versions and not self.is_deprecated(version)


@dataclass(frozen=True, slots=True)
class Section:
    """Keys and values."""

    keys: Mapping[str, Key]
    what: str = "of this section"

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Judge each key separately; for an unknown key, suggest the nearest known one."""
        if not isinstance(value, dict):
            yield Wrong("", shown(value), f"should be keys and values: {', '.join(self.keys)}")
            return
        for name, inner in value.items():
            key = self.keys.get(name)
            if key is None:
                yield Wrong(f".{name}", None, self._unknown(str(name), version))
            elif version not in key.versions:
                also = f"; {key.instead}" if key.instead else ""
                of_others = f"is a key of DAOS {key.versions}, but {version} is deployed"
                yield Wrong(f".{name}", shown(inner), f"{of_others}: leave it out{also}")
            elif key.instead:
                yield Wrong(f".{name}", shown(inner), key.instead)
            elif key.is_deprecated(version):
                deprecated = f"is deprecated in DAOS {version}: leave it out"
                yield Wrong(f".{name}", shown(inner), deprecated)
            elif inner == "" and isinstance(key.kind, Text):
                continue  # Go's default of text: `daos_server config generate` writes fault_cb: ""
            elif inner is None and not key.takes_null:
                yield Wrong(f".{name}", "null", "should have a value, or be left out")
            elif inner is not None:
                for where, actual, allowed in key.kind.judge(inner, version):
                    yield Wrong(f".{name}{where}", actual, allowed)

    def _unknown(self, name: str, version: Version) -> str:
        known = [key for key, each in self.keys.items() if version in each.versions]
        near = renamed.meaning(name, self.keys) or _near(name, self.keys)
        choose = "" if near else f"; choose from: {', '.join(sorted(known))}"
        return f"unknown key {self.what} in DAOS {version}{near}{choose}"


def _near(word: str, words: Mapping[str, Any] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, list(words), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
