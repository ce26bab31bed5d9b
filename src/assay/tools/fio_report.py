"""fio's JSON report as a model: the options of each job, and its results."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from assay.tools.daos.daos_log import meaning

_SIZE = re.compile(r"(\d{1,18})([kmgt]?)(?:i?b)?", re.IGNORECASE)
_POWER = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_TIME = re.compile(r"(\d{1,18})(us|ms|s|m|h|)")
_SECONDS = {"": 1.0, "s": 1.0, "us": 1e-6, "ms": 1e-3, "m": 60.0, "h": 3600.0}
_DIRECTIONS = {
    "read": ("read",),
    "randread": ("read",),
    "write": ("write",),
    "randwrite": ("write",),
}

_Count = Annotated[int, Field(ge=0, lt=2**64)]

_RELEASE = re.compile(r"fio-(\d{1,4})\.(\d{1,4})(?:[.-][\w.-]{1,40})?")
_BYTES_SINCE = (2, 21)
"""The first release whose `io_bytes` are bytes, in place of KiB (stat.c of 2.20 and 2.21)."""
_NANOSECONDS_SINCE = (2, 99)
"""The first release with `clat_ns`, in place of `clat` in us (stat.c of 2.21 and 2.99)."""


class Latency(BaseModel):
    """Latencies of one kind, in nanoseconds."""

    mean: float = 0.0
    count: int | None = Field(default=None, alias="N")
    """How many I/Os were timed; None where fio does not print it (3.17 and older)."""

    @property
    def measured(self) -> bool:
        """Whether fio timed any I/O; it prints a mean of 0 if not."""
        return self.mean > 0 if self.count is None else self.count > 0


class Transfers(BaseModel):
    """The reads of a job, or its writes."""

    io_bytes: _Count
    total_ios: _Count
    runtime: _Count
    """Milliseconds."""
    completion: Latency = Field(default_factory=Latency, alias="clat_ns")


class JobReport(BaseModel):
    """One job with its options and its results."""

    name: str = Field(alias="jobname")
    error: Annotated[int, Field(ge=-(2**31), lt=2**32)]
    options: dict[str, str] = Field(alias="job options")
    read: Transfers
    write: Transfers

    def directions(self) -> Mapping[str, Transfers]:
        """The directions that the job was given, without the reads that verify its own writes."""
        names = _DIRECTIONS.get(self.options.get("rw", "read"), ("read", "write"))
        both = {"read": self.read, "write": self.write}
        return {name: both[name] for name in names}

    def expected_bytes(self) -> int | None:
        """Bytes that a job without a time limit must move; None if they are unknown."""
        size = _SIZE.fullmatch(self.options.get("io_size", self.options.get("size", "")))
        if not size or "runtime" in self.options:
            return None
        together = self.options.get("group_reporting", "0") != "0"
        processes = _SIZE.fullmatch(self.options.get("numjobs", "1")) if together else None
        times = int(processes[1]) if processes else 1
        return (int(size[1]) << _POWER[size[2].lower()]) * times

    def seconds(self) -> float | None:
        """Required run time of a time-based job; None for other jobs."""
        time = _TIME.fullmatch(self.options.get("runtime", ""))
        if not time or self.options.get("time_based", "0") == "0":
            return None
        return int(time[1]) * _SECONDS[time[2]]

    def files(self) -> tuple[str, ...]:
        """Key of the job's files, which differs from that of other files."""
        place = [self.options.get(key, "") for key in ("pool", "cont", "directory")]
        names = [self.options.get(key, "") for key in ("filename", "filename_format")]
        return (*place, *names, "" if any(names) else self.name)

    def problem(self) -> str | None:
        """Why the job is no measurement; None if it is one."""
        if self.error:
            return f"{self.name}: {_meaning(self.error)}"
        moved = sum(done.io_bytes for done in self.directions().values())
        longest = max(done.runtime for done in self.directions().values()) / 1000
        expected, asked = self.expected_bytes(), self.seconds()
        if not moved or not longest:
            return (
                f"{self.name}: moved {moved} bytes in {longest:g} s; it did not run, or not for"
                " long enough"
            )
        if expected and moved < expected:
            return f"{self.name}: moved {moved} of {expected} bytes; it was cut short"
        if asked and longest < 0.99 * asked:
            return f"{self.name}: ran for {longest:g} s of {asked:g} s; it was cut short"
        return None


class Report(BaseModel):
    """One run of fio."""

    common: dict[str, str] = Field(default_factory=dict, alias="global options")
    jobs: list[JobReport] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _in_units_of_today(cls, data: Any) -> Any:
        """Give a report of an older release the names and units of fio 3.

        Raises:
            ValueError: the release is unknown, and with it the unit of `io_bytes`; or it is one
                that does not print the options of its jobs; or it is another kind of report.
        """
        if isinstance(data, dict) and "client_stats" in data:
            raise ValueError("a report of fio's clients (--client)")
        if not isinstance(data, dict) or not isinstance(jobs := data.get("jobs"), list):
            return data
        if any(isinstance(job, dict) and "mixed" in job for job in jobs):
            raise ValueError("reads and writes reported together (unified_rw_reporting)")
        if any("trim" in _pattern(job, data.get("global options")) for job in jobs):
            raise ValueError("a job that trims")
        release = _RELEASE.fullmatch(str(data.get("fio version", "")))
        if not release:
            raise ValueError("a report without its release, so the unit of io_bytes")
        version = int(release[1]), int(release[2])
        if version >= _NANOSECONDS_SINCE:
            return data
        if not any(isinstance(job, dict) and "job options" in job for job in jobs):
            raise ValueError(f"a report of {data['fio version']}, without the options of its jobs")
        return data | {"jobs": [_modern_job(job, version) for job in jobs]}

    def model_post_init(self, _context: object) -> None:
        """Give each job the global options."""
        for job in self.jobs:
            job.options = self.common | job.options

    def unwritten(self) -> Iterator[str]:
        """The jobs that read files without an earlier job that wrote them from end to end."""
        written: set[tuple[str, ...]] = set()
        for job in self.jobs:
            expected = job.expected_bytes()
            if "read" in job.directions() and job.files() not in written:
                yield job.name
            elif expected and job.write.io_bytes >= expected:
                written.add(job.files())


def _pattern(job: Any, common: Any) -> str:
    """The option `rw` of a job, or of all; empty if it has none."""
    for options in (job.get("job options") if isinstance(job, dict) else None, common):
        if isinstance(options, dict) and "rw" in options:
            return str(options["rw"])
    return ""


def _modern_job(job: Any, version: tuple[int, int]) -> Any:
    if not isinstance(job, dict):
        return job
    both = {name: _modern(job.get(name), version) for name in ("read", "write") if name in job}
    return job | both


def _modern(done: Any, version: tuple[int, int]) -> Any:
    """The reads or writes of a job, in bytes and nanoseconds."""
    if not isinstance(done, dict):
        return done
    modern = dict(done)
    if version < _BYTES_SINCE and isinstance(moved := done.get("io_bytes"), int):
        modern["io_bytes"] = moved * 1024
    if isinstance(latency := done.get("clat"), dict):
        mean = latency.get("mean", 0.0)
        modern["clat_ns"] = {"mean": mean * 1000 if isinstance(mean, (int, float)) else mean}
    return modern


def _meaning(error: int) -> str:
    if error == errno.EILSEQ:
        return "verify failed: what was read is not what was written"
    if error < 2**31:
        return os.strerror(error)
    # fio's engines have their own negative codes (DAOS: -1005), printed as unsigned numbers.
    code = error - 2**32
    return f"error {code} of the engine ({meaning(str(code))})"
