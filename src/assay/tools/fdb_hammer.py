"""fdb-hammer, ECMWF's benchmark of FDB: processes that write, then read, fields of almost 1 MiB.

What 5.22 does with the POSIX backend, seen by running it:

- It writes the fields of one step to the process's own data file at the end of the step, and calls
  fdatasync on data, index and table of contents **before** it takes the time after the last I/O:
  the figure of the write phase includes the disk.
- It reads through the page cache. Between the phases the files have to leave it (`evict` in the
  checks' `steps.sh`); each index ends in a page that is still dirty, hence a sync before.
- `--full-check` computes an MD5 sum of every field on both sides, within the measured time: a
  process spends about 8 ms of CPU on a field when it writes and 3 ms when it reads. Where there
  are fewer cores than the storage needs processes, the figure is the CPU's.
- A read that misses fields exits 0 without `--full-check`, and counts them in `Fields read`.
- Nothing is printed before the end: a process that was killed leaves no line at all.
- Some parameters make the message longer than the field; fields differ in step and level here.

The DAOS backend, by FDB's source: each database, that is each key of the schema's first level, is a
container of its own, and each key of the second level a key-value that its writers share. A field
is an array of the object class S1, without redundancy. Seen with 5.22.0 on DAOS 2.8.0:

- A process that writes well prints exceptions too, of what it then makes.
- A field that fits a whole number of times into the 4 MiB that FDB reads at once, as one of 1 MiB
  does, is never read to the end: FDB asks for zero bytes after its last one, and
  `daos_array_read` of zero bytes does not return.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.shell import Text, json_text
from assay.tools.output import Parsed, Sample

TOOL = "fdb_hammer"

MEBIBYTE = 1024**2
FIELD_BYTES = MEBIBYTE - 3
"""Bytes of the field that the role `benchmarks` puts on the hosts. Only every 4,194,304th of them
ends where FDB's buffer does, after which FDB would ask DAOS for no bytes (see above)."""

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
    "failed to read 1 byte": "none of its fields is there; run the write phase first",
    "Found fewer fields": "some of its fields are missing; did the write phase finish?",
    "daos_pool_connect": "is the pool there, and do agent and engines answer?",
    "daos_cont_open": "the container of the database is not there; run the write phase first",
    "No writable roots": "the root is missing, or this user may not write there",
}
"""What to make of an exception, by a part of its text."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that each process writes and reads; no two processes have one in common."""

    per_step: int
    """Fields that are written, and brought to the disk, at once."""
    steps: int

    @property
    def bytes(self) -> int:
        """Bytes that each process moves, to or from each of its databases."""
        return self.per_step * self.steps * FIELD_BYTES

    def over(self, databases: int) -> Fields:
        """As many fields as nearly come out even, dealt over so many databases of each process."""
        count = max(1, self.per_step * self.steps // databases)
        per_step = min(self.per_step, count)
        return Fields(per_step, count // per_step)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the processes share databases and index key-values."""

    containers: int = 1
    """Databases, each a container on DAOS, over which the processes are dealt."""
    separate_index: bool = False
    """An index key-value for each process; needs the schema of the same."""
    of_each: int = 1
    """Containers that each process writes to; several it has to itself, and so their indexes."""

    def keys(self, process: int) -> list[str]:
        """The keys that a process writes and reads under."""
        groups = self.containers // self.of_each
        expver = "assy" if groups == 1 else f"a{process % groups:03d}"
        number = 1 + process if self.separate_index and self.of_each == 1 else 1
        members = [f"--nensembles={self.of_each}", f"--number={number}"]
        return [f"--expver={expver}", "--class=rd", *members]


SHARED = Layout()
"""One database and one index for all."""

CONTAINERS = r"^(rd:(assy|a[0-9]+):|assay[.][0-9]+[.][0-9]+$)"
"""The labels, as a regular expression, of the containers that FDB makes for these commands, whose
root containers are `root_container`s."""


def root_container(job: Text, number: int) -> Text:
    """Label of the container in which FDB lists the databases of one sample of a job."""
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
    """Give the value of FDB5_CONFIG for a database under `root`, a directory that is there."""
    return json_text(
        {
            "type": "local",
            "engine": "toc",
            "schema": schema,
            "spaces": [{"roots": [{"path": root}]}],
        }
    )


def daos_configuration(pool: str, root_container: Text, schema: Text) -> Text:
    """Give the value of FDB5_CONFIG for a database in a DAOS pool that is there."""
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
    """Command of the process number `process`, from 0, of a write phase.

    `field` is the path of the GRIB file; FDB5_CONFIG in the environment says where it writes.
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
    """Command that reads, and checks, what `write_command` with the same arguments wrote."""
    program, *arguments = write_command(program, field, process, fields, layout)
    return [program, "--read", *arguments]


@dataclass(frozen=True, slots=True)
class _Result:
    """What one process printed at its end."""

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
                f"{self.first:f}; was the clock set during the run?"
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
    """Read the output of all processes of one phase, labelled as by `srun --label`.

    The output of a single process may go without labels. `expected_bytes` are those of one
    process. ``write_bandwidth`` or ``read_bandwidth`` is that of all processes together: their
    bytes over the time from the first start to the last end. A process alone gives
    ``process_write_bandwidth`` or ``process_read_bandwidth``. ``write_open`` or ``read_open``
    are the seconds from `started`, in seconds since the epoch, to the last one's first I/O. A
    process that says to have begun before it, or to have ended after `ended`, has another clock.
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
            "one that is killed prints nothing"
        )
    phases = {result.phase for result in results}
    if len(phases) > 1:
        problems.append("the output holds both phases; give one at a time")

    samples = list(map(_own_sample, results))
    if len(phases) == 1 and len(results) == len(outputs):
        samples.insert(0, _global_sample(results))
        if started is not None:
            opened = max(result.first for result in results) - started
            samples.append(Sample(f"{results[0].phase}_open", opened, "s"))
    return Parsed(TOOL, tuple(samples), tuple(problems))


def _split(text: str) -> tuple[dict[str, list[str]], list[str]]:
    """Lines by the label of their process, and the lines without one."""
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
    """Give what a process printed at its end, or why that is no result."""
    name = _name(label)
    moved = list(_matches(_BYTES, lines))
    first = list(_matches(_FIRST, lines))
    last = list(_matches(_LAST, lines))
    if not (moved and first and last):
        # An exception alone is no failure: with DAOS it is how FDB learns what it has to make.
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
    """Processes that moved other than they were asked, or less than the others."""
    most = max((result.bytes for result in results), default=0)
    for result in results:
        if expected_bytes is not None and result.bytes != expected_bytes:
            yield f"{result.name} moved {result.bytes} bytes; {expected_bytes} were asked for"
        elif expected_bytes is None and result.bytes < most:
            yield f"{result.name} moved {result.bytes} bytes, others {most}"


def _other_clocks(
    results: list[_Result], started: float | None, ended: float | None
) -> Iterator[str]:
    """Processes whose host's clock is not that of the host which started them."""
    for result in results:
        early = started is not None and result.first < started
        if early or (ended is not None and result.last > ended):
            when = "began before it was started" if early else "ended after it was waited for"
            yield f"{result.name} {when}, by the clock of its host: let the hosts agree on the time"


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
