"""fio as a steady load on a container of DAOS, whose data is verified block by block.

Each process has two files. `keep` is written as a whole, with a pattern that has the number of the
writing and the offset of the block, and read all the time: a block that is lost, misplaced or of an
earlier writing is found. `load` is written all the time; each block carries its own checksum.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field, ValidationError

from assay.tools.daos.dfs import Dfs
from assay.tools.fio import TOOL
from assay.tools.json_output import json_objects
from assay.tools.output import Parsed, Sample
from assay.tools.text import first_error

BLOCK_MIB = 1
"""MiB of one I/O, which is verified as a whole."""

OVERWRITTEN_S = 60
"""Seconds in which `load` is written anew (own choice). DAOS keeps what is overwritten until it
aggregates it, 20 s later or more: a load without this limit filled its pool within 40 s (seen)."""

LOG = "ASSAY_LOG"
"""The variable of the environment with the beginning of the names of its logs."""


@dataclass(frozen=True, slots=True)
class Load:
    """The files of a client, and how many processes use them."""

    dfs: Dfs
    file_mib: int
    processes: int
    limit_s: int
    """Seconds after which a load ends that nobody ends."""
    depth: int = 4

    def write(self, number: int) -> str:
        """The job file that writes `keep` with a number; the first time also `load`."""
        jobs = [["[keep]", *_keep(number), "rw=write", "do_verify=0"]]
        if number == 1:
            jobs.append(["[load]", "stonewall", *_LOAD, "rw=write", "do_verify=0"])
        return self._file(jobs)

    def run(self, number: int) -> str:
        """The job file that reads `keep`, as written with a number, beside writes of `load`."""
        steady = [
            *("time_based=1", f"runtime={self.limit_s}", "continue_on_error=all"),
            *("log_avg_msec=1000", "bwavgtime=1000", "log_unix_epoch=1"),
        ]
        log = "write_bw_log=${" + LOG + "}"
        return self._file(
            [
                ["[read]", *_keep(number), "rw=read", *steady, f"{log}.read"],
                [
                    "[write]",
                    "new_group",
                    self._rate(),
                    *_LOAD,
                    "rw=write",
                    "do_verify=0",
                    *steady,
                    f"{log}.write",
                ],
            ]
        )

    def verify(self, number: int) -> str:
        """The job file that reads both files once, and compares each block."""
        once = ["rw=read", "continue_on_error=all"]
        return self._file(
            [["[keep]", *_keep(number), *once], ["[load]", "stonewall", *_LOAD, *once]]
        )

    def _rate(self) -> str:
        """The limit of the writes of a process; its reads have none."""
        return f"rate=,{max(1, self.file_mib * 1024 // OVERWRITTEN_S)}k"

    def _file(self, jobs: list[list[str]]) -> str:
        settings = {
            "ioengine": "dfs",
            **self.dfs.fio_options(),
            "size": f"{self.file_mib}m",
            "bs": f"{BLOCK_MIB}m",
            "iodepth": self.depth,
            "numjobs": self.processes,
            # Otherwise a load that is ended leaves a file of each process.
            "verify_state_save": 0,
        }
        head = ["[global]", *(f"{name}={value}" for name, value in settings.items())]
        return "\n\n".join("\n".join(lines) for lines in [head, *jobs]) + "\n"


def _files(name: str) -> str:
    return f"filename_format={name}.${{SLURMD_NODENAME}}.$jobnum"


def _keep(number: int) -> list[str]:
    return [_files("keep"), "verify=pattern", f"verify_pattern=0x{number:08x}%o"]


_LOAD = [_files("load"), "verify=crc32c"]


class _Moved(BaseModel):
    io_bytes: int = Field(ge=0, lt=2**63)


class _Job(BaseModel):
    jobname: str
    error: int
    total_err: int = Field(default=0, ge=0, lt=2**63)
    read: _Moved
    write: _Moved


class _Report(BaseModel):
    jobs: list[_Job] = Field(min_length=1)


def parse(text: str) -> Parsed:
    """Read fio's JSON of a load or of its verification.

    For each process of each job, with the label `job`: `moved` and `whole`, in MiB: what it read
    and wrote, and that without the blocks of failed I/Os; `errors` counts these.
    """
    objects, invalid = json_objects(text)
    if invalid or len(objects) != 1:
        why = invalid or f"there are {len(objects)} JSON objects"
        return Parsed(TOOL, (), (f"no JSON report from fio: {why}",))
    try:
        report = _Report.model_validate(objects[0])
    except ValidationError as error:
        return Parsed(TOOL, (), (f"no JSON report from fio: {first_error(error)}",))
    samples = []
    for job in report.jobs:
        labels = {"job": job.jobname}
        moved = (job.read.io_bytes + job.write.io_bytes) / 2**20
        failed = job.total_err or int(job.error != 0)
        whole = max(0.0, moved - failed * BLOCK_MIB)
        samples += [
            Sample("moved", moved, "MiB", labels),
            Sample("whole", whole, "MiB", labels),
            Sample("errors", float(failed), "IO", labels),
        ]
    return Parsed(TOOL, tuple(samples))
