"""Data of each client, written and read with fio through DAOS's library and through dfuse."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import reframe as rfm

from assay.campaign.steps import printed
from assay.checks.backends import backend_of, container, library_directory
from assay.checks.fio import PROCESSES
from assay.shell import JOB, Variable
from assay.subject import Subject
from assay.tools.fio import TOOL, Job
from assay.tools.interception import environment
from assay.tools.interception import problems as not_intercepted
from assay.tools.output import Parsed, merged
from assay_check import Commands
from daos_check import SystemCheck, in_container
from fio_check import FioCheck

SECONDS = {"quick": 2, "acceptance": 30}
"""How long each phase of small I/Os goes on."""

NAME = "assay." + JOB + "." + Variable("SLURMD_NODENAME")
"""What the files of a client in the container are called, and a number."""


class FioDaosCheck(SystemCheck, FioCheck):
    """A file for each process; all of it is written before anything is read."""

    uses_container = True
    repetitions = {"quick": 3, "acceptance": 5}
    file_mib = {"quick": 64, "acceptance": 4096}
    processes = PROCESSES

    def phases(self) -> Iterator[Job]:
        """1 MiB over the whole file, then 4 KiB for a time; for the latency one at a time."""
        seconds, depth = SECONDS[self.scale], self.entry.metric("write_1m").in_flight
        yield Job("write_1m", "write", "1m", depth=depth)
        yield Job("read_1m", "read", "1m", depth=depth)
        yield Job("randwrite_4k", "randwrite", "4k", depth=depth, seconds=seconds)
        yield Job("randread_4k", "randread", "4k", depth=depth, seconds=seconds)
        yield Job("latency_4k", "randread", "4k", seconds=seconds)


@rfm.simple_test
class FioDfs(FioDaosCheck):
    """fio's dfs engine: 1 MiB and 4 KiB, 16 under way in each process, and the latency of one."""

    engine = "dfs"

    def program(self) -> Path:
        """The fio that has the engine."""
        return self.cluster.benchmarks.fio_dfs

    def layout(self) -> dict[str, Any]:
        """In the container; the engine knows no directories, so each client has its own names."""
        return {
            "directory": "",
            "dfs": container(self.cluster),
            # fio's own way to say what is in its environment.
            "file": "assay.${SLURM_JOB_ID}.${SLURMD_NODENAME}",
        }

    def room(self, subject: Subject) -> Commands:
        """A container has no room that `df` could tell.

        fio takes a file away twice, which its engine calls an error.
        """
        del subject
        return [in_container(self.cluster, NAME)]


@rfm.simple_test
class FioDfuse(FioDaosCheck):
    """fio on a dfuse mount: 1 MiB and 4 KiB, with and without each interception library."""

    #: The libraries take these calls, and report what they took of threads alone.
    engine = "psync"

    def directory(self, subject: Subject) -> Path:
        """The mount."""
        return self.cluster.daos.mount

    def guards(self, subject: Subject) -> Commands:
        """It is there."""
        return [*super().guards(subject), ["on_dfuse", str(self.directory(subject))]]

    def layout(self) -> dict[str, Any]:
        """Threads of one process."""
        return {**super().layout(), "threads": True}

    def preload(self, subject: Subject) -> Sequence[str]:
        """The interception library, if this is one."""
        library = backend_of(subject).library
        if library is None:
            return []
        variables = environment(library, str(library_directory(self.cluster)))
        return ["env", *(f"{name}={value}" for name, value in variables.items())]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The figures, and whether the library took any calls."""
        found = super().parsed(subject, raw)
        library = backend_of(subject).library
        if library is None:
            return found
        (step,) = self.steps(subject)
        wrong = tuple(not_intercepted(printed(raw, step), library, processes=1))
        return merged(TOOL, [found, Parsed(TOOL, (), wrong)])
