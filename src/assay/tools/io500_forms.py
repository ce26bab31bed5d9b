"""The forms in which IO500 prints its results.

The program (since 2020) prints a summary, and writes the same into ``result_summary.txt``; its
``result.txt`` has the figures without their units. The script ``io500.sh`` (up to 2020) printed a
summary of its own. The GB/s of both are GiB/s: they are IOR's MiB/s by 1024, and the score follows
from the phases only so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.tools.contract import Contract
from assay.tools.output import Parsed, Sample

KNOWS = Contract(
    "io500",
    "2017 (io500.sh) to isc26",
    "its standard output, result_summary.txt and result.txt",
)

_NOT_IO500 = "this is not output of io500: it reports neither a version nor phases of io500.sh"

Form = Literal["program", "script", "result.txt"]

# Built without git, io500 prints no version after these words.
BANNER = re.compile(r"^IO500 version(?![:\w]).*", re.MULTILINE)
_SCRIPT_PHASE = re.compile(
    r"^\[RESULT(?P<invalid>-invalid)?\] +(?:BW|IOPS) +phase +\d+ +(?P<name>\w+)"
    r" +(?P<value>\d+(?:\.\d+)?) (?P<unit>Gi?B/s|kiops) : time +(?P<seconds>\d+(?:\.\d+)?) seconds",
    re.MULTILINE,
)
_SECTION = re.compile(r"^\[(?P<name>[\w-]+)\][^\S\n]*$", re.MULTILINE)
# The configuration has the same sections, without times.
RESULT_TXT = re.compile(r"^\[ior-easy-write\][^\S\n]*\n(?:[^\S\n]*\n)?t_start *=", re.MULTILINE)
_PHASE = re.compile(
    r"^\[(?P<mark>RESULT|RESULT-invalid| +)\] +(?P<name>[\w-]+) +(?P<value>\d+\.\d+)"
    r" (?P<unit>GiB/s|kIOPS) +: time (?P<seconds>\d+\.\d+) seconds *(?P<invalid>\[INVALID\])?",
    re.MULTILINE,
)
_SCORE = re.compile(
    r"^\[SCORE(?P<mark>-invalid)? ?\] Bandwidth (\d+(?:\.\d+)?) Gi?B/s +: IOPS (\d+(?:\.\d+)?)"
    r" kiops +: TOTAL (?P<total>\d+(?:\.\d+)?)(?P<invalid> \[INVALID\])?",
    re.MULTILINE,
)
_KEY = re.compile(r"^(\S+) *=(.*)$", re.MULTILINE)
_DEADLINE = re.compile(r"^exe .* -[DW] (\d{1,9})\b", re.MULTILINE)
# io500 of sc22 to sc23 writes this into result.txt whatever the stonewall is.
BELOW_30 = re.compile(r"stonewall-time < 30s")

_UNITS = {"GiB/s": "GiB/s", "GB/s": "GiB/s", "kIOPS": "kop/s", "kiops": "kop/s"}


@dataclass(frozen=True, slots=True)
class Io500Phase:
    """A phase as it was printed: its name with hyphens, its figure, its seconds."""

    name: str
    value: float
    unit: str
    seconds: str
    decimals: int
    invalid: bool = False

    @property
    def ran(self) -> bool:
        """Whether the phase ran at all; of one that did not, io500 prints 0 in 0 s."""
        return self.value > 0 or float(self.seconds) > 0

    def sample(self) -> Sample:
        """The phase as a sample."""
        name = self.name.replace("-", "_").lower()
        return Sample(name, self.value, self.unit, {"seconds": self.seconds})


@dataclass(frozen=True, slots=True)
class Io500Printed:
    """What an output of IO500 has."""

    form: Form
    runs: int
    phases: tuple[Io500Phase, ...]
    total: str | None
    """The printed score; None if there is none, since the run did not end."""
    invalid: bool
    """Whether io500 calls the run an invalid submission."""
    deadline: int | None = None
    """The stonewall of its runs of IOR, in seconds, if it prints their options."""


def read(text: str) -> Io500Printed | Parsed:
    """The phases of an output, or why it has none that can be read."""
    banners = BANNER.findall(text)
    if banners:
        phases = {each["name"]: _phase(each) for each in _PHASE.finditer(text) if _ran(each)}
        return _printed("program", len(banners), phases, text)
    if RESULT_TXT.search(text):
        return _result_txt(text)
    if script := {each["name"]: _phase(each) for each in _SCRIPT_PHASE.finditer(text)}:
        # The log of a run has each phase twice: when it ended, and in the summary.
        runs = max(1, len(_SCORE.findall(text)))
        return _printed("script", runs, script, text)
    if _PHASE.search(text):
        return KNOWS.unread("phases without the line 'IO500 version'", "the whole output")
    return Parsed(KNOWS.program, (), (_NOT_IO500,))


def _printed(form: Form, runs: int, phases: dict[str, Io500Phase], text: str) -> Io500Printed:
    score = _SCORE.search(text)
    return Io500Printed(
        form,
        runs,
        tuple(phases.values()),
        score["total"] if score else None,
        bool(score and (score["invalid"] or score["mark"])),
    )


def _ran(match: re.Match[str]) -> bool:
    """Whether a phase ran: those outside the score, such as `timestamp`, may not have."""
    return bool(match["mark"].strip()) or float(match["value"]) > 0


def _phase(match: re.Match[str]) -> Io500Phase:
    found = match.groupdict()
    return Io500Phase(
        found["name"].replace("_", "-"),
        float(found["value"]),
        _UNITS[found["unit"]],
        found["seconds"],
        len(found["value"].partition(".")[2]),
        invalid="invalid" in (found.get("mark") or "") or bool(found["invalid"]),
    )


def _sections(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    heads = list(_SECTION.finditer(text))
    # Releases of 2020 name their version before the first section.
    yield "run", _keys(text[: heads[0].start()])
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        yield head["name"], _keys(text[head.end() : end])


def _keys(text: str) -> dict[str, str]:
    return {name: value.strip() for name, value in _KEY.findall(text)}


def _result_txt(text: str) -> Io500Printed | Parsed:
    phases: dict[str, Io500Phase] = {}
    version, runs = "", 0
    total: str | None = None
    for name, keys in _sections(text):
        runs += name == "ior-easy-write"
        if name == "run":
            version = version or keys.get("version", "")
        if name in ("run", "SCORE", "SCOREX", "timestamp"):
            total = keys.get("SCORE") if name == "SCORE" else total
            continue
        value = _number(keys.get("score", ""))
        if value is None:
            continue
        phases[name] = Io500Phase(
            name,
            value,
            "GiB/s" if name.startswith("ior-") else "kop/s",
            keys.get("t_delta", "0"),
            len(keys["score"].partition(".")[2]),
        )
    if not version:
        return KNOWS.unread(
            "a result.txt that names no version, and so no units",
            "result_summary.txt beside it, which prints them",
        )
    deadlines = [int(each) for each in _DEADLINE.findall(text)]
    deadline = min(deadlines, default=None)
    return Io500Printed("result.txt", runs, tuple(phases.values()), total, False, deadline)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
