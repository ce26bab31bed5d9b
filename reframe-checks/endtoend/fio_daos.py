"""Data of each client, written and read with fio through DAOS's library and through dfuse."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import reframe as rfm

from assay.backends import backend_of, container, library_directory
from assay.steps import printed
from assay.tools.fio import TOOL, Job, JobFile
from assay.tools.interception import environment
from assay.tools.interception import problems as not_intercepted
from assay.tools.output import Parsed, merged
from daos_check import SystemCheck
from fio_check import FioCheck

SECONDS = {"quick": 2, "acceptance": 30}
"""How long each phase of small I/Os goes on."""


class FioDaosCheck(SystemCheck, FioCheck):
    """A file for each process; all of it is written before anything is read."""

    uses_container = True
    repetitions = {"quick": 3, "acceptance": 5}
    file_mib = {"quick": 64, "acceptance": 4096}
    processes = {"quick": 2, "acceptance": 16}

    #: I/Os under way at once in each process; the phase of the latency has one.
    depth = 1

    def phases(self) -> Iterator[Job]:
        """1 MiB over the whole file, then 4 KiB for a time."""
        seconds = SECONDS[self.scale]
        yield Job("write_1m", "write", "1m", depth=self.depth)
        yield Job("read_1m", "read", "1m", depth=self.depth)
        yield Job("randwrite_4k", "randwrite", "4k", depth=self.depth, seconds=seconds)
        yield Job("randread_4k", "randread", "4k", depth=self.depth, seconds=seconds)
        yield Job("latency_4k", "randread", "4k", seconds=seconds)


@rfm.simple_test
class FioDfs(FioDaosCheck):
    """fio's dfs engine: 1 MiB and 4 KiB, 16 under way in each process, and the latency of one."""

    engine = "dfs"
    depth = 16

    #: A container has no room that `df` could tell.
    scratch_mib = {}

    def program(self) -> Path:
        """The fio that has the engine."""
        return self.cluster.benchmarks.fio_dfs

    def layout(self) -> dict[str, Any]:
        """In the container; the engine knows no directories, so each client has its own names."""
        return {
            "directory": "",
            "dfs": container(self.cluster),
            "file": "assay.${SLURM_JOB_ID}.${SLURMD_NODENAME}",
        }

    def job_file(self) -> JobFile:
        """The last job takes the files away."""
        whole = super().job_file()
        *first, last = whole.jobs
        return replace(whole, jobs=(*first, replace(last, unlink=True)))


@rfm.simple_test
class FioDfuse(FioDaosCheck):
    """fio on a dfuse mount: 1 MiB and 4 KiB, with and without each interception library."""

    #: The libraries take these calls, and report what they took of threads alone.
    engine = "psync"

    def directory(self, subject: str) -> Path:
        """The mount."""
        return self.cluster.daos.mount

    def guards(self, subject: str) -> Sequence[str]:
        """It is there."""
        return [*super().guards(subject), f"on_dfuse {self.directory(subject)}"]

    def layout(self) -> dict[str, Any]:
        """Threads of one process."""
        return {**super().layout(), "threads": True}

    def preload(self, subject: str) -> Sequence[str]:
        """The interception library, if this is one."""
        library = backend_of(subject).library
        if library is None:
            return []
        variables = environment(library, str(library_directory(self.cluster)))
        return ["env", *(f"{name}={value}" for name, value in variables.items())]

    def parsed(self, subject: str, raw: Path) -> Parsed:
        """The figures, and whether the library took any calls."""
        found = super().parsed(subject, raw)
        library = backend_of(subject).library
        if library is None:
            return found
        (step,) = self.steps(subject)
        wrong = tuple(not_intercepted(printed(raw, step), library, processes=1))
        return merged(TOOL, [found, Parsed(TOOL, (), wrong)])
