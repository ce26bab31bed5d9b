"""IOR, the parallel I/O benchmark: bandwidth of many processes on one file system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from assay.tools.output import Parsed, Sample, impossible
from assay.tools.text import complaints, first_error, json_objects, worlds

TOOL = "ior"

_BANNER = re.compile(r"^IOR-\S+: MPI Coordinated Test of Parallel I/O", re.MULTILINE)
_OPTION = re.compile(r"(\w[\w ]*): (.+)")
_ROW = re.compile(r"(write|read) +(\d+(?:\.\d+)?) +(?:[\d.]+ +){8}(\d+) *")

# What IOR says when a deadline ended the run and it goes on with the bytes that were moved.
_STONEWALL = re.compile(r"WARNING: (?:Expected agg|Stat\(\) of agg|Using actual agg|Maybe caused)")


@dataclass(frozen=True, slots=True)
class Run:
    """A file for each rank, written and read back from the next rank's place, through POSIX."""

    path: str
    """Test file; IOR adds the rank's number."""
    transfer: str
    """Size of one call in IOR's spelling, such as ``1m``."""
    block: str
    """Size of each rank's file, a multiple of `transfer`."""
    iterations: int = 1
    """Repetitions; each is a sample."""
    write: bool = True
    read: bool = True
    keep: bool = False
    """Leave the files, for a run that reads them."""

    def command(self, summary: str) -> list[str]:
        """Command line of one rank, to be started by an MPI launcher.

        Each write ends with fsync, phases are kept apart by barriers.

        Args:
            summary: the file that gets the JSON. What is printed beside it belongs to the
                output too: warnings, data errors among them, are there alone.
        """
        return [
            *(TOOL, "-a", "POSIX", "-C", "-e", "-F", "-g"),
            *(flag for flag, wanted in self._phases() if wanted),
            *("-t", self.transfer, "-b", self.block, "-i", str(self.iterations), "-o", self.path),
            *("-O", "summaryFormat=JSON", "-O", f"summaryFile={summary}"),
        ]

    def _phases(self) -> list[tuple[str, bool]]:
        return [("-w", self.write), ("-r", self.read), ("-k", self.keep)]


class _Options(BaseModel):
    """What IOR says of its run, the same in JSON and in the table's head."""

    api: str
    nodes: int
    tasks: int
    repetitions: int
    transfer: str = Field(alias="xfersize")
    block: str = Field(alias="blocksize")
    wear_out: int = Field(default=0, alias="stoneWallingWearOut")


class _Row(BaseModel):
    access: str
    bandwidth: float = Field(default=0.0, alias="bwMiB")


class _Test(BaseModel):
    options: _Options = Field(alias="Options")
    rows: list[_Row] = Field(alias="Results")


class _Summary(BaseModel):
    tests: list[_Test] = Field(min_length=1, max_length=1)
    finished: str = Field(alias="Finished")


def parse(
    text: str, *, expected_tasks: int | None = None, expected_nodes: int | None = None
) -> Parsed:
    """Read IOR's JSON summary or, where there is none, its table.

    `write_bandwidth` and `read_bandwidth` are in MiB/s, one sample for each repetition, never the
    maximum. A row's bandwidth is all ranks' bytes over the row's total time: from the first open
    to the last close (IOR's IOPS are over the access time alone, and are no samples here). JSON
    has four decimals, the table two or none.

    Labels: `iteration`, `tasks`, `nodes`, `api`, `transfer` and `block` (as IOR spells sizes).

    A deadline (`-D`) makes a run invalid unless its ranks wore out, that is, all went on to the
    same amount: otherwise the files have holes at their ends.

    Args:
        text: the summary, with all that IOR and its launcher printed before or after it.
        expected_tasks: ranks that were asked for.
        expected_nodes: nodes that were asked for.
    """
    runs = len(_BANNER.findall(text))
    tests, problems = _from_table(text, runs) if runs else _from_json(text)
    worn_out = bool(tests) and all(test.options.wear_out for test in tests)
    problems = [*complaints(text, _STONEWALL if worn_out else None), *problems]
    # Runs that print into each other differ in nothing but the rank, so one head tells for all.
    seen = [(test.options.tasks, test.options.nodes) for test in tests] * max(runs, 1)
    problems += worlds(TOOL, seen, expected_tasks, expected_nodes)
    samples = tuple(sample for test in tests for sample in _samples(test))
    for test in tests:
        problems += _wrong_count(test)
    problems += filter(None, map(impossible, samples))
    return Parsed(TOOL, samples, tuple(problems))


def _from_json(text: str) -> tuple[list[_Test], list[str]]:
    objects, invalid = json_objects(text)
    problems: list[str] = []
    if invalid:
        hint = " (IOR 4.0.0 writes such with -v)" if "not valid" in invalid else ""
        problems.append(f"neither table nor summary of IOR: {invalid}{hint}")
    tests: list[_Test] = []
    for found in objects:
        try:
            tests += _Summary.model_validate(found).tests
        except ValidationError as error:
            problems.append(f"no summary of IOR: {first_error(error)}")
    return tests, problems


def _from_table(text: str, runs: int) -> tuple[list[_Test], list[str]]:
    problems: list[str] = []
    if len(re.findall(r"^Finished +: ", text, re.MULTILINE)) < runs:
        problems.append("IOR did not finish: the last line of its output is not there")
    options = [pair for line in text.splitlines() if (pair := _OPTION.fullmatch(line))]
    rows = [row for line in text.splitlines() if (row := _ROW.fullmatch(line))]
    found: dict[str, Any] = {
        "Options": {option[1].strip(): option[2].strip() for option in options},
        "Results": [{"access": row[1], "bwMiB": row[2]} for row in rows],
    }
    try:
        return [_Test.model_validate(found)], problems
    except ValidationError as error:
        return [], [*problems, f"no table of IOR: {first_error(error)}"]


def _samples(test: _Test) -> Iterator[Sample]:
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


def _figures(test: _Test) -> Iterable[_Row]:
    return (row for row in test.rows if row.access in ("write", "read"))


def _wrong_count(test: _Test) -> Iterator[str]:
    rows = Counter(row.access for row in _figures(test))
    if not rows:
        yield "IOR printed no row of figures"
    for access, count in rows.items():
        if count != test.options.repetitions:
            yield f"rows for {access}: {count}; repetitions: {test.options.repetitions}"
