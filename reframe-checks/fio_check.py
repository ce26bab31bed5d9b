"""The base of the checks that run fio."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reframe.core.builtins import run_before, variable

from assay.campaign.steps import Step
from assay.checks.benchmarks.fio import STEP, FioMetric, phases
from assay.checks.plan import Metric
from assay.shell import RAW, Text
from assay.subject import Subject
from assay.tools import fio
from assay.units import Quantity
from assay_check import AssayCheck
from mixins.files import WritesFiles
from mixins.launch import RunsOnEachHost

SLOWEST_MIB_S = 50
"""The time limits do not allow for a disk slower than this (this project's own choice)."""


def spelled(size: Quantity) -> str:
    """A size of a metric in fio's spelling: ``4k``, ``1m``."""
    return f"{size.value:g}{size.unit[0].lower()}"


class FioCheck(WritesFiles, RunsOnEachHost, AssayCheck):
    """One job file for each subject: it lays out a file, then takes every sample of every metric.

    The phases of the job file are the metrics of the catalogue, and have their names.
    """

    #: MiB of each process's file.
    file_mib = variable(int)

    ioengine: str = "libaio"
    direct: bool = True

    def phase(self, metric: FioMetric) -> fio.Job:
        """The job of a metric."""
        assert metric.direction
        assert metric.transfer
        rw: Mapping[str, fio.Pattern] = (
            {"read": "randread", "write": "randwrite"}
            if metric.random
            else {"read": "read", "write": "write"}
        )
        return fio.Job(
            metric.name,
            rw[metric.direction],
            spelled(metric.transfer),
            depth=self.depth(metric),
            seconds=getattr(self, metric.timed_by) if metric.timed_by else None,
            fsync=metric.fsync,
        )

    def depth(self, metric: Metric) -> int:
        """I/Os in flight in each process."""
        return metric.in_flight or 1

    @property
    def processes(self) -> int:
        """Processes of each job, each with its own file."""
        return 1

    def needed_mib(self) -> int:
        """Space for the files, and some for the overhead of a file system."""
        return self.file_mib * self.processes + 64

    def job_file(self) -> fio.JobFile:
        """The whole job file. Files are written first, since a hole is not read from the device."""
        lay_out = fio.Job("lay_out", "write", "1m", depth=8, fsync=True)
        samples = (
            replace(self.phase(phase), name=f"{phase.name}.{number}")
            for phase in phases(self.entry)
            for number in self.times
        )
        return fio.JobFile(
            size=f"{self.file_mib}m",
            jobs=(lay_out, *samples),
            processes=self.processes,
            engine=self.ioengine,
            direct=self.direct,
            **self.layout(),
        )

    def layout(self) -> dict[str, Any]:
        """The place of the files, and how fio creates them."""
        return {"directory": "${SCRATCH}"}

    @run_before("run")
    def write_the_job_file(self) -> None:
        self.write("samples.fio", [self.job_file().render()])

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run of fio for all samples."""
        program = str(self.program())
        _, *arguments = fio.command("samples.fio", RAW / "fio.json")
        command: list[Text] = [*self.preload(subject), program, *arguments]
        return [
            Step(
                STEP,
                self.patience_s(),
                program=program,
                commands=[command],
                counts_reads=self.entry.reading.counts_reads,
            )
        ]

    def program(self) -> Path:
        """The path of fio."""
        return self.benchmark("fio")

    def preload(self, subject: Subject) -> Sequence[str]:
        """The command that starts fio, if there is one, such as env."""
        del subject
        return []

    def patience_s(self) -> int:
        """Time limit of the job file, in seconds, on the slowest allowed disk."""
        jobs = self.job_file().jobs
        covering = sum(job.seconds is None for job in jobs)
        timed_s = sum(job.seconds or 0 for job in jobs)
        return 60 + timed_s + covering * self.file_mib * self.processes // SLOWEST_MIB_S
