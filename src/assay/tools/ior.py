"""IOR, the parallel I/O benchmark: bandwidth of many processes on one file system.

IOR prints several bandwidths. The samples here are ``bw(MiB/s)`` of each row: all ranks' bytes over
the row's total time, from the first open to the last close. Neither the IOPS of a row nor the OPs
of the summary are samples: the former are over the access time only, the latter are just the
bandwidth over the transfer size (hpc/ior issues 375 and 478).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from assay.shell import Text
from assay.tools.contract import Contract
from assay.tools.daos.daos_log import reason
from assay.tools.daos.dfs import Dfs
from assay.tools.daos.interception import Library
from assay.tools.daos.interception import problems as not_intercepted
from assay.tools.ior_forms import (
    BANNER,
    IorRow,
    IorTest,
    from_csv,
    from_json,
    from_table,
    has_no_rows_by_design,
    is_csv,
    is_part,
)
from assay.tools.json_output import json_objects
from assay.tools.output import Parsed, Sample, impossible
from assay.tools.period import Period, period
from assay.tools.text import printed_errors, worlds

TOOL = "ior"

KNOWS = Contract(
    TOOL, "3.0 to 4.1", "the table on standard output, and the summaries in JSON and CSV"
)

_NO_ROW = "IOR printed no row of figures"

# IOR prints these when a deadline ended the run and it continues with the bytes that were moved.
_STONEWALL = re.compile(
    r"WARNING: (?:Expected agg|Stat\(\) of agg|Using actual agg|[Mm]aybe caused)"
)
_STATFS = re.compile(r"WARNING: Backend returned error during statfs")
_NOT_FLUSHED = re.compile(r"WARNING: fsync\(\) (?:not supported|only available) in ")
_OVERWRITTEN = re.compile(r"WARNING: The file .* exists already and will be overwritten")
_SIZES = re.compile(
    r"WARNING: Stat\(\) of aggregate file size += (\d+)\.?\n"
    r"WARNING: Using actual aggregate bytes moved = (\d+)\.?$",
    re.MULTILINE,
)
_STATUS_FILE = re.compile(r"^[^\w\n]*Command line\W.*stoneWallingStatusFile=", re.MULTILINE)
_RANDOM = re.compile(r"^ordering in a file +: random", re.MULTILINE)
_CREATED = re.compile(r"^\[\d+\] Creating DFS Container", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Stonewall:
    """A deadline, after which all ranks continue to the same amount (wear-out)."""

    seconds: int
    status_file: Text
    """File in which a write records its amount, for the read of a later run."""

    def options(self, *, write: bool) -> list[Text]:
        """The options of a run that writes, or of a later one that only reads."""
        status = ["-O", "stoneWallingStatusFile=" + self.status_file]
        deadline = ["-D", str(self.seconds), "-O", "stoneWallingWearOut=1"]
        return [*(deadline if write else []), *status]


@dataclass(frozen=True, slots=True)
class Ior:
    """A file for each rank, written and read back from the next rank's place.

    Raises:
        ValueError: a run through DFS has no container, or a run through another interface has one.
    """

    path: Text
    """Test file; IOR adds the rank's number. For MPIIO on DAOS it begins with ``daos:``."""
    transfer: str
    """Size of one call in IOR's spelling, such as ``1m``."""
    block: str
    """Size of each rank's file, a multiple of `transfer`."""
    iterations: int = 1
    """Repetitions; each is a sample."""
    write: bool = True
    read: bool = True
    keep: bool = False
    """Keep the files for a later run that reads them."""
    api: Literal["POSIX", "DFS", "MPIIO", "HDF5"] = "POSIX"
    dfs: Dfs | None = None
    """The container, for `api` DFS."""
    shared: bool = False
    """One file for all ranks."""
    segments: int = 1
    """Blocks of each rank in its own or the shared file."""
    shift: int | None = None
    """Nodes between a file's writer and its reader; None means one."""
    verify: bool = False
    """Compare the data read with the expected data; this takes time of the read."""
    signature: int | None = None
    """Seed of the data; a run that verifies needs the seed of the run that wrote."""
    stonewall: Stonewall | None = None
    lasts_s: int | None = None
    """Seconds in which each rank moves what it can, and reads a file that ends earlier several
    times; ranks do not continue to the same amount. It needs IOR 4.0 or later."""
    fsync: bool = True
    """End each write with fsync, within the measured time."""
    reorder: bool = True
    """Read what another rank wrote."""
    occupied: Text | None = None
    """Percent of each node's memory to occupy, so that the page cache cannot use it. It is never a
    size, because IOR 4.0 reads ``2g`` as 2 %."""
    direct: bool = False
    """Bypass the page cache (O_DIRECT), for `api` POSIX."""

    def __post_init__(self) -> None:
        if (self.api == "DFS") != (self.dfs is not None):
            raise ValueError(f"IOR through {self.api}: a container is for DFS, and DFS needs one")

    def command(self, summary: Text) -> list[Text]:
        """Command line of one rank, for an MPI launcher.

        Barriers separate the phases.

        Args:
            summary: the file for the JSON. Keep standard output as well: only there does IOR print
                warnings, which include data errors.
        """
        return [
            *(TOOL, "-a", self.api, *(self.dfs.ior_options() if self.dfs else [])),
            *(["--posix.odirect"] if self.direct else []),
            *(["-C"] if self.reorder else []),
            *(["-Q", str(self.shift)] if self.shift is not None else []),
            *(flag for flag, wanted in self._flags() if wanted),
            *(["-G", str(self.signature)] if self.signature is not None else []),
            *("-t", self.transfer, "-b", self.block),
            *(["-s", str(self.segments)] if self.segments != 1 else []),
            *(["-M", self.occupied + "%"] if self.occupied is not None else []),
            *("-i", str(self.iterations), "-o", self.path),
            *(self.stonewall.options(write=self.write) if self.stonewall else []),
            *(self._time(self.lasts_s) if self.lasts_s else []),
            *("-O", "summaryFormat=JSON", "-O", "summaryFile=" + summary),
        ]

    @staticmethod
    def _time(seconds: int) -> list[Text]:
        return ["-D", str(seconds), "-O", f"minTimeDuration={seconds}"]

    def _flags(self) -> list[tuple[str, bool]]:
        return [
            *(("-e", self.fsync), ("-F", not self.shared), ("-g", True)),
            *(("-w", self.write), ("-r", self.read)),
            *(("-R", self.verify), ("-k", self.keep)),
        ]


def parse(
    text: str,
    *,
    expected_tasks: int | None = None,
    expected_nodes: int | None = None,
    intercepted_by: Library | None = None,
    limit: str = "",
    overwrites: bool = False,
    timed: bool = False,
) -> Parsed:
    """Read IOR's JSON summary or, if there is none, its table.

    `write_bandwidth` and `read_bandwidth` are in MiB/s: all ranks' bytes over the row's total time.
    There is one sample for each repetition; the maximum is not used. JSON has four decimals, the
    table two or none.

    Labels: `iteration`, `tasks`, `nodes`, `api`, `transfer` and `block` (as IOR spells sizes).

    A deadline (`-D`) makes a run invalid unless its ranks wore out, that is, they all continued to
    the same amount; otherwise the files have holes at their ends. A write that ended before its
    deadline had too little to write.

    Args:
        text: the summary, with all that IOR and its launcher printed before or after it.
        expected_tasks: required ranks.
        expected_nodes: required nodes.
        intercepted_by: library that had to intercept the I/O calls of every rank.
        limit: why a write could not be larger, for the sentence; empty if it could.
        overwrites: whether it has to write over the files of another run, as one that removes them.
        timed: whether each rank moves what it can until the deadline (`Ior.lasts_s`), in files that
            nobody reads later. Then it must last until the deadline, and ranks may differ.
    """
    runs = len(BANNER.findall(text))
    if not runs and is_csv(text):
        return _csv(text)
    if not runs and (part := is_part(text)):
        return KNOWS.unread(part, "the whole output, whose head has the options")
    if runs and has_no_rows_by_design(text):
        return KNOWS.unread("a table of maximum and mean alone", "a run with -v, or a newer IOR")
    tests, problems = from_table(text, runs) if runs else from_json(text)
    whole = _to_the_end(text, tests)
    harmless = list(_harmless(tests, overwrites, stonewall=whole or timed))
    problems = [*printed_errors(text, harmless), *problems]
    if not _only_reads(tests) if timed else whole:
        problems += _sizes(text, tests)
    if _CREATED.search(text):
        problems.append("IOR created the container, with other properties: create it first")
    # Runs whose output is interleaved differ only in their rank, so one head stands for all.
    seen = [(test.options.tasks, test.options.nodes) for test in tests] * max(runs, 1)
    # First, as ranks that each run alone are the cause of others, such as files that are there.
    problems = [*worlds(TOOL, seen, expected_tasks, expected_nodes), *problems]
    samples = tuple(sample for test in tests for sample in _samples(test))
    for test in tests:
        problems += _wrong_count(test)
        problems += _too_short(test, limit, ("write", "read") if timed else ("write",))
    if intercepted_by:
        problems += not_intercepted(text, intercepted_by, expected_tasks or 1)
    problems += filter(None, map(impossible, samples))
    if problems and (why := reason(text)):
        problems.append(f"DAOS's library: {why}")
    return Parsed(TOOL, samples, tuple(problems))


def moving(text: str) -> Period | None:
    """When a run of one repetition moved its data, from its JSON summary; None if it says not.

    IOR prints its `StartTime` when it has reached the file system, just before it opens its files.
    """
    tests, _ = from_json(text)
    rows = [row for test in tests for row in _figures(test)]
    if len(rows) != 1:
        return None
    return period(tests[0].start.strip(), "%a %b %d %H:%M:%S %Y", rows[0].seconds)


class _Moved(BaseModel):
    operation: str
    mib: float = Field(alias="xsizeMiB", ge=0, le=2**53)


class _AllMoved(BaseModel):
    summary: list[_Moved]


def moved(text: str) -> dict[str, float] | None:
    """Bytes that a run wrote and read, from its JSON summary; None if it does not have them."""
    objects, invalid = json_objects(text)
    if invalid or len(objects) != 1:
        return None
    try:
        rows = _AllMoved.model_validate(objects[0]).summary
    except ValidationError:
        return None
    total = dict.fromkeys(("write", "read"), 0.0)
    for row in rows:
        if row.operation in total:
            total[row.operation] += row.mib * 2**20
    return total


def _csv(text: str) -> Parsed:
    """Read a summary in CSV, which has no options: without the table it shows half a run."""
    try:
        rows = list(from_csv(text))
    except (ValueError, KeyError) as error:
        return KNOWS.unread(f"a CSV with other columns ({error})", "the table, or JSON")
    samples = tuple(
        Sample(f"{access}_bandwidth", bandwidth, "MiB/s", {"iteration": number, "tasks": tasks})
        for access, bandwidth, tasks, number in rows
    )
    problems = [*printed_errors(text), *filter(None, map(impossible, samples))]
    return Parsed(TOOL, samples, tuple(problems if samples else [*problems, _NO_ROW]))


def _only_reads(tests: Sequence[IorTest]) -> bool:
    return bool(tests) and all(row.access == "read" for test in tests for row in test.rows)


def _to_the_end(text: str, tests: Sequence[IorTest]) -> bool:
    """Whether the ranks moved the same amount each, or read what is there anyway."""
    worn_out = bool(tests) and all(test.options.wear_out for test in tests)
    read_a_part = _only_reads(tests) and any(test.options.deadline for test in tests)
    return worn_out or read_a_part or _STATUS_FILE.search(text) is not None


def _harmless(
    tests: Sequence[IorTest], overwrites: bool, *, stonewall: bool
) -> Iterator[re.Pattern[str]]:
    yield _STATFS  # it only prints how full the file system is
    if stonewall:
        yield _STONEWALL
    if _only_reads(tests) or (tests and all(test.options.api == "DFS" for test in tests)):
        yield _NOT_FLUSHED  # DFS has no cache to flush (DFS_Fsync in IOR)
    if overwrites:
        yield _OVERWRITTEN


def _samples(test: IorTest) -> Iterator[Sample]:
    options, done = test.options, Counter[str]()
    for row in _figures(test):
        labels = {
            "iteration": str(done[row.access]),
            "tasks": str(options.tasks),
            "nodes": str(options.nodes),
            "api": options.api,
            "transfer": options.transfer,
            "block": options.block,
        }
        done[row.access] += 1
        yield Sample(f"{row.access}_bandwidth", row.bandwidth, "MiB/s", labels)


def _figures(test: IorTest) -> Iterable[IorRow]:
    return (row for row in test.rows if row.access in ("write", "read"))


def _wrong_count(test: IorTest) -> Iterator[str]:
    rows = Counter(row.access for row in _figures(test))
    if not rows:
        yield _NO_ROW
    for access, count in rows.items():
        if count != test.options.repetitions:
            yield f"rows for {access}: {count}; repetitions: {test.options.repetitions}"


def _too_short(test: IorTest, limit: str, accesses: Collection[str]) -> Iterator[str]:
    for row in _figures(test):
        if row.access in accesses and row.seconds < test.options.deadline:
            yield (
                f"the {row.access} took {row.seconds:g} s, less than its deadline of"
                f" {test.options.deadline} s: {limit or f'give it more to {row.access}'}"
            )


def _sizes(text: str, tests: Sequence[IorTest]) -> Iterator[str]:
    """Report files that are larger or smaller than what was moved.

    A random read moves a part of its files, as does one with a deadline, and in one file of all
    ranks each has a block of its own, which a deadline leaves half empty. Some interfaces give 0 as
    the size of any file, and IOR of 2019 gives the size of one rank's for those of all.
    """
    if _RANDOM.search(text):
        return
    partly = any(test.options.shared for test in tests) or (
        _only_reads(tests) and any(test.options.deadline for test in tests)
    )
    tasks = tests[0].options.tasks if tests else 1
    for stat, moved in dict.fromkeys(_SIZES.findall(text)):
        if not int(stat) or stat == moved or int(stat) * tasks == int(moved):
            continue
        if int(stat) < int(moved):
            yield (
                f"{moved} bytes were moved, but the file system reports files of {stat}: a part of"
                " them is not there, or it reports old sizes"
            )
        elif not partly:
            yield f"{moved} bytes were moved, but the files hold {stat}: parts of them are holes"
