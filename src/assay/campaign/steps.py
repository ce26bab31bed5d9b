"""The steps of a job: written into its script, and read back from its outputs.

Without accounting, Slurm does not report how a job ended. Each job therefore records the exit
status, start and end of every command (`reframe-checks/steps.sh`), and that record decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from assay.checks.raw import Done, SubjectOutputs
from assay.foreign.limits import SHOWN_REASON
from assay.foreign.text import one_line, quoted, shorten
from assay.shell import Text, line
from assay.tools.daos.daos_log import first_cause
from assay.tools.output import Parsed
from assay.tools.slurm.launchers import crashed, why_not_started

TIMED_OUT, KILLED = 124, 137
"""The exit statuses of `timeout` if it had to terminate, or to kill, a command."""

_NOT_STARTED = re.compile(
    r"^slurmstepd\S*: error: execve\(\): (?P<program>\S+): [^:\n]+$", re.MULTILINE
)
"""srun's message if a host lacks a program; its own exit status is then 2 or 13."""

_ENDED = re.compile(r"^srun: error: \S+: tasks? \S+: Exited with exit code (\d+)", re.MULTILINE)
"""srun's message about ranks that ended by themselves. Its own exit status may be that of the other
ranks, which it then terminated."""

RESIDENT_MIB_ALLOWED = 1.0
"""Allowed MiB in the page cache of files that are read next (this project's own choice)."""


CLOCKS_APART_S = 600
"""Tolerance in seconds between the clocks of a host and of the controller: twice the limit of munge
(300 s). For hosts that are reached by ssh, the value is this project's own choice."""

CLOCK_SET_S = 1.0
"""Tolerance in seconds between the end of a step and the start of the next, if the clock was set
back in between (this project's own choice)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a job, or several at once.

    `limit_s` is the time limit in seconds. `program` is the benchmark, for messages, since a
    command may start with a launcher. `parse` reads the output, for the reason if it failed; if it
    `explains`, its reason comes before the errors that DAOS's library logs. `hangs` is the likely
    cause of a hang. With `counts_reads` its output `read_bytes` has the bytes that its processes on
    this host read from storage, by the kernel's count.
    """

    name: str
    limit_s: int
    program: str
    commands: Sequence[Sequence[Text]]
    parse: Callable[[str], Parsed] | None = None
    hangs: str = ""
    explains: bool = False
    counts_reads: bool = False

    def line(self) -> str:
        """The line of the job script that runs it."""
        commands = " : ".join(line(map(_literal, command)) for command in self.commands)
        step = ["counting_reads"] * self.counts_reads + ["step", self.name, str(self.limit_s)]
        return f"{line(step)} {commands}"


@dataclass(frozen=True, slots=True)
class Evict:
    """Flush the files of a directory to the disk and drop them from the page cache."""

    name: str
    directory: Text

    def line(self) -> str:
        """The line of the job script that does it."""
        return line(["evict", self.name, self.directory])


@dataclass(frozen=True, slots=True)
class Shell:
    """A command that prepares the next step and measures nothing.

    If it fails, the job ends, with the sentence `refusal` if there is one.
    """

    command: Sequence[Text]
    refusal: str = ""

    def line(self) -> str:
        """The line of the job script that runs it."""
        otherwise = ["refuse", self.refusal] if self.refusal else ["exit", "1"]
        return f"{line(self.command)} || {line(otherwise)}"


def _literal(word: Text) -> Text:
    """A word that does not separate commands: `step` removes one colon from words of colons."""
    return f":{word}" if isinstance(word, str) and word and not word.strip(":") else word


def busy_s(steps: Iterable[Done]) -> float:
    """Seconds in which at least one step ran; steps of several hosts run at the same time."""
    total = until = 0.0
    for step in sorted(steps, key=lambda step: step.start):
        total += max(0.0, step.end - max(step.start, until))
        until = max(until, step.end)
    return total


def misplaced(done: Sequence[Done], began: float, ended: float) -> Iterator[str]:
    """Why the times of a subject's steps are not those of a measurement, in words.

    Args:
        done: the steps, in the order in which they were recorded.
        began: earliest time of their start, in seconds since the epoch.
        ended: latest time of their end.
    """
    for step in done:
        name = quoted(step.name)
        if step.end < step.start:
            yield f"its step {name} ended before it started: was the clock set there?"
        elif not began - CLOCKS_APART_S <= step.start <= step.end <= ended + CLOCKS_APART_S:
            first, last = (datetime.fromtimestamp(time, UTC) for time in (began, ended))
            yield (
                f"its step {name} did not run within the session of its run report,"
                f" {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC"
            )
    for one, other in pairwise(done):
        if other.start < one.end - CLOCK_SET_S:
            yield (
                f"its step {quoted(other.name)} started before {quoted(one.name)} ended, which"
                " runs before it: was the clock set there?"
            )


def problems(left: SubjectOutputs, planned: Iterable[Step | Evict | Shell]) -> list[str]:
    """Why a subject's record is not a complete and valid measurement, in words."""
    if refusal := left.content("refusal"):
        return [shorten(one_line(refusal.strip()), SHOWN_REASON)]
    done = {step.name: step for step in left.steps()}
    ended: list[Step] = []
    for step in planned:
        if isinstance(step, Evict):
            problem = _stayed_cached(left, step)
        elif isinstance(step, Step):
            problem = _unfinished(left, step, done.get(step.name))
        else:
            continue
        if problem:
            return [*_wrong_before(left, ended), problem]
        if isinstance(step, Step):
            ended.append(step)
    return []


def _wrong_before(left: SubjectOutputs, ended: Iterable[Step]) -> list[str]:
    """What was wrong in the first invalid output of the steps before the one that failed.

    A step may end well although it did something else than it should, and a later one then fails by
    it: ranks that each ran alone remove each other's files.
    """
    for step in ended:
        if step.parse and (wrong := step.parse(_summary(left, step)).problems):
            return [f"{Path(step.program).name} ({step.name}): {wrong[0]}"]
    return []


def _summary(left: SubjectOutputs, step: Step) -> str:
    return left.printed(step.name) + left.text(step.name, "json")


def _unfinished(left: SubjectOutputs, step: Step, done: Done | None) -> str | None:
    program = f"{Path(step.program).name} ({step.name})"
    if done is None:
        return (
            f"the job ended before {program} did: the node went down, the job was"
            " cancelled, ran out of time or of room for its outputs, or does not see this"
            " campaign's directory; look at the job's own output, then run it again"
        )
    if done.status == 0:
        return None
    # Hydra waits for ever for what it started by srun.
    if absent := _NOT_STARTED.search(left.text(step.name, "err")):
        return _absent(quoted(absent["program"]), step)
    # An MPI launcher also exits with 137 if it kills the other ranks after one failed.
    waited = done.end - done.start >= step.limit_s
    if done.status == TIMED_OUT or (done.status == KILLED and waited):
        hint = f"; {step.hangs}" if step.hangs else ""
        cause = first_cause(left.printed(step.name))
        why = f": {quoted(cause)}" if cause else hint or _hung_at_the_end(left, step)
        return f"{program} hung: it was stopped after {step.limit_s} s{why}"
    if done.status in (126, 127):
        return _absent(step.program, step)
    ended = _ENDED.search(left.text(step.name, "err"))
    status = ended[1] if ended else done.status
    return f"{program} failed with exit status {status}{_last_words(left, step)}"


def _hung_at_the_end(left: SubjectOutputs, step: Step) -> str:
    """The likely cause of a hang after the last result; nothing if the output is not complete."""
    if step.parse is None or step.parse(_summary(left, step)).problems:
        return ""
    return "; its results are complete: does MPI_Finalize of this MPI hang?"


def _absent(program: str, step: Step) -> str:
    return f"{program} ({step.name}) is missing or cannot be run: is it installed there?"


def _last_words(left: SubjectOutputs, step: Step) -> str:
    if step.explains and step.parse and (why := step.parse(left.printed(step.name)).problems):
        return f": {why[0]}"
    # IOR's last words, `Failed to initialize DAOS DFS driver`, are the same for all causes.
    if cause := first_cause(left.printed(step.name)):
        return f": {quoted(cause)}"
    # Without a benchmark there is no output of it to parse.
    if cause := why_not_started(left.printed(step.name)):
        return f": {shorten(cause, SHOWN_REASON)}"
    # What its peers print is that they lost it.
    if cause := crashed(left.printed(step.name)):
        return f": {cause}"
    if step.parse and (why := step.parse(left.printed(step.name)).problems):
        return f": {why[0]}"
    for kind in ("err", "out"):
        lines = [line.strip() for line in left.text(step.name, kind).splitlines() if line.strip()]
        if lines:
            return f": {quoted(lines[-1])}"
    return ""


def _stayed_cached(left: SubjectOutputs, step: Evict) -> str | None:
    try:
        resident = int(left.text(step.name, "resident")) / 2**20
    except (ValueError, OverflowError):
        return f"how much was in the page cache is unknown ({step.name}): is fincore installed?"
    if resident > RESIDENT_MIB_ALLOWED:
        return (
            f"{resident:.0f} MiB stayed in the page cache ({step.name}), so the next read came"
            " from memory and not from the disk"
        )
    return None
