"""fdb-hammer, ECMWF's benchmark of FDB: processes that write, then read, fields of almost 1 MiB.

Behaviour of 5.22 with the POSIX backend, seen by running it:

- It writes the fields of one step to the process's own data file at the end of the step. It calls
  fdatasync on data, index and table of contents **before** it takes the time after the last I/O,
  so the figure of the write phase includes the disk.
- It reads through the page cache. Between the phases, the files must be evicted from it (`evict` in
  the checks' `steps.sh`). Each index ends in a page that is still dirty, so a sync comes first.
- `--full-check` computes an MD5 sum of every field on both sides, within the measured time: about
  8 ms of CPU for each field written and 3 ms for each field read. If there are fewer cores than
  the processes needed to saturate the storage, the figure is that of the CPU.
- Without `--full-check`, a read that misses fields exits 0; `Fields read` counts the fields.
- It prints nothing before the end, so a killed process leaves no line at all.
- Some parameters make the message longer than the field; here, fields differ in step and level.

With the DAOS backend, according to FDB's source, each database (each key of the schema's first
level) is a container. Each key of the second level is a key-value that its writers share. A field
is an array of the object class S1, without redundancy. Seen with 5.22.0 on DAOS 2.8.0:

- A process that writes correctly prints exceptions, too, about objects that it then creates.
- FDB reads 4 MiB at once. If that is a multiple of the field's size, as with 1 MiB, a read never
  ends: FDB asks for zero bytes after the last one, and `daos_array_read` of zero bytes does not
  return.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.shell import Text, json_text
from assay.tools.contract import Contract
from assay.tools.output import Parsed, Sample

TOOL = "fdb_hammer"

KNOWS = Contract(
    TOOL,
    "the FDB of this project's Spack overlay",
    "the lines of its processes, labelled by `srun --label` if there are several",
)

MEBIBYTE = 1024**2
FIELD_BYTES = MEBIBYTE - 3
"""Bytes of the field that the role `benchmarks` puts on the hosts. Only every 4,194,304th field
ends exactly at the end of FDB's buffer, after which FDB would ask DAOS for zero bytes (see above).
"""

_LABELLED = re.compile(r"^ *(?P<process>\d{1,9}): ?(?P<line>.*)$")
_STEP_MANAGER = re.compile(r"^(?:srun|slurmstepd): error: ")
_REASON = re.compile(r"^(?:Exception|fdb-hammer): (?P<reason>.*)$")
_SOURCE = re.compile(r"(?<! ) *\(/src/\S{1,300}:\d+ [^)]{0,300}\)")
_BYTES = re.compile(r"^Bytes (?P<phase>written|read): (?P<bytes>\d{1,18})$")
_FIRST = re.compile(r"^Timestamp before first IO: (?P<seconds>\d{1,12}\.\d{6,18})$")
_LAST = re.compile(r"^Timestamp after last IO: (?P<seconds>\d{1,12}\.\d{6,18})$")
_GRIB = re.compile(r"^GRIB duration: (?P<seconds>\S+)$")

_ADVICE = {
    "_digest_stored": "what was read is not what was written",
    "No space left on device": "the file system is full",
    "failed to read 1 byte": "none of its fields exists; run the write phase first",
    "Found fewer fields": "some of its fields are missing; did the write phase finish?",
    "daos_pool_connect": "does the pool exist, and do agent and engines answer?",
    "daos_cont_open": "the container of the database does not exist; run the write phase first",
    "No writable roots": "the root is missing, or this user may not write there",
}
"""Explanation of an exception, by a part of its text."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that each process writes and reads; processes do not share fields."""

    per_step: int
    """Fields that are written and flushed to the disk together."""
    steps: int

    @property
    def bytes(self) -> int:
        """Bytes that each process writes to, or reads from, each of its databases."""
        return self.per_step * self.steps * FIELD_BYTES

    def over(self, databases: int) -> Fields:
        """The fields for each database, if each process divides its fields over `databases`."""
        count = max(1, self.per_step * self.steps // databases)
        per_step = min(self.per_step, count)
        return Fields(per_step, count // per_step)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the processes share databases and index key-values."""

    containers: int = 1
    """Databases, each a container on DAOS, among which the processes are divided."""
    separate_index: bool = False
    """An index key-value for each process; needs the schema of the same layout."""
    of_each: int = 1
    """Containers of each process. If there are several, the process shares neither them nor their
    indexes."""

    def keys(self, process: int) -> list[str]:
        """The keys under which a process writes and reads."""
        groups = self.containers // self.of_each
        expver = "assy" if groups == 1 else f"a{process % groups:03d}"
        number = 1 + process if self.separate_index and self.of_each == 1 else 1
        members = [f"--nensembles={self.of_each}", f"--number={number}"]
        return [f"--expver={expver}", "--class=rd", *members]


SHARED = Layout()
"""One database and one index for all processes."""

CONTAINERS = r"^(rd:(assy|a[0-9]+):|assay[.][0-9]+[.][0-9]+$)"
"""Regular expression for the labels of all containers that these commands create: FDB's databases,
and the root containers named by `root_container`."""


def root_container(job: Text, number: int) -> Text:
    """Label of the root container, in which FDB lists the databases of one sample of a job."""
    return "assay." + job + f".{number}"


def schema(layout: Layout) -> str:
    """The schema: keys of the database, of the index, and of the field in the index."""
    first = "class, expver, stream, date, time, domain"
    if layout.of_each > 1:
        return f"[ {first}, number\n    [ type, levtype\n        [ step, levelist, param ]]]\n"
    if layout.separate_index:
        return f"[ {first}\n    [ type, levtype, number\n        [ step, levelist, param ]]]\n"
    return f"[ {first}\n    [ type, levtype\n        [ step, number, levelist, param ]]]\n"


def configuration(root: Text, schema: Text) -> Text:
    """Give the value of FDB5_CONFIG for a database under `root`, an existing directory."""
    return json_text(
        {
            "type": "local",
            "engine": "toc",
            "schema": schema,
            "spaces": [{"roots": [{"path": root}]}],
        }
    )


def daos_configuration(pool: str, root_container: Text, schema: Text) -> Text:
    """Give the value of FDB5_CONFIG for a database in an existing DAOS pool."""
    return json_text(
        {
            "type": "local",
            "engine": "daos",
            "store": "daos",
            "schema": schema,
            "daos": {
                "catalogue": {"pool": pool, "root_cont": root_container},
                "store": {"pool": pool},
            },
        }
    )


def write_command(
    program: str, field: str, process: int, fields: Fields, layout: Layout = SHARED
) -> list[str]:
    """Command of one process of a write phase; `process` is its number, from 0.

    `field` is the path of the GRIB file; FDB5_CONFIG in the environment says where to write.
    """
    return [
        program,
        *layout.keys(process),
        f"--nsteps={fields.steps}",
        f"--nlevels={fields.per_step}",
        f"--level={1 + process * fields.per_step}",
        "--nparams=1",
        "--full-check",
        field,
    ]


def read_command(
    program: str, field: str, process: int, fields: Fields, layout: Layout = SHARED
) -> list[str]:
    """Command that reads and checks the fields that `write_command` wrote with these arguments."""
    program, *arguments = write_command(program, field, process, fields, layout)
    return [program, "--read", *arguments]


@dataclass(frozen=True, slots=True)
class _Result:
    """The result that one process printed at its end."""

    label: str
    phase: Literal["write", "read"]
    bytes: int
    first: float
    last: float
    grib_seconds: str | None

    @property
    def name(self) -> str:
        return _name(self.label)

    @property
    def problem(self) -> str | None:
        if self.bytes == 0:
            return f"{self.name} moved no bytes"
        if self.last <= self.first:
            return (
                f"{self.name} ended at {self.last:f}, which is not after its start at "
                f"{self.first:f}: was the clock changed during the run?"
            )
        return None


def parse(
    text: str,
    *,
    expected_processes: int | None = None,
    expected_bytes: int | None = None,
    started: float | None = None,
    ended: float | None = None,
) -> Parsed:
    """Read the output of all processes of one phase, with the labels of `srun --label`.

    The output of a single process needs no labels. The metrics are

    - ``write_bandwidth`` or ``read_bandwidth`` in MiB/s: the bytes of all processes over the time
      from the first start to the last end;
    - ``process_write_bandwidth`` or ``process_read_bandwidth``: the same for each process;
    - ``write_open`` or ``read_open`` in s: from `started` to the first I/O of the last process.

    Args:
        text: standard output and standard error of all processes.
        expected_processes: required number of processes.
        expected_bytes: required bytes of each process.
        started: when the processes were started, in seconds since the epoch.
        ended: when the last one was waited for. A process that reports a start before `started`,
            or an end after `ended`, is on a host with another clock, which is a problem.
    """
    outputs, unlabelled = _split(text)
    problems = [line for line in unlabelled if _STEP_MANAGER.match(line)]
    if not outputs:
        outputs = {"": unlabelled}

    results: list[_Result] = []
    for label, lines in outputs.items():
        read = _result(label, lines)
        if isinstance(read, str):
            problems.append(read)
        elif read.problem is not None:
            problems.append(read.problem)
        else:
            results.append(read)

    problems += _shortfalls(results, expected_bytes)
    problems += _other_clocks(results, started, ended)
    if expected_processes is not None and len(outputs) != expected_processes:
        problems.append(
            f"{len(outputs)} of {expected_processes} processes printed something; "
            "a killed process prints nothing"
        )
    phases = {result.phase for result in results}
    if len(phases) > 1:
        problems.append("the output contains both phases; pass one at a time")

    samples = list(map(_own_sample, results))
    if len(phases) == 1 and len(results) == len(outputs):
        samples.insert(0, _global_sample(results))
        if started is not None:
            opened = max(result.first for result in results) - started
            samples.append(Sample(f"{results[0].phase}_open", opened, "s"))
    return Parsed(TOOL, tuple(samples), tuple(problems))


def _split(text: str) -> tuple[dict[str, list[str]], list[str]]:
    """Lines by the label of their process, and the lines without a label."""
    outputs: dict[str, list[str]] = {}
    unlabelled = []
    for line in text.splitlines():
        if match := _LABELLED.match(line):
            outputs.setdefault(str(int(match["process"])), []).append(match["line"])
        else:
            unlabelled.append(line)
    return dict(sorted(outputs.items(), key=lambda item: int(item[0]))), unlabelled


def _name(label: str) -> str:
    return f"process {label}" if label else "the process"


def _result(label: str, lines: list[str]) -> _Result | str:
    """Give the result that a process printed at its end, or the reason why there is none."""
    name = _name(label)
    moved = list(_matches(_BYTES, lines))
    first = list(_matches(_FIRST, lines))
    last = list(_matches(_LAST, lines))
    if not (moved and first and last):
        # An exception alone is no failure: with DAOS, it tells FDB which objects to create.
        for match in _matches(_REASON, lines):
            return _failure(name, match["reason"])
        return f"{name} did not print its bytes and both timestamps: it did not finish"
    if len(moved) > 1 or len(first) > 1 or len(last) > 1:
        return f"{name} printed {len(moved)} results; several processes need `srun --label`"
    grib = next(_matches(_GRIB, lines), None)
    return _Result(
        label,
        "write" if moved[0]["phase"] == "written" else "read",
        int(moved[0]["bytes"]),
        float(first[0]["seconds"]),
        float(last[0]["seconds"]),
        grib["seconds"] if grib else None,
    )


def _matches(pattern: re.Pattern[str], lines: list[str]) -> Iterator[re.Match[str]]:
    return filter(None, map(pattern.match, lines))


def _failure(name: str, reason: str) -> str:
    advice = next((words for part, words in _ADVICE.items() if part in reason), None)
    return f"{name} failed: {_SOURCE.sub('', reason).strip()}" + (f": {advice}" if advice else "")


def _shortfalls(results: list[_Result], expected_bytes: int | None) -> Iterator[str]:
    """Report processes that moved another number of bytes than expected, or fewer than others."""
    most = max((result.bytes for result in results), default=0)
    for result in results:
        if expected_bytes is not None and result.bytes != expected_bytes:
            yield f"{result.name} moved {result.bytes} bytes instead of {expected_bytes}"
        elif expected_bytes is None and result.bytes < most:
            yield f"{result.name} moved {result.bytes} bytes, but others moved {most}"


def _other_clocks(
    results: list[_Result], started: float | None, ended: float | None
) -> Iterator[str]:
    """Report processes on hosts with another clock than the host that started them."""
    for result in results:
        early = started is not None and result.first < started
        if early or (ended is not None and result.last > ended):
            when = "began before it was started" if early else "ended after it was waited for"
            yield f"{result.name} {when}, by the clock of its host: synchronize the hosts' clocks"


def _own_sample(result: _Result) -> Sample:
    labels = {"process": result.label or "0"}
    if result.grib_seconds is not None:
        labels["grib_seconds"] = result.grib_seconds
    bandwidth = result.bytes / MEBIBYTE / (result.last - result.first)
    return Sample(f"process_{result.phase}_bandwidth", bandwidth, "MiB/s", labels)


def _global_sample(results: list[_Result]) -> Sample:
    moved = sum(result.bytes for result in results)
    seconds = max(result.last for result in results) - min(result.first for result in results)
    return Sample(
        f"{results[0].phase}_bandwidth",
        moved / MEBIBYTE / seconds,
        "MiB/s",
        {"processes": str(len(results)), "bytes": str(moved), "seconds": f"{seconds:.6f}"},
    )
