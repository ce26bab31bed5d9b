"""Words of a job script.

A plain ``str`` is text: it is quoted, so the program gets it byte for byte. A word that the shell
expands has its own type, and is never text::

    SCRATCH / "ior"                       "$SCRATCH"/ior
    "--output=" + RAW / "a b.json"        --output="$RAW"/'a b.json'
    Output("cores", "0")                  "$(cores 0)"

Such a word is no ``str``; formatting it into one is an error.
"""

from __future__ import annotations

import json
import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


class Word(ABC):
    """A word with a part that the shell expands."""

    __slots__ = ()

    @abstractmethod
    def quoted(self) -> str:
        """The word in the syntax of a script; it stays one word after expansion."""

    def __add__(self, end: Text) -> Word:
        return _Joined((self, end))

    def __radd__(self, start: str) -> Word:
        return _Joined((start, self))

    def __truediv__(self, name: Text) -> Word:
        return self + "/" + name

    def __str__(self) -> str:
        raise TypeError(f"{self!r} is for the shell to fill in; join it with +")

    def __format__(self, how: str) -> str:
        return str(self)


Text = str | Word
"""A word of a command: literal text, or with a part that the shell expands."""


@dataclass(frozen=True, slots=True)
class Variable(Word):
    """The value of a variable of the job."""

    name: str

    def __post_init__(self) -> None:
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", self.name):
            raise ValueError(f"{self.name!r} is not the name of a shell variable")

    def quoted(self) -> str:
        """The variable in quotes, so that its value is neither split nor expanded."""
        return f'"${self.name}"'


class Output(Word):
    """The output of a command."""

    __slots__ = ("words",)

    def __init__(self, *words: Text) -> None:
        self.words = words

    def __repr__(self) -> str:
        return f"Output{self.words}"

    def quoted(self) -> str:
        """The command substitution, inside which quoting restarts."""
        return f'"$({line(self.words)})"'


@dataclass(frozen=True, slots=True)
class _Joined(Word):
    parts: tuple[Text, ...]

    def quoted(self) -> str:
        """The parts, each quoted separately."""
        return "".join(quoted(part) for part in self.parts if part != "")


def quoted(word: Text) -> str:
    """A word in the syntax of a script."""
    return shlex.quote(word) if isinstance(word, str) else word.quoted()


def line(words: Iterable[Text]) -> str:
    """A command in the syntax of a script."""
    return " ".join(map(quoted, words))


def joined(separator: str, words: Sequence[Text]) -> Text:
    """``separator.join`` for words."""
    text: Text = ""
    for number, word in enumerate(words):
        text = text + (separator if number else "") + word
    return text


def json_text(value: object) -> Text:
    """A value as JSON, which is also YAML; its strings may be words.

    The function `json` of `steps.sh` escapes the expanded parts.
    """
    match value:
        case Word():
            return Output("json", value)
        case Mapping():
            pairs = [json_text(str(key)) + ": " + json_text(each) for key, each in value.items()]
            return "{" + joined(", ", pairs) + "}"
        case list():
            return "[" + joined(", ", [json_text(each) for each in value]) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


SCRATCH = Variable("SCRATCH")
"""The directory that `scratch` of `steps.sh` created for the subject's files."""

RAW = Variable("RAW")
"""The directory of the subject's raw output."""

STAGE = Variable("PWD")
"""The directory of the job and of its script."""

JOB = Variable("SLURM_JOB_ID")
"""The number of the job."""
