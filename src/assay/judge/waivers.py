"""Waivers of a site: which metric is accepted, why, under whose name, and until when."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from assay.foreign import files, limits
from assay.foreign.documents import MOST, from_yaml, misfits
from assay.foreign.files import ForeignError
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict
from assay.problems import Problem, from_pydantic

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _day(value: object) -> date:
    """A day from YAML or JSON. Numbers are refused; pydantic reads them as seconds since 1970."""
    if type(value) is date:
        return value
    # Other forms of ISO 8601, such as 2026-W18-4, are days that nobody recognizes.
    if isinstance(value, str) and _DAY.fullmatch(value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    raise ValueError("should be a day, such as 2026-04-30")


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


LONGEST = timedelta(days=366)
"""Maximum duration of a waiver; its owner may renew it (own choice)."""


MOST_BY_PATTERN = 1 / 3
"""Maximum share of the plan that patterns may waive together, and of what could be judged of a
layer in one direction (own choice): who accepts more names each metric."""


class WaiverError(ValueError):
    """The waivers cannot be used."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
        """The problems, in words."""


class Waiver(BaseModel):
    """One agreement."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    metric: _Text = Field(
        description="a metric's name, with that of its check; after that * stands for any text, ?"
        " for a character"
    )
    reason: _Text
    owner: _Text = Field(description="who is responsible for it")
    expires: Annotated[date, BeforeValidator(_day)] = Field(
        description="the last day on which it holds, in UTC"
    )

    def covers(self, key: str) -> bool:
        """Whether it covers the metric with this key."""
        # Brackets would be sets of characters: `[!C]*` matches nearly everything.
        return fnmatchcase(key, self.metric.replace("[", "[[]"))

    @property
    def check(self) -> str:
        """The name of its check."""
        return self.metric.partition(".")[0]

    @property
    def is_pattern(self) -> bool:
        """Whether it may cover several metrics."""
        return not set(self.metric).isdisjoint("*?")

    @property
    def names_a_check(self) -> bool:
        """Whether the check is named in full."""
        return "." in self.metric and not set(self.check) & set("*?[]")


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    waivers: tuple[Waiver, ...]


@dataclass(frozen=True, slots=True)
class Excused:
    """A waived metric: its judgement without the waiver, and the waiver."""

    judgement: Judgement
    waiver: Waiver


def load(path: Path) -> tuple[Waiver, ...]:
    """Read a file of waivers.

    Raises:
        WaiverError: it cannot be read, is not YAML, or a waiver lacks one of its parts.
    """
    try:
        document = from_yaml(files.read(path, limits.WAIVERS_BYTES))
        if refused := list(islice(misfits(document), MOST)):
            raise WaiverError([str(Problem(None, *misfit)) for misfit in refused])
        waivers = _File.model_validate(document).waivers
    except OSError as error:
        raise WaiverError([f"cannot be read: {error.strerror}"]) from error
    except ForeignError as error:
        raise WaiverError([files.wrong_with(path, error)]) from error
    except ValidationError as error:
        problems = from_pydantic(error, _File, None) if isinstance(document, dict) else ()
        raise WaiverError([str(problem) for problem in problems] or [_SHAPE]) from error
    if len(waivers) > limits.WAIVERS:
        raise WaiverError([f"has {len(waivers):,} waivers, and {limits.WAIVERS:,} is the limit"])
    return waivers


_SHAPE = "must be `waivers:` and a list; each of them has metric, reason, owner and expires"


def excuse(
    judgements: Sequence[Judgement], waivers: Sequence[Waiver], today: date
) -> tuple[tuple[Judgement, ...], tuple[Excused, ...]]:
    """Replace the verdict of every metric that a waiver names by `waived`.

    A missing metric stays missing, since a waiver accepts a figure and there is none. An
    implausible metric stays implausible, since its figure is not one of this hardware. If two
    waivers cover a metric, the first one counts.

    Raises:
        WaiverError: a waiver has expired, lasts for longer than a year, does not name a check,
            names no metric that is required, or names only those of waivers before it.
    """
    # Limited, since finding a suggestion among all metrics takes time.
    if problems := list(islice(_problems(judgements, waivers, today), MOST)):
        raise WaiverError(problems)
    of_check = defaultdict(list)
    for each in waivers:
        of_check[each.check].append(each)
    judged, excused = [], []
    for judgement in judgements:
        its = of_check[judgement.requirement.check]
        waiver = next((w for w in its if w.covers(judgement.requirement.key)), None)
        if waiver is None:
            judged.append(judgement)
        elif judgement.verdict is Verdict.MISSING:
            reason = f"{judgement.reason}; a waiver covers a figure, but there is none"
            judged.append(replace(judgement, reason=reason))
        elif judgement.verdict is Verdict.IMPLAUSIBLE:
            reason = f"{judgement.reason}; no waiver covers an impossible figure"
            judged.append(replace(judgement, reason=reason))
        else:
            excused.append(Excused(judgement, waiver))
            judged.append(replace(judgement, verdict=Verdict.WAIVED, reason=_reason(excused[-1])))
    return tuple(judged), tuple(excused)


def _problems(
    judgements: Sequence[Judgement], waivers: Sequence[Waiver], today: date
) -> Iterator[str]:
    keys = [judgement.requirement.key for judgement in judgements]
    of_check = defaultdict(list)
    for judgement in judgements:
        of_check[judgement.requirement.check].append(judgement.requirement.key)
    waived: set[str] = set()
    for waiver in waivers:
        if waiver.expires < today:
            yield (
                f"the waiver of {waiver.metric!r} expired on {waiver.expires}: remove it, or ask"
                f" {waiver.owner} to agree to a later date"
            )
        if waiver.expires > today + LONGEST:
            yield (
                f"the waiver of {waiver.metric!r} lasts until {waiver.expires}, but a waiver may"
                f" last at most a year, until {today + LONGEST}"
            )
        if not waiver.names_a_check:
            yield (
                f"the waiver of {waiver.metric!r} should name its check, such as"
                " 'IorEasy.write on *': only what follows the check's name may be a pattern"
            )
            continue
        covered = set(filter(waiver.covers, of_check[waiver.check]))
        if covered and covered <= waived:
            yield (
                f"the waiver of {waiver.metric!r} by {waiver.owner} has no effect, since the"
                " waivers before it cover all of its metrics: remove one of them"
            )
        waived |= covered
        if not covered:
            near = difflib.get_close_matches(waiver.metric, keys, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; `assay plan` lists them"
            yield f"the waiver of {waiver.metric!r} names no metric required of this cluster{hint}"


def _reason(excused: Excused) -> str:
    waiver, judgement = excused.waiver, excused.judgement
    return (
        f"waived by {waiver.owner} until {waiver.expires}: {waiver.reason.rstrip('.')}; without the"
        f" waiver it is {judgement.verdict}: {judgement.reason}"
    )
