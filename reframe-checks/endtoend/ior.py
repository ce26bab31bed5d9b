"""Data of all clients together, written and read with IOR by every backend."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Evict, Step, text
from assay.checks.plan import Metric
from assay.shell import RAW, SCRATCH, Text
from assay.subject import Subject
from assay.tools.io500 import HARD_TRANSFER_BYTES
from assay.tools.ior import TOOL, Ior, Stonewall, parse
from assay.tools.output import Parsed, Sample, merged
from assay_check import AssayCheck
from mixins.backends import UsesEachBackend

VERIFIED = "verified"
"""The repetition whose data is compared, and whose figures do not count: comparing takes time."""

SIGNATURE = 271
"""Seed of the data, that of IO500."""


class IorCheck(UsesEachBackend, AssayCheck):
    """Write and read as runs of their own, so that nothing stays in the memory of a process.

    A subject is all clients by one backend: the directory that they share, or DAOS by its library,
    by dfuse and so on. `UsesEachBackend` sees to what that needs: that DAOS is whole before and
    after, that files have a place, which goes away with the job, and that `launch` starts a
    program on all clients with srun and MPI. ReFrame runs one job script for all subjects, whose
    commands are the `steps` of each, one after the other; a step is a command under a time limit
    that leaves its exit status, what it printed, and what it writes to `RAW`. Sanity is that every
    step ended with 0 and that `parsed` finds each sample, and no problem.
    """

    #: Seconds after which IOR stops writing; what was written until then is read.
    stonewall_s = variable(int)

    #: MiB of room in a shared directory, which the deadline does not limit.
    scratch_mib = variable(int)

    def pattern(self, path: Text) -> Ior:
        """How the data lies in the files."""
        raise NotImplementedError

    def steps(self, subject: Subject) -> Sequence[Step | Evict]:
        """Every repetition; what is read from a shared directory has left the page cache."""
        steps: list[Step | Evict] = []
        for name in self.names:
            steps.append(self.write_phase(subject, name))
            if self.backend(subject).name == "posix":
                steps.append(Evict(f"evict.{name}", SCRATCH))
            steps.append(self.read_phase(subject, name))
            steps.append(self.clean_up(subject, name))
        return steps

    @property
    def names(self) -> Iterator[str]:
        """The repetitions: those of the samples, then the one that is verified."""
        yield from map(str, self.times)
        yield VERIFIED

    def write_phase(self, subject: Subject, name: str) -> Step:
        """IOR writes until the deadline, and notes how far it came."""
        run = replace(self.phase_of(subject, name), read=False)
        return self.step(subject, f"write.{name}", run)

    def read_phase(self, subject: Subject, name: str) -> Step:
        """Another client than the one that wrote it reads as much."""
        run = replace(self.phase_of(subject, name), write=False, verify=name == VERIFIED)
        return self.step(subject, f"read.{name}", run)

    def clean_up(self, subject: Subject, name: str) -> Step:
        """The files go away, with whatever they hold, after one transfer that IOR is let write."""
        run = self.run_of(subject)
        return self.step(
            subject, f"clean.{name}", replace(run, block=run.transfer, segments=1, read=False)
        )

    def phase_of(self, subject: Subject, name: str) -> Ior:
        """What the phases of a repetition have in common."""
        return replace(
            self.run_of(subject),
            # IOR wants it of all that share a status file.
            keep=True,
            signature=SIGNATURE if name == VERIFIED else None,
            stonewall=Stonewall(self.stonewall_s, RAW / f"{name}.stonewall"),
        )

    def run_of(self, subject: Subject) -> Ior:
        """IOR with the pattern of the check, by the subject's backend."""
        return replace(
            self.pattern(self.path(subject, "ior")),
            api=self.backend(subject).api,
            dfs=self.dfs(subject),
        )

    def step(self, subject: Subject, name: str, run: Ior) -> Step:
        """A run on all clients, which leaves its summary beside what it printed."""
        program = self.benchmark("ior")
        return Step(
            name,
            # Ranks wear out at the pace of the slowest, and those whose engine dies wait for ever.
            limit_s=60 + 6 * self.stonewall_s,
            program=str(program),
            commands=[self.launch(subject, program, run.command(RAW / f"{name}.json"))],
            parse=parse,
        )

    def needed_mib(self) -> int:
        """Without so much in a shared directory the job refuses to start."""
        return self.scratch_mib

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The samples, and what is wrong with any run, the verified one among them."""
        runs = {
            name: [self.read(subject, raw, f"{access}.{name}") for access in ("write", "read")]
            for name in self.names
        }
        verified = merged(TOOL, runs.pop(VERIFIED))
        counted = merged(TOOL, (run for pair in runs.values() for run in pair))
        return merged(TOOL, [counted, Parsed(TOOL, (), verified.problems)])

    def read(self, subject: Subject, raw: Path, name: str) -> Parsed:
        """The summary of a run, and the warnings that are printed beside it alone."""
        output = "".join(text(raw, name, kind) for kind in ("out", "err", "json"))
        return parse(
            output,
            expected_tasks=self.tasks,
            expected_nodes=len(self.hosts),
            intercepted_by=self.backend(subject).library,
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase: `write` and `read`."""
        return sample.metric == f"{metric.name}_bandwidth"


@rfm.simple_test
class IorEasy(IorCheck):
    """IOR, large transfers: 2 MiB at a time, a file for each process, read by another client."""

    scales = {
        "quick": {"repetitions": 3, "stonewall_s": 2, "scratch_mib": 8192},
        # 30 s as in DAOS's own runs of IO500, whose rules want 300 s.
        "acceptance": {"repetitions": 5, "stonewall_s": 30, "scratch_mib": 65536},
    }

    def pattern(self, path: Text) -> Ior:
        """As IO500 has it; the block only has to be enough."""
        return Ior(path, transfer="2m", block="9920000m")


@rfm.simple_test
class IorHard(IorCheck):
    """IOR, small transfers that fit nothing: 47008 bytes at a time, one file for all processes."""

    scales = {
        "quick": {"repetitions": 3, "stonewall_s": 2, "scratch_mib": 4096},
        "acceptance": {"repetitions": 5, "stonewall_s": 30, "scratch_mib": 32768},
    }

    def pattern(self, path: Text) -> Ior:
        """As IO500 has it; the segments only have to be enough."""
        size = str(HARD_TRANSFER_BYTES)
        return Ior(path, transfer=size, block=size, segments=10_000_000, shared=True)
