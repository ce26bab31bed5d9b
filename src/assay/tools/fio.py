"""fio, the flexible I/O tester: job files for one file system or device, and its JSON.

Behaviour of 3.33, seen by running it:

- The runtime of a write job with `end_fsync` includes the fsync; its completion latencies do not.
- Runtimes are whole milliseconds: a job of 100 ms is measured to 1 %.
- If a file is missing, fio creates it first, and also **its directory**. So on a mount point with
  nothing mounted, fio measures the disk below, and exits 0.
- Reading holes of a sparse file does not touch the device, and exits 0.
- tmpfs accepts O_DIRECT (Linux 6.6 and newer), but it has no effect there.
- After SIGTERM, fio still writes JSON for the completed part, with errors of 0; SIGKILL leaves an
  empty file.
- fio's own log lines go into the file of `--output`, before the JSON.

The dfs engine of 3.42 has no directories and does not lay out files, and DAOS sends no data for
holes. So files are always written first, from end to end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from assay.shell import Text
from assay.tools import fio_text
from assay.tools.contract import Contract
from assay.tools.daos.dfs import Dfs
from assay.tools.fio_report import JobReport, Report
from assay.tools.json_output import json_objects
from assay.tools.output import Parsed, Sample, impossible
from assay.tools.text import first_error

TOOL = "fio"

KNOWS = Contract(
    TOOL, "2.0 to 3.42", "its JSON (from 2.2), its report for people, and terse version 3"
)

Pattern = Literal["read", "write", "randread", "randwrite"]

_KILLED = re.compile(r"^fio: (?:terminating on signal|pid=\d+, got signal).*", re.MULTILINE)
_LOG = re.compile(r"^fio: .*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Job:
    """One sample of one metric."""

    name: str
    """Phase and number of the sample, such as ``write_1m.3``."""
    rw: Pattern
    block: str
    """Bytes of one I/O in fio's spelling, such as ``4k``."""
    depth: int = 1
    """I/Os in flight in each process."""
    seconds: int | None = None
    """Run time; None: until each file is covered once, which leaves no holes."""
    fsync: bool = False
    """End with fsync, within the measured time."""

    def render(self) -> str:
        """The job's section of the job file."""
        lines = [f"[{self.name}]", "stonewall", f"rw={self.rw}", f"bs={self.block}"]
        lines.append(f"iodepth={self.depth}")
        if self.seconds is not None:
            lines += ["time_based=1", f"runtime={self.seconds}"]
        if self.fsync:
            lines.append("end_fsync=1")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class JobFile:
    """Jobs that run one after the other on the same files; each gives a sample."""

    directory: str
    """An existing directory of the file system to measure; empty for the dfs engine."""
    size: str
    """Size of each process's file in fio's spelling, such as ``64m``."""
    jobs: tuple[Job, ...]
    processes: int = 1
    """Processes of each job, each with a file of its own."""
    engine: str = "libaio"
    direct: bool = True
    """Bypass the page cache (O_DIRECT)."""
    dfs: Dfs | None = None
    """The container, for `engine` dfs."""
    file: str = "fio"
    """Name of the files, to which fio adds a dot and a number; fio itself expands `${NAME}`."""
    threads: bool = False
    """Use threads instead of processes, since otherwise an interception library does not report the
    calls that it took."""
    cpus: str = ""
    """The CPUs of the processes, one for each; fio itself expands `${NAME}`. Empty: all of them."""

    def __post_init__(self) -> None:
        """Refuse combinations that fio would misunderstand.

        Raises:
            ValueError: the engine is dfs and has no container or has a directory, or another
                engine has a container.
        """
        if (self.engine == "dfs") != (self.dfs is not None):
            raise ValueError(
                f"fio's engine {self.engine}: the engine dfs needs a container, and no other"
                " engine takes one"
            )
        if self.dfs and self.directory:
            raise ValueError(f"fio's dfs engine takes no directory {self.directory!r}")

    def render(self) -> str:
        """The job file, which an engineer can also run by hand: ``fio FILE``."""
        place = (
            self.dfs.fio_options()
            if self.dfs
            else {"direct": int(self.direct), "directory": self.directory}
        )
        settings = {
            "ioengine": self.engine,
            **place,
            "filename_format": f"{self.file}.$jobnum",
            "size": self.size,
            "numjobs": self.processes,
            **({"thread": 1} if self.threads else {}),
            **({"cpus_allowed": self.cpus, "cpus_allowed_policy": "split"} if self.cpus else {}),
            "group_reporting": 1,
            # Otherwise each random job uses the same blocks in the same order.
            "randrepeat": 0,
        }
        head = "\n".join(["[global]", *(f"{name}={value}" for name, value in settings.items())])
        return "\n\n".join([head, *(job.render() for job in self.jobs)]) + "\n"


def command(jobfile: str, output: Text) -> list[Text]:
    """Command line that runs a job file and writes its JSON to `output`, apart from log lines."""
    return [TOOL, "--output-format=json", "--output=" + output, jobfile]


def parse(text: str, *, written_here: bool = False) -> Parsed:
    """Read fio's JSON (``json`` or ``json+``), with or without log lines around it or in it.

    Its report for people and its terse lines are read as well, unless `written_here`.

    For each job and direction: `write_bandwidth`, `read_bandwidth` in MiB/s, `write_rate`,
    `read_rate` in IO/s, both over the job's runtime, and the mean completion latency
    `write_latency`, `read_latency` in us if fio measured it. For a job of several processes, the
    figures are those of all processes together if the job file sets `group_reporting`.

    Reports of fio 2 with the options of their jobs are read as well, in their own units: KiB up to
    2.20 and microseconds up to 2.21. A report that does not say its release is refused.

    Labels: `job`, its `phase` (the name up to the last dot), `bs`, `direction`, `bytes` moved.

    Args:
        text: the file of `--output`, or standard output.
        written_here: require that an earlier job of the same run wrote the files that a job
            reads, from end to end. Without it, a sparse file passes, since fio does not report it.
    """
    if form := _unknown(text):
        return KNOWS.unread(form, _needed(form) or "a run with --output-format=json")
    try:
        samples, problems = _read(text, written_here=written_here)
    except _UnknownReleaseError as error:
        form = str(error)
        return KNOWS.unread(form, _needed(form) or "the JSON of one run of fio 3 or newer")
    problems += filter(None, map(impossible, samples))
    if killed := _KILLED.findall(text):
        problems += killed
    elif problems:
        problems += _LOG.findall(text)[-1:]
    return Parsed(TOOL, samples, tuple(problems))


class _UnknownReleaseError(ValueError):
    """The report is of a release whose units or options are not known."""


def _needed(form: str) -> str:
    """What would be needed in place of a form that JSON would not change; empty if it would."""
    if "unified" in form:
        return "a run without it"
    if "lacks" in form:
        return "the JSON as fio prints it"
    return "a run that reads or writes" if "trims" in form else ""


def _has_json(text: str) -> bool:
    return re.search(r"^[ \t]*\"fio version\"|^\{", text, re.MULTILINE) is not None


def _unknown(text: str) -> str:
    """What of an output is not known; empty if it is."""
    if _has_json(text):
        return ""
    if fio_text.is_terse(text):
        return fio_text.unknown_terse(text)
    return fio_text.unknown_report(text) if fio_text.is_report(text) else ""


def _read(text: str, *, written_here: bool) -> tuple[tuple[Sample, ...], list[str]]:
    if not _has_json(text) and not written_here:
        if fio_text.is_terse(text):
            return fio_text.terse_samples(text)
        if fio_text.is_report(text):
            return fio_text.report_samples(text)
    objects, invalid = json_objects(text)
    if invalid or len(objects) != 1:
        why = invalid or f"there are {len(objects)} JSON objects, of more than one run"
        return (), [f"no JSON report from fio: {why}"]
    try:
        report = Report.model_validate(objects[0])
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "value_error":
            raise _UnknownReleaseError(first_error(error)) from error
        # fio prints all its keys at once: somebody took some out, or it is of a release to come.
        if first["type"] == "missing" and "fio version" in objects[0]:
            lost = ".".join(map(str, first["loc"]))
            raise _UnknownReleaseError(f"a report that lacks {lost}") from error
        return (), [f"no JSON report from fio: {first_error(error)}"]
    samples = tuple(sample for job in report.jobs for sample in _samples(job))
    problems = [problem for job in report.jobs if (problem := job.problem())]
    if written_here:
        problems += [
            f"{name}: no earlier job of this run wrote all that it reads; holes are not read"
            " from the device"
            for name in report.unwritten()
        ]
    return samples, problems


def _samples(job: JobReport) -> Iterator[Sample]:
    for direction, done in job.directions().items():
        if not done.io_bytes or not done.runtime:
            continue
        labels = {
            "job": job.name,
            "phase": job.name.rpartition(".")[0] or job.name,
            "bs": job.options.get("bs", "4k"),
            "direction": direction,
            "bytes": str(done.io_bytes),
        }
        seconds = done.runtime / 1000
        yield Sample(f"{direction}_bandwidth", done.io_bytes / seconds / 2**20, "MiB/s", labels)
        yield Sample(f"{direction}_rate", done.total_ios / seconds, "IO/s", labels)
        if done.completion.measured:
            yield Sample(f"{direction}_latency", done.completion.mean / 1000, "us", labels)
