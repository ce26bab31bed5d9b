"""What the checks that run fio share."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reframe.core.builtins import run_before

from assay.campaign.steps import Step, text
from assay.checks.plan import Metric
from assay.shell import RAW
from assay.subject import Subject
from assay.tools import fio
from assay.tools.output import Parsed, Sample
from assay_check import HostCheck

SLOWEST_MIB_S = 50
"""A disk that is slower than this is not waited for (this project's own choice)."""


class FioCheck(HostCheck):
    """One job file a subject: it lays out a file, then takes every sample of every metric.

    The phases of the job file bear the names of the metrics.
    """

    #: MiB of the file, by scale.
    file_mib: Mapping[str, int]
    engine: str = "libaio"
    direct: bool = True

    #: Processes of each job, by scale, each with a file of its own.
    processes: Mapping[str, int] = {"quick": 1, "acceptance": 1}

    def phases(self) -> Iterator[fio.Job]:
        """One job for each metric, named after it; each is repeated for its samples."""
        raise NotImplementedError

    @property
    def scratch_mib(self) -> Mapping[str, int]:
        """Room for the files, and some for what a file system adds."""
        return {scale: mib * self.processes[scale] + 64 for scale, mib in self.file_mib.items()}

    def job_file(self) -> fio.JobFile:
        """The whole job file. What is read was written first: a hole is read from nowhere."""
        lay_out = fio.Job("lay_out", "write", "1m", depth=8, fsync=True)
        return fio.JobFile(
            size=f"{self.file_mib[self.scale]}m",
            jobs=(lay_out, *(self.sample(phase, n) for phase in self.phases() for n in self.times)),
            processes=self.processes[self.scale],
            engine=self.engine,
            direct=self.direct,
            **self.layout(),
        )

    def layout(self) -> dict[str, Any]:
        """Where the files are, and how they are made."""
        return {"directory": "${SCRATCH}"}

    @staticmethod
    def sample(phase: fio.Job, number: int) -> fio.Job:
        """One sample of a phase."""
        return dataclasses.replace(phase, name=f"{phase.name}.{number}")

    @run_before("run")
    def write_the_job_file(self):
        self.write("samples.fio", [self.job_file().render()])

    def steps(self, subject: Subject) -> list[Step]:
        """One run of fio, for all samples."""
        program = str(self.program())
        _, *arguments = fio.command("samples.fio", RAW / "fio.json")
        command = [*self.preload(subject), program, *arguments]
        return [Step("fio", self.patience_s(), program=program, commands=[command])]

    def program(self) -> Path:
        """The fio that is run."""
        return self.cluster.benchmarks.fio

    def preload(self, subject: Subject) -> Sequence[str]:
        """What fio is started by."""
        return []

    def patience_s(self) -> int:
        """How long the job file may take, in seconds, on the slowest disk that is waited for."""
        jobs = self.job_file().jobs
        covering = sum(job.seconds is None for job in jobs)
        timed_s = sum(job.seconds or 0 for job in jobs)
        mib = self.file_mib[self.scale] * self.processes[self.scale]
        return 60 + timed_s + covering * mib // SLOWEST_MIB_S

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """Every figure of the run; one that reads what it did not write is a problem."""
        return fio.parse(text(raw, "fio", "json"), written_here=True)

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase."""
        return sample.labels["phase"] == metric.name
