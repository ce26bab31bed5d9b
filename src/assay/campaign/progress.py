"""The progress of a campaign, from what ReFrame and the jobs have written so far."""

from __future__ import annotations

import ast
import fcntl
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from assay.checks.entry import PHASES
from assay.checks.plan import CHECKS, CaseKey, Requirement
from assay.checks.raw import SubjectOutputs, directory_of
from assay.foreign import files, limits
from assay.foreign.files import ForeignError, Tree
from assay.foreign.sources import Missing
from assay.foreign.text import one_line, shorten
from assay.subject import Subject
from assay.units import show

State = Literal["waits", "runs", "measured", "beyond", "failed", "interrupted"]
"""`beyond` was measured, too, and is not within ReFrame's references."""

OUTPUT = "reframe.out"
"""File in which campaign.sh keeps ReFrame's output of all sessions, one after the other."""

LOG = "reframe.log"
"""ReFrame's log of the latest session, which tells why a check failed before the session ends."""

LOCK, HOLDER = ".campaign/lock", ".campaign/holder"
"""Files beside the campaigns: what campaign.sh keeps locked while it measures, and who it is."""

_BEGAN = re.compile(r"\[==========\] Started on (.{10,40})")
"""ReFrame's line with the start of a session."""

_COMMAND = re.compile(r"  command: +(['\"].*['\"])$")
"""ReFrame's line with its own command line, before a session: quoted for a shell, then as Python
shows text."""

_WHEN = "%a %b %d %H:%M:%S %Y%z"

_STARTED = re.compile(
    r"\[ RUN      \] (\w+) (?:%scale=(\w+) )?.*/([0-9a-f]{8}) @[^:\s]+:(\w+)\+site"
)
_ENDED = re.compile(
    r"\[ +(OK|FAIL|XFAIL|XPASS|ABORT|SKIP) +\] \(\s*\d+/\d+\) (\w+) .*@[^:\s]+:(\w+)\+site"
)
_CAUGHT = re.compile(rb"\] debug: (\w+) [^\n]*@[^:\s]+:(\w+)\+site: caught [\w.]+: ([^\n]+)")
"""ReFrame's line in that log with the reason of a failure. The log may have many megabytes."""

_SHOWN = 300
"""Characters of a reason (own choice); the sign-off has it whole."""

_BEYOND = "==> test failed during 'performance'"
"""ReFrame's line below that of the end of a check that has figures."""

ENDED: tuple[State, ...] = ("measured", "beyond", "failed")
"""States of a check that ended by itself."""

_SESSION = ("[==========] Running ", "[==========] Finished on ")


@dataclass(slots=True)
class Standing:
    """The state of one check on one partition."""

    name: str
    partition: str
    state: State = "waits"
    hash: str = ""
    """ReFrame's hash of this run."""
    since: float | None = None
    """When its job script was written, in seconds since the epoch."""
    steps: dict[Subject, int] = field(default_factory=dict)
    """Subject to the number of its finished steps."""
    waiting: dict[Subject, str] = field(default_factory=dict)
    """What the job of a subject waits for: ``the dfuse at /mnt/assay``."""
    reason: str = ""
    """Why it failed in the latest session; empty if nobody said so, or this user cannot read it."""
    figures: list[str] = field(default_factory=list)
    """Medians, as ``read_1m@s1 512.3 MiB/s``, once all of them are measured."""

    @property
    def case(self) -> CaseKey:
        """The check on its partition."""
        return CaseKey(self.name, self.partition)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a campaign."""

    checks: tuple[Standing, ...]
    """The checks of the plan, at the scale if it is known, from the lowest layer up."""
    ended: bool
    """Whether the latest session of ReFrame has ended."""
    scale: str | None = None
    """The scale of the started checks; None if none was started."""
    began: float | None = None
    """Start of the latest session, in seconds since the epoch."""
    ended_since: tuple[Standing, ...] = ()
    """The checks that ended in that session."""
    left_out: int = 0
    """Number of checks that the latest session was told to leave out, and none has measured."""
    failure: str = ""
    """ReFrame's last line, if it ended before it started a session."""
    empty: bool = False
    """Whether ReFrame has written nothing yet."""

    @property
    def running(self) -> list[Standing]:
        """The running checks."""
        return [check for check in self.checks if check.state == "runs"]

    @property
    def done(self) -> int:
        """Number of checks that ended, successfully or not."""
        return sum(check.state in ENDED for check in self.checks)


def read(directory: Path, plan: Iterable[Requirement], system: str) -> Progress:
    """Read the progress of the campaign in a directory.

    Args:
        directory: directory of the campaign, as given to campaign.sh.
        plan: the metrics required of the cluster.
        system: the name of the cluster.

    Raises:
        ForeignError: the directory does not contain outputs of a campaign.
        OSError: it cannot be read.
    """
    checks: dict[CaseKey, Standing] = {}
    for each in plan:
        checks.setdefault(each.case, Standing(*each.case)).steps[each.subject] = 0
    ended = False
    began: float | None = None
    scale: str | None = None
    ended_since: list[Standing] = []
    # A check that an earlier session measured is started again, and skipped at once.
    before: dict[CaseKey, tuple[State, str]] = {}
    command: list[str] = []
    text = files.read(directory / OUTPUT, limits.OUTPUT_BYTES, follow=False).decode(
        "utf-8", "replace"
    )
    for line in text.splitlines():
        if line.startswith(_SESSION):
            ended = line.startswith(_SESSION[1])
            if not ended:
                ended_since.clear()
            for check in checks.values():
                if check.state == "runs":
                    check.state = "interrupted"
                elif check.state == "failed" and not ended and _selects(command, check.name):
                    check.state = "waits"  # it runs again
        elif match := _COMMAND.match(line):
            command = _words(match[1])
        elif match := _BEGAN.match(line):
            with suppress(ValueError):
                began = datetime.strptime(match[1], _WHEN).timestamp()
        elif match := _STARTED.match(line):
            name, in_scale, run, partition = match.groups()
            scale, key = in_scale or scale, CaseKey(name, partition)
            if key in checks:
                check = checks[key]
                before[key] = (check.state, check.hash)
                check.state, check.hash = "runs", run
        elif (match := _ENDED.match(line)) and (key := CaseKey(match[2], match[3])) in checks:
            check = checks[key]
            if match[1] == "SKIP":
                check.state, check.hash = before.get(key, ("waits", ""))
                continue
            if match[1] == "ABORT":
                check.state = "interrupted"
                continue
            check.state = "measured" if match[1] in ("OK", "XFAIL", "XPASS") else "failed"
            ended_since.append(check)
        elif line.startswith(_BEYOND) and ended_since:
            ended_since[-1].state = "beyond"
    tree = Tree(directory)
    at_scale = [check for check in checks.values() if CHECKS[check.name].has(scale or "")]
    required = tuple(
        check for check in at_scale if check.state != "waits" or _names(command, check.name)
    )
    # While a campaign runs, this is read each second.
    failed = any(check.state == "failed" for check in required)
    reasons = _reasons(directory) if failed else {}
    for check in required:
        if check.state == "runs":
            _look(check, tree, system)
        elif check.state == "failed":
            check.reason = reasons.get(check.case, "")
        elif check.state in ENDED:
            check.figures = list(_figures(tree, check, system))
    return Progress(
        checks=required,
        ended=ended,
        scale=scale,
        began=began,
        ended_since=tuple(ended_since),
        left_out=len(at_scale) - len(required),
        failure=_failure(text),
        empty=not text,
    )


def _words(shown: str) -> list[str]:
    """The words of a command as ReFrame shows it; none if that is no command."""
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        return shlex.split(str(ast.literal_eval(shown)))
    return []


def _selects(command: Sequence[str], name: str) -> bool:
    """Whether a session runs a check, by the options that campaign.sh gives ReFrame."""
    tags = {word.removeprefix("--tag=") for word in command if word.startswith("--tag=")}
    phases = tags.intersection(PHASES)
    in_phase = not phases or CHECKS[name].phase in phases
    return bool(command) and in_phase and _names(command, name)


def _names(command: Sequence[str], name: str) -> bool:
    """Whether a session has a check among those that it was told to run; all, if it was not."""
    asked = [word for word in command if word.startswith("--name=")]
    return all(re.search(rf"\b{name}\b", word) for word in asked)


def _reasons(directory: Path) -> dict[CaseKey, str]:
    """Why checks failed in the latest session."""
    with suppress(OSError, ForeignError):
        log = files.read(directory / LOG, limits.OUTPUT_BYTES, follow=False)
        found = (
            [part.decode("utf-8", "replace") for part in match.groups()]
            for match in _CAUGHT.finditer(log)
        )
        return {CaseKey(name, on): shorten(why, _SHOWN) for name, on, why in found}
    return {}


_LAST = "Log file(s) saved in "
"""ReFrame's last line, however it ends, once it has begun to log."""


def _failure(text: str) -> str:
    """ReFrame's last line but that one, if it ended before it started a session."""
    latest = max(_SESSION, key=text.rfind)
    after = text[max(0, text.rfind(latest)) :]
    if latest in after:
        if latest == _SESSION[0]:
            return ""
        # Before it come the failures of the session's checks.
        after = after.partition(_LAST)[2].partition("\n")[2]
    lines = [line for line in after.splitlines() if line.strip() and not line.startswith(_LAST)]
    return lines[-1] if lines else ""


def _holder(campaigns: Path) -> str:
    """The campaign that has the lock, as `lock.sh` writes it; empty if it has not yet."""
    try:
        text = files.read(campaigns / HOLDER, limits.OUTPUT_BYTES, follow=False).decode()
    except FileNotFoundError:
        return ""
    lines = (line.partition(" ") for line in text.splitlines())
    return next((value for key, _, value in lines if key == "campaign"), "")


def is_measuring(directory: Path) -> bool:
    """Whether the campaign in the directory is being measured, by the lock of its parent.

    Nobody but the user whose campaigns these are can see the lock. For others, a campaign is
    measured until ReFrame has written that it finished.

    Raises:
        ForeignError, OSError: neither the lock nor ReFrame's output can be read.
    """
    try:
        with files.opened(directory.parent / LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return _holder(directory.parent) in ("", directory.name)
    except PermissionError:
        text = files.read(directory / OUTPUT, limits.OUTPUT_BYTES, follow=False)
        began, finished = (text.rfind(line.encode()) for line in _SESSION)
        return began > finished
    return False


def _look(check: Standing, tree: Tree, system: str) -> None:
    """Update a running check from the outputs of its job so far."""
    for session in _sessions(tree):
        stage = f"stage/{session}/{system}/{check.partition}/site/{check.name}_{check.hash}"
        with suppress(OSError):
            check.since = (tree.root / stage / "rfm_job.sh").lstat().st_mtime
            break
    else:
        return  # the job is about to start, or ReFrame is moving its outputs
    for subject in check.steps:
        raw = f"{stage}/raw/{directory_of(subject)}"
        with suppress(OSError, ForeignError):
            if tree.is_directory(raw):
                left = SubjectOutputs(tree, raw)
                check.steps[subject] = len(left.steps())
                if waits_for := left.content("waiting"):
                    check.waiting[subject] = waits_for.strip()


def _sessions(tree: Tree) -> list[str]:
    """The directories of the sessions, the latest first; their names are when they began."""
    try:
        return sorted(os.listdir(tree.root / "stage"), reverse=True)
    except OSError:
        return []


def _figures(tree: Tree, check: Standing, system: str) -> Iterator[str]:
    """The figures of the last run in ReFrame's log of a check; empty if it has none."""
    name = f"perflogs/{system}/{check.partition}/{check.name}.log"
    content = tree.read_file(name, limits.PERFLOG)
    if isinstance(content, Missing):
        return
    lines = content.decode("utf-8", "replace").rstrip("\n").split("\n")
    header = next((line for line in reversed(lines) if line.startswith(_HEADER)), lines[-1])
    if header == lines[-1]:
        return
    last = dict(zip(header.split(_BETWEEN), lines[-1].split(_BETWEEN), strict=False))
    for key, value in last.items():
        metric, end, _ = key.rpartition("_value")
        if end and _NUMBER.fullmatch(value):
            yield one_line(f"{metric} {show(float(value))} {last.get(f'{metric}_unit', '')}")


_BETWEEN = "|"
_HEADER = f"job_completion_time{_BETWEEN}"
"""How ReFrame begins a line with the names of columns; no text with a separator is in its logs."""

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?")
