"""mdtest, IOR's metadata benchmark: creates, stats, reads and removes files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.shell import Text
from assay.tools.contract import Contract
from assay.tools.daos.daos_log import reason
from assay.tools.daos.dfs import Dfs
from assay.tools.daos.interception import Library
from assay.tools.daos.interception import problems as not_intercepted
from assay.tools.output import Parsed, Sample, impossible
from assay.tools.period import Period, period
from assay.tools.text import printed_errors, worlds

TOOL = "mdtest"

KNOWS = Contract(TOOL, "1.9.3 to 4.1", "the summary of rates on standard output")

_BANNER = re.compile(
    r"^mdtest-\S+ was launched with (\d{1,9}) total task\(s\) on (\d{1,9}) node\(s\)", re.MULTILINE
)
_FILES = re.compile(r"^\d+ tasks, (\d+) (?:files|directories|files/directories)\s*$", re.MULTILINE)
_FINISHED = re.compile(r"^-- finished at ", re.MULTILINE)
# 1.9.3 writes "SUMMARY:", 4.0 "SUMMARY rate:", 4.1 "SUMMARY rate (in ops/sec):".
_SECTION = re.compile(
    r"SUMMARY(?: (rate|time)(?: \(in [\w/]+\))?)?: \(of (\d{1,9}) iterations\)\s*"
)
_COMMAND = re.compile(r"^Command line used: (.*)$", re.MULTILINE)
# Releases before 3.4 quote the options with double quotes, or not at all.
_DEADLINE = re.compile(r"""["' ]-W["']? ["']?(\d{1,9})\b""")
_WRITTEN = re.compile(r"""["' ]-w["']? ?["']?(\d{1,15})\b""")
_CREATION = re.compile(r" +File creation *(?:: +)?\d+\.\d{3} +(\d+\.\d{3}) .*")
_DEADLINE_MET = re.compile(
    r"^Continue stonewall hit min: \d+ max: \d+ (?:avg: (\d{1,15}\.\d))?", re.MULTILINE
)
_STARTED = re.compile(r"^-- started at (.{19}) --", re.MULTILINE)
# A colon follows the name up to 3.3, for some names at once.
_ROW = re.compile(
    r" +([A-Z][a-z]+ [a-z]+) *(?:: +)?(\d+\.\d{3}) +\d+\.\d{3} +(\d+\.\d{3}) +\d+\.\d{3}\s*"
)

# With no bytes to read, the read phase opens and closes each file, which is intended. The status of
# a file system is only printed. There is no status file where creation made all files before its
# deadline; a later phase that expects files that are not there reports each of them.
_HARMLESS = re.compile(
    r"Read bytes is 0|Backend returned error during statfs|could not read stonewall status file"
)

Phase = Literal["create", "stat", "read", "remove"]
_PHASES: dict[Phase, str] = {"create": "-C", "stat": "-T", "read": "-E", "remove": "-r"}


@dataclass(frozen=True, slots=True)
class CreationStonewall:
    """A deadline for creation, after which all ranks continue to the same number of files."""

    seconds: int
    status_file: Text
    """File in which creation records the number of files, for the phases of later runs."""


@dataclass(frozen=True, slots=True)
class Mdtest:
    """One iteration of all phases on files, in a separate directory for each rank.

    For several samples, run it several times. With several iterations (`-i`), mdtest prints only
    maximum, minimum and mean, and its verbose lines are the rates of the first rank.
    """

    directory: Text
    """Directory for the trees, in an existing file system."""
    files: int
    """Files of each rank."""
    stride: int = 1
    """Shift of the ranks after each phase, so that a rank finds nothing in its own cache.

    It counts nodes if ranks fill one node after the other (mdtest multiplies it by the ranks of a
    node), and ranks otherwise. With 1, the next node does stat and read in both cases; with 0,
    mdtest measures the client's cache.
    """
    write_bytes: int = 0
    """Bytes written to each file."""
    read_bytes: int = 0
    """Bytes read from each file."""
    api: Literal["POSIX", "DFS"] = "POSIX"
    dfs: Dfs | None = None
    """The container, for `api` DFS."""
    shared: bool = False
    """One directory for all ranks."""
    phases: tuple[Phase, ...] = ()
    """The phases to run; all of them if empty."""
    sync: bool = False
    """Flush the file system at the end of each phase, within the measured time (`sync`)."""
    verify: bool = False
    """Compare the data read with the expected data."""
    signature: int | None = None
    """Seed of the data; a run that verifies needs the seed of the run that wrote."""
    stonewall: CreationStonewall | None = None

    def __post_init__(self) -> None:
        if (self.api == "DFS") != (self.dfs is not None):
            raise ValueError(
                f"mdtest through {self.api}: a container is for DFS, and DFS needs one"
            )

    def command(self) -> list[Text]:
        """Command line of one rank, for an MPI launcher."""
        creates = not self.phases or "create" in self.phases
        return [
            *(TOOL, "-a", self.api, *(self.dfs.ior_options() if self.dfs else []), "-F"),
            *(["-t"] if self.shared else ["-L", "-u"]),
            *(_PHASES[phase] for phase in self.phases),
            *("-n", str(self.files), "-N", str(self.stride)),
            *("-w", str(self.write_bytes), "-e", str(self.read_bytes)),
            *(["-Y"] if self.sync else []),
            *(["-X"] if self.verify else []),
            *(["-G", str(self.signature)] if self.signature is not None else []),
            *(self._stonewall(creates=creates) if self.stonewall else []),
            *("-d", self.directory),
        ]

    def _stonewall(self, *, creates: bool) -> list[Text]:
        assert self.stonewall
        deadline = ["-W", str(self.stonewall.seconds)] if creates else []
        return [*deadline, "-x", self.stonewall.status_file]


@dataclass(frozen=True, slots=True)
class UntilDeadline:
    """What ranks create until their deadline, before they continue to the same number of files."""

    rate: float
    """In op/s."""
    period: Period


def until_deadline(text: str) -> UntilDeadline | None:
    """What was created until the deadline, and when; None if the output does not have it.

    mdtest prints `started at` when it has reached the file system, just before it creates.
    """
    tasks, command = _BANNER.search(text), _COMMAND.search(text)
    deadline = _DEADLINE.search(command[1]) if command else None
    met, started = _DEADLINE_MET.search(text), _STARTED.search(text)
    if not (tasks and deadline and met and met[1] and started):
        return None
    seconds = int(deadline[1])
    lasted = period(started[1], "%m/%d/%Y %H:%M:%S", seconds)
    return UntilDeadline(float(met[1]) * int(tasks[1]) / seconds, lasted) if lasted else None


def parse(
    text: str,
    *,
    expected_tasks: int | None = None,
    expected_nodes: int | None = None,
    intercepted_by: Library | None = None,
    limit: str = "",
) -> Parsed:
    """Read the summary of rates: `file_creation`, `file_stat`, `file_read`, `file_removal`.

    Figures are in op/s, over all ranks. So are those of directories and trees
    (`directory_creation`, `tree_removal` and so on), if they are printed. mdtest prints 0.000 for a
    phase that did not run, which is no sample. With one iteration, the sample is that iteration;
    with more, mdtest does not print each of them, and the sample is their mean, labelled
    `statistic: mean of N iterations`. Before 3.4 each rank has a rate, by its own time: the sample
    is their mean, and the label `max` has the largest, which was IO500's figure.

    mdtest exits 0 and prints a rate even if it could not stat a single file, so its warnings make a
    run invalid. So does a creation that ended before its deadline (`-W`).

    Args:
        text: the whole output of mdtest and its launcher.
        expected_tasks: required ranks.
        expected_nodes: required nodes.
        intercepted_by: library that had to intercept the calls of every rank.
        limit: why there could not be more files, for the sentence; empty if there could.
    """
    seen = [(int(tasks), int(nodes)) for tasks, nodes in _BANNER.findall(text)]
    if not seen and _has_rates(text):
        return KNOWS.unread("a summary alone", "the whole output, whose head has the options")
    problems = [
        *printed_errors(text, [_HARMLESS]),
        *worlds(TOOL, seen, expected_tasks, expected_nodes),
    ]
    labels: dict[str, str] = {}
    if seen:
        labels |= {"tasks": str(seen[0][0]), "nodes": str(seen[0][1])}
    if files := _FILES.search(text):
        labels["files"] = files[1]
    if (command := _COMMAND.search(text)) and (size := _WRITTEN.search(command[1])):
        labels["bytes"] = size[1]
    samples = tuple(_samples(text, labels))
    if not seen:
        problems.append("this is not output of mdtest: it does not say how many tasks it ran with")
    elif not samples and _has_rates(text):
        problems.append("every rate of mdtest is 0: it ran no phase, or lost its count")
    elif not samples:
        problems.append("mdtest printed no rate: it did not reach its summary")
    elif not _FINISHED.search(text):
        problems.append("mdtest did not finish: its last line is missing")
    if any(sample.metric == "file_creation" for sample in samples):
        problems += _too_short(text, limit)
    if intercepted_by:
        problems += not_intercepted(text, intercepted_by, expected_tasks or 1, data=False)
    problems += filter(None, map(impossible, samples))
    if problems and (why := reason(text)):
        problems.append(f"DAOS's library: {why}")
    return Parsed(TOOL, samples, tuple(problems))


def _has_rates(text: str) -> bool:
    sections = (_SECTION.fullmatch(line) for line in text.splitlines())
    return any(section[1] != "time" for section in sections if section)


def _samples(text: str, labels: dict[str, str]) -> Iterator[Sample]:
    in_rates = False
    for line in text.splitlines():
        if section := _SECTION.fullmatch(line):
            in_rates = section[1] != "time"
            iterations = int(section[2])
            statistic = {"statistic": f"mean of {iterations} iterations"} if iterations > 1 else {}
        elif in_rates and (row := _ROW.fullmatch(line)) and float(row[3]) > 0:
            metric = row[1].lower().replace(" ", "_")
            # Before 3.4 the rates of one iteration are those of its ranks.
            ranks = iterations == 1 and row[2] != row[3]
            of = {"statistic": "mean of its ranks", "max": row[2]} if ranks else statistic
            yield Sample(metric, float(row[3]), "op/s", labels | of)


def _too_short(text: str, limit: str) -> Iterator[str]:
    command = _COMMAND.search(text)
    deadline = _DEADLINE.search(command[1]) if command else None
    if not deadline or _DEADLINE_MET.search(text):
        return
    if _shortest_creation(text) < int(deadline[1]):
        yield (
            f"creation ended before its deadline of {deadline[1]} s:"
            f" {limit or 'give each rank more files (-n)'}"
        )


def _shortest_creation(text: str) -> float:
    """Seconds that creation took at least, by the summary of times (`-P`); 0 without one.

    Where the deadline came after the last file of every rank, mdtest prints no line about it.
    """
    in_times = False
    for line in text.splitlines():
        if section := _SECTION.fullmatch(line):
            in_times = section[1] == "time"
        elif in_times and (row := _CREATION.fullmatch(line)):
            return float(row[1])
    return 0.0
