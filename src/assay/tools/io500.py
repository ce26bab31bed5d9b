"""IO500: twelve phases by IOR, mdtest and a parallel find, and one score.

The score is the geometric mean of the bandwidth (GiB/s) and the metadata rate (kIOPS), which are
the geometric means of the four phases of IOR and of the eight others. All writes come before all
reads, in this order.

Behaviour of the io500 program of ISC'26, seen by running it: it always exits 0, and it checks the
data that it reads. With a stonewall below 300 s, as in DAOS's own runs (30 s), it marks every
result as an invalid submission, which does not mean that the figures are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isclose, prod, sqrt
from typing import Literal

from assay.shell import Text, joined
from assay.tools import ior, mdtest
from assay.tools.daos.dfs import Dfs
from assay.tools.io500_forms import BELOW_30, Io500Phase, Io500Printed, read
from assay.tools.io500_forms import KNOWS as KNOWS
from assay.tools.output import Parsed, Sample, impossible

TOOL = "io500"

RULED_S = 300
"""Stonewall of a valid submission, in seconds."""

HARD_TRANSFER_BYTES = 47008
"""Transfer size of IOR's hard pattern."""
HARD_FILE_BYTES = 3901
"""Size of each file in mdtest's hard pattern."""
EASY_BLOCK, EASY_FILES = "9920000m", 1_000_000
"""What each rank writes with IOR and creates with mdtest in the easy patterns, at most: more than
until any deadline."""

BANDWIDTHS = ("ior-easy-write", "ior-hard-write", "ior-easy-read", "ior-hard-read")
"""The phases whose figures are in GiB/s."""
RATES = (
    *("mdtest-easy-write", "mdtest-hard-write", "find", "mdtest-easy-stat", "mdtest-hard-stat"),
    *("mdtest-easy-delete", "mdtest-hard-read", "mdtest-hard-delete"),
)
"""The phases whose figures are in thousands of operations a second."""
WRITES = ("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write")
"""The phases that a stonewall ends."""

_SAMPLES = {"write": "file_creation", "stat": "file_stat", "read": "file_read"} | {
    "delete": "file_removal"
}
"""The metrics of mdtest, by the last part of the phase's name, which is the operation."""

_ERROR = re.compile(
    r"^(?:; )?(?:ERROR|WARNING|FATAL)\b:?(?: INVALID)? (?:\(\S+\) )?(.*)$", re.MULTILINE
)

# Printed for every run whose stonewall is too short for a submission.
_RULES = re.compile(
    r"stonewall-time \d+s (?:!=|<) 300s|Runtime is smaller than expected minimum runtime"
)

# About the configuration of io500 itself.
_REMARKS = re.compile(
    r"Using internal pfind, will ignore any arguments"
    r"|Provided API option \S+ starts with a different prefix"
)

# Printed for every phase that ended before its stonewall, without its name.
_ENDED_EARLY = re.compile(r"Runtime of phase \(\d+\.\d+\) is below stonewall time")

# It looks for names with "01", which the first 101 files of a process have not.
_FOUND_NOTHING = re.compile(r"Find didn't find anything, this is likely invalid")


@dataclass(frozen=True, slots=True)
class Score:
    """The three scores of a run."""

    bandwidth: float
    """GiB/s."""
    metadata: float
    """Thousands of operations a second."""

    @property
    def total(self) -> float:
        """The score, which has no unit."""
        return sqrt(self.bandwidth * self.metadata)


def score(phases: Mapping[str, float]) -> Score:
    """The score of phases in GiB/s and thousands of operations a second.

    Without ``find``, it covers the other seven metadata phases and is not a score of IO500.

    Raises:
        KeyError: another phase is missing.
    """
    rates = [phases[name] for name in RATES if name != "find" or name in phases]
    return Score(_geometric([phases[name] for name in BANDWIDTHS]), _geometric(rates))


def _geometric(figures: list[float]) -> float:
    return float(prod(figures) ** (1 / len(figures)))


@dataclass(frozen=True, slots=True)
class Io500:
    """A run on a POSIX directory or in a DAOS container."""

    directory: Text
    results: Text
    """Directory for the output of the phases, and for the status files."""
    stonewall_s: int = RULED_S
    dfs: Dfs | None = None
    """The container and its object classes; None if `directory` is on a POSIX file system."""
    mark: Text = ""
    """Prefix of the names of all files, since IOR and mdtest do not create a directory."""
    easy_block: str = EASY_BLOCK
    """Maximum that each rank writes in ior-easy. This and the limits below must only be enough to
    reach the stonewall."""
    hard_segments: int = 10_000_000
    easy_files: int = EASY_FILES
    hard_files: int = 1_000_000
    files: int | None = None
    """Files that each rank creates with mdtest, however long it takes; None: up to the stonewall.
    For the io500 program it is a maximum, since its stonewall holds for all phases. Below 102
    `find` finds none, since it looks for names with `01`."""

    def configuration(self) -> Text:
        """The io500 program's file for a POSIX directory; its own `find` knows no other API.

        An engineer can also use it: ``mpirun io500 FILE``.
        """
        assert self.dfs is None
        sections: dict[str, dict[str, Text]] = {
            "global": {
                "datadir": self.directory,
                "resultdir": self.results,
                "timestamp-datadir": "FALSE",
                "timestamp-resultdir": "FALSE",
                "api": "POSIX",
            },
            "debug": {"stonewall-time": str(self.stonewall_s)},
            "ior-easy": {"blockSize": self.easy_block},
            "ior-hard": {"segmentCount": str(self.hard_segments)},
            "mdtest-easy": {"n": str(self.files or self.easy_files)},
            "mdtest-hard": {"n": str(self.files or self.hard_files)},
        }
        lines: list[Text] = []
        for name, pairs in sections.items():
            lines += [f"[{name}]", *(f"{key} = " + value for key, value in pairs.items()), ""]
        return joined("\n", lines)

    def runs(self) -> Mapping[str, ior.Ior | mdtest.Mdtest]:
        """The phases of IOR and mdtest, in order, without ``find``."""
        return {
            "ior-easy-write": self._ior("easy", read=False),
            "mdtest-easy-write": self._mdtest("easy", "create"),
            "ior-hard-write": self._ior("hard", read=False),
            "mdtest-hard-write": self._mdtest("hard", "create"),
            "ior-easy-read": self._ior("easy", read=True),
            "mdtest-easy-stat": self._mdtest("easy", "stat"),
            "ior-hard-read": self._ior("hard", read=True),
            "mdtest-hard-stat": self._mdtest("hard", "stat"),
            "mdtest-easy-delete": self._mdtest("easy", "remove"),
            "mdtest-hard-read": self._mdtest("hard", "read"),
            "mdtest-hard-delete": self._mdtest("hard", "remove"),
        }

    def _ior(self, kind: Literal["easy", "hard"], *, read: bool) -> ior.Ior:
        hard = kind == "hard"
        return ior.Ior(
            self.directory + "/" + self.mark + f"ior-{kind}",
            transfer=str(HARD_TRANSFER_BYTES) if hard else "2m",
            block=str(HARD_TRANSFER_BYTES) if hard else self.easy_block,
            segments=self.hard_segments if hard else 1,
            shared=hard,
            write=not read,
            read=read,
            verify=read,
            keep=True,
            shift=1,
            signature=271,
            api="DFS" if self.dfs else "POSIX",
            dfs=self.dfs,
            stonewall=ior.Stonewall(self.stonewall_s, self.results + f"/ior-{kind}.stonewall"),
        )

    def _mdtest(self, kind: Literal["easy", "hard"], phase: mdtest.Phase) -> mdtest.Mdtest:
        hard = kind == "hard"
        status = self.results + f"/mdtest-{kind}.stonewall"
        return mdtest.Mdtest(
            self.directory + "/" + self.mark + f"mdtest-{kind}",
            files=self.files or (self.hard_files if hard else self.easy_files),
            write_bytes=HARD_FILE_BYTES if hard else 0,
            read_bytes=HARD_FILE_BYTES if hard else 0,
            shared=hard,
            phases=(phase,),
            sync=phase == "create",
            verify=phase == "read",
            signature=271,
            api="DFS" if self.dfs else "POSIX",
            dfs=self.dfs,
            stonewall=None if self.files else mdtest.CreationStonewall(self.stonewall_s, status),
        )


def parse(text: str, *, stonewall_s: int = RULED_S, counted: bool = False) -> Parsed:
    """Read the output of io500, its ``result_summary.txt`` or its ``result.txt``.

    Each phase is a metric with the name of the phase (`ior_easy_write` in GiB/s, `mdtest_hard_stat`
    in kop/s, which is io500's kIOPS). `bandwidth_score` (GiB/s), `metadata_score` (kop/s) and
    `score` are computed from the phases.

    Args:
        text: standard output; the summary lacks the reasons why a phase is invalid.
        stonewall_s: required stonewall. Below 300 s, an invalid submission is no problem.
        counted: mdtest had to create a number of files at most (`Io500.files`), and may end before
            the stonewall; where it is slow it creates too few of them for `find` to find one.
    """
    printed = read(text)
    if isinstance(printed, Parsed):
        return printed
    if printed.runs > 1:
        # One run prints its banner once, however many ranks it has.
        why = f"the output contains {printed.runs} runs of {TOOL}: pass one run at a time"
        return Parsed(TOOL, (), (why,))
    ran = [phase for phase in printed.phases if phase.ran]
    figures = {phase.name: phase.value for phase in ran}
    samples = [phase.sample() for phase in ran]
    if not _missing(figures) and printed.total is not None:
        samples += _scores(score(figures))
    problems = [
        *_errors(text, printed, stonewall_s, counted=counted),
        *_too_short(ran, stonewall_s, counted=counted),
        *_unfinished(printed, figures),
        *_invalid(printed, stonewall_s),
        *filter(None, map(impossible, samples)),
    ]
    return Parsed(TOOL, tuple(samples), tuple(dict.fromkeys(problems)))


def _errors(text: str, printed: Io500Printed, stonewall_s: int, *, counted: bool) -> Iterator[str]:
    errors = dict.fromkeys(_ERROR.findall(text))
    few_files = counted and not _ENDED_EARLY.search(text)
    # The cause comes first: a full file system also cuts writes short.
    for error in sorted(errors, key=lambda error: "partial write()" in error):
        if counted and _ENDED_EARLY.match(error):
            continue  # of IOR's phases, _too_short reports it
        if _REMARKS.match(error):
            continue
        if BELOW_30.search(error) and (printed.deadline or 0) >= stonewall_s:
            continue
        if few_files and _FOUND_NOTHING.match(error):
            continue  # the rate is that of the files that it has searched
        if stonewall_s >= RULED_S or not _RULES.search(error):
            yield f"io500: {error}"


def _too_short(phases: Iterable[Io500Phase], stonewall_s: int, *, counted: bool) -> Iterator[str]:
    seconds = {phase.name: phase.seconds for phase in phases}
    for name in WRITES:
        if counted and name not in BANDWIDTHS:
            continue
        if name in seconds and float(seconds[name]) < stonewall_s:
            yield (
                f"{name} took {seconds[name]} s, less than the required {stonewall_s} s: give it"
                " that stonewall, and more to write"
            )


def _missing(figures: Mapping[str, float]) -> list[str]:
    return [name for name in (*BANDWIDTHS, *RATES) if name not in figures]


def _unfinished(printed: Io500Printed, figures: Mapping[str, float]) -> Iterator[str]:
    """Report phases or scores that are missing or do not match."""
    left_out = [phase.name for phase in printed.phases if not phase.ran]
    if left_out:
        yield (
            f"io500 did not run {', '.join(left_out)}, with 0 in 0 s: the configuration leaves it"
            " out, or it failed at once"
        )
    if missing := [name for name in _missing(figures) if name not in left_out]:
        yield f"io500 did not finish: it did not report {', '.join(missing)}"
    elif printed.total is None:
        yield "io500 did not finish: there is no score"
    elif not left_out and not _follows(printed, score(figures)):
        yield f"the score of {printed.total} does not follow from the phases: {score(figures)}"


def _follows(printed: Io500Printed, figures: Score) -> bool:
    """Whether the printed score is that of the phases, within the digits of both."""
    # io500.sh prints three decimals, of which a slow phase of IOR has one that is not 0.
    digits = sum(10.0**-each.decimals / each.value for each in printed.phases if each.value)
    within = 1e-3 + digits / 8
    totals = [figures.total]
    if printed.form == "script":
        totals.append(figures.bandwidth * figures.metadata)  # that of 2017 and early 2018
    return any(isclose(each, float(printed.total or 0), rel_tol=within) for each in totals)


def _invalid(printed: Io500Printed, stonewall_s: int) -> Iterator[str]:
    if stonewall_s < RULED_S:
        return
    invalid = [phase.name for phase in printed.phases if phase.invalid]
    if invalid or printed.invalid:
        which = ", ".join(invalid) or "the run"
        yield f"io500 calls {which} invalid; see its earlier output for the reason"


def _scores(figures: Score) -> Iterator[Sample]:
    yield Sample("bandwidth_score", figures.bandwidth, "GiB/s")
    yield Sample("metadata_score", figures.metadata, "kop/s")
    yield Sample("score", figures.total, "score")


def collected(outputs: Mapping[str, Parsed]) -> Parsed:
    """Make the phases of `runs` from the output of IOR and mdtest in each of them.

    Without ``find`` there is no score of IO500. `bandwidth_score` stays the same; `metadata_score`
    and `score` become `metadata_score_without_find` and `score_without_find`.
    """
    problems = [
        f"{name}: {problem}" for name, output in outputs.items() for problem in output.problems
    ]
    figures: dict[str, float] = {}
    for name in (*BANDWIDTHS, *RATES):
        if name == "find":
            continue
        values = _values(name, outputs[name]) if name in outputs else []
        if len(values) == 1:
            figures[name] = values[0]
        else:
            problems.append(f"{name} has {len(values)} figures instead of one")
    samples = [
        Sample(name.replace("-", "_"), value, "GiB/s" if name in BANDWIDTHS else "kop/s")
        for name, value in figures.items()
    ]
    if len(figures) == len(BANDWIDTHS) + len(RATES) - 1:
        for sample in _scores(score(figures)):
            suffix = "" if sample.metric == "bandwidth_score" else "_without_find"
            samples.append(Sample(sample.metric + suffix, sample.value, sample.unit))
    return Parsed(TOOL, tuple(samples), tuple(problems))


def _values(name: str, output: Parsed) -> list[float]:
    done = name.rpartition("-")[2]
    if name in BANDWIDTHS:
        metric, scale = f"{done}_bandwidth", 1024.0
    else:
        metric, scale = _SAMPLES[done], 1000.0
    return [sample.value / scale for sample in output.samples if sample.metric == metric]
