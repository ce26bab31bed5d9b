"""The forms in which IOR prints its results: the table of each release, JSON, and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from assay.tools.json_output import json_objects
from assay.tools.text import first_error

BANNER = re.compile(r"^IOR-(\S+): MPI Coordinated Test of Parallel I/O", re.MULTILINE)
_OPTION = re.compile(r"(\w[\w ]*): (.+)")
# Up to 3.1 the options stand behind a tabulator, which people's copies lose, and before "=".
_OLD_OPTION = re.compile(r"[ \t]+(\w[\w ]*?) *= (.+)")
_OLD_CLIENTS = re.compile(r"(\d{1,9}) \((\d{1,9}) per node\)")
_OLD_COMMAND = re.compile(r"^Command line used: (.*)$", re.MULTILINE)
_OLD_DEADLINE = re.compile(r" -D (\d{1,9})\b")
# 3.2 and later, 3.0 and 3.1, 2.10.
_FINISHED = re.compile(r"^(?:Finished|Run finished) *: ", re.MULTILINE)
# io500 calls IOR as a library, which prints no last line since 3.4. It gives either -w or -r, so
# that the run has one row.
_IN_IO500 = re.compile(
    r"^Command line +: \./ior (?=.* -O (?:saveRankPerformanceDetailsCSV=|"
    r"stoneWallingStatusFile=\S+/ior-\w+\.stonewall))(?:(?!.* -w )|(?!.* -r )).*$",
    re.MULTILINE,
)
_OLD_SUMMARY = re.compile(r"^Operation +Max \(MiB\) +Min \(MiB\)", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?|-")
_HEAD = ("access", "bw(MiB/s)")
"""How the head of the rows begins. It names the unit; the columns differ between releases."""
_CSV_HEAD = "access,bw(MiB/s),"


class IorOptions(BaseModel):
    """The options of a run as IOR prints them, the same in JSON and in the head of the table."""

    api: str
    access: str = ""
    nodes: int
    tasks: int
    repetitions: int
    transfer: str = Field(alias="xfersize")
    block: str = Field(alias="blocksize")
    deadline: int = Field(default=0, alias="stonewallingTime")
    wear_out: int = Field(default=0, alias="stoneWallingWearOut")

    @property
    def shared(self) -> bool:
        """Whether all ranks use one file, in which those of a deadline leave gaps by design."""
        return self.access == "single-shared-file"


class IorRow(BaseModel):
    """A repetition of an access: bandwidth in MiB/s, and the whole time in seconds."""

    access: str
    bandwidth: float = Field(default=0.0, alias="bwMiB")
    seconds: float = Field(default=0.0, alias="totalTime")


class IorTest(BaseModel):
    """One test: its options, and its rows."""

    options: IorOptions = Field(alias="Options")
    rows: list[IorRow] = Field(alias="Results")
    start: str = Field(default="", alias="StartTime")


class _Summary(BaseModel):
    tests: list[IorTest] = Field(min_length=1, max_length=1)
    finished: str = Field(alias="Finished")


def from_json(text: str) -> tuple[list[IorTest], list[str]]:
    """The tests of the summaries in JSON, and why one is no summary."""
    objects, invalid = json_objects(text)
    problems: list[str] = []
    if invalid:
        hint = " (IOR 4.0.0 writes such JSON with -v)" if "not valid" in invalid else ""
        problems.append(f"neither a table nor a summary from IOR: {invalid}{hint}")
    tests: list[IorTest] = []
    for summary in objects:
        try:
            tests += _Summary.model_validate(summary).tests
        except ValidationError as error:
            problems.append(f"no summary from IOR: {first_error(error)}")
    return tests, problems


def from_table(text: str, runs: int) -> tuple[list[IorTest], list[str]]:
    """The test of the table, and why it is none; `runs` is how often IOR was started."""
    problems: list[str] = []
    if len(_FINISHED.findall(text)) < runs and not (runs == 1 and _IN_IO500.search(text)):
        problems.append("IOR did not finish: the last line of its output is missing")
    options = [
        (match[1].strip(), match[2].strip())
        for line in text.splitlines()
        if (match := _OPTION.fullmatch(line) or _OLD_OPTION.fullmatch(line))
    ]
    # Without this, the options of the last test would stand for all.
    if (tests := sum(name in ("tasks", "clients") for name, _ in options)) > runs:
        problems.append(
            f"IOR ran {tests} tests, and its table does not tell their rows apart: run one test at"
            " a time, or with -O summaryFormat=JSON"
        )
    table: dict[str, Any] = {
        "Options": _today(dict(options), text),
        "Results": list(_rows(text)),
    }
    try:
        return [IorTest.model_validate(table)], problems
    except ValidationError as error:
        return [], [*problems, f"no table from IOR: {first_error(error)}"]


def _today(options: dict[str, str], text: str) -> dict[str, str]:
    """The options with the names of today: nodes follow from tasks, and old heads have others."""
    if clients := _OLD_CLIENTS.match(options.get("clients", "")):
        options = options | {"tasks": clients[1], "clients per node": clients[2]}
        options["api"] = options.get("api", "").partition(" (version=")[0]
        command = _OLD_COMMAND.search(text)
        if deadline := _OLD_DEADLINE.search(command[1]) if command else None:
            options["stonewallingTime"] = deadline[1]
    tasks, per_node = options.get("tasks", ""), options.get("clients per node", "")
    if "nodes" not in options and tasks.isdecimal() and per_node.isdecimal() and int(per_node):
        options["nodes"] = str(-(-int(tasks) // int(per_node)))
    return options


def _rows(text: str) -> Iterator[dict[str, str]]:
    columns: list[str] = []
    for line in text.splitlines():
        cells = line.split()
        if tuple(cells[:2]) == _HEAD:
            columns = cells
        elif len(cells) == len(columns) and _is_row(cells):
            row = dict(zip(columns, cells, strict=True))
            yield {"access": row["access"], "bwMiB": row["bw(MiB/s)"], "totalTime": row["total(s)"]}


def _is_row(cells: list[str]) -> bool:
    return cells[:1] in (["write"], ["read"]) and all(map(_NUMBER.fullmatch, cells[1:]))


def has_no_rows_by_design(text: str) -> bool:
    """Whether a release before 3.0 printed its summary alone, without the row of a repetition."""
    return _OLD_SUMMARY.search(text) is not None and not any(_rows(text))


def is_csv(text: str) -> bool:
    """Whether a text has a summary in CSV."""
    return any(line.startswith(_CSV_HEAD) for line in text.splitlines())


def is_part(text: str) -> str:
    """Which part of an output a text is that has neither IOR's first line nor a summary.

    Empty if it is no part of IOR's output.
    """
    if any(f",{_CSV_HEAD}" in line for line in text.splitlines()):
        return "a CSV with columns of another program before IOR's"
    return "the rows of a table without its head" if any(_rows(text)) else ""


def from_csv(text: str) -> Iterator[tuple[str, float, str, str]]:
    """The rows of a summary in CSV: access, bandwidth in MiB/s, tasks, and repetition.

    It has nothing else of the options, and no line that says that the run has ended.

    Raises:
        ValueError: a row has other columns than its head, or a figure is no number.
    """
    columns: list[str] = []
    for line in text.splitlines():
        cells = line.split(",")
        if line.startswith(_CSV_HEAD):
            columns = cells
        elif columns and cells[0] in ("write", "read"):
            row = dict(zip(columns, cells, strict=True))
            yield row["access"], float(row["bw(MiB/s)"]), row["numTasks"], row["iter"]
