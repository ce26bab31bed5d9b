"""Data of all clients together, written and read with IOR by every way to the storage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Evict, Step, text
from assay.checks.plan import Metric
from assay.shell import RAW, SCRATCH, Text
from assay.subject import Subject
from assay.tools.io500 import HARD_TRANSFER_BYTES
from assay.tools.ior import TOOL, Run, Stonewall, parse
from assay.tools.output import Parsed, Sample, merged
from mpi_check import STONEWALL_S, BackendCheck

VERIFIED = "verified"
"""The repetition whose data is compared, and whose figures do not count: comparing takes time."""

SIGNATURE = 271
"""Seed of the data, that of IO500."""


class IorCheck(BackendCheck):
    """Write and read as runs of their own, so that nothing stays in the memory of a process."""

    repetitions = {"quick": 3, "acceptance": 5}

    def pattern(self, path: Text) -> Run:
        """How the data lies in the files."""
        raise NotImplementedError

    @property
    def names(self) -> Iterator[str]:
        """The repetitions: those of the samples, then the one that is verified."""
        yield from map(str, self.times)
        yield VERIFIED

    def steps(self, subject: Subject) -> Sequence[Step | Evict]:
        """Every repetition; what is read from a shared directory has left the page cache."""
        steps: list[Step | Evict] = []
        for name in self.names:
            steps.append(self.one(subject, "write", name))
            if self.backend(subject).name == "posix":
                steps.append(Evict(f"evict.{name}", SCRATCH))
            steps += [self.one(subject, "read", name), self.clean(subject, name)]
        return steps

    def one(self, subject: Subject, access: str, name: str) -> Step:
        """One run of a repetition."""
        writes, verified = access == "write", name == VERIFIED
        return self.launched(
            subject,
            f"{access}.{name}",
            write=writes,
            read=not writes,
            # IOR wants it of all that share a status file.
            keep=True,
            verify=verified and not writes,
            signature=SIGNATURE if verified else None,
            stonewall=Stonewall(STONEWALL_S[self.scale], RAW / f"{name}.stonewall"),
        )

    def clean(self, subject: Subject, name: str) -> Step:
        """The files go away, with whatever they hold, after one transfer that IOR is let write."""
        transfer = self.pattern("").transfer
        return self.launched(subject, f"clean.{name}", block=transfer, segments=1, read=False)

    def launched(self, subject: Subject, name: str, **options) -> Step:
        """One run of IOR, which leaves its summary beside what it printed."""
        run = replace(
            self.pattern(self.path(subject, "ior")),
            api=self.backend(subject).api,
            dfs=self.dfs(subject),
            **options,
        )
        program = self.cluster.benchmarks.ior
        command = run.command(RAW / f"{name}.json")
        return Step(
            name,
            # Ranks wear out at the pace of the slowest, and those whose engine dies wait for ever.
            limit_s=60 + 6 * STONEWALL_S[self.scale],
            program=str(program),
            commands=[self.launch(subject, program, command)],
            parse=parse,
        )

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
        said = "".join(text(raw, name, kind) for kind in ("out", "err", "json"))
        return parse(
            said,
            expected_tasks=self.tasks,
            expected_nodes=len(self.hosts),
            intercepted_by=self.backend(subject).library,
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase."""
        return sample.metric == f"{metric.name}_bandwidth"


@rfm.simple_test
class IorEasy(IorCheck):
    """IOR, large transfers: 2 MiB at a time, a file for each process, read by another client."""

    #: Room in a shared directory, which the deadline does not limit.
    scratch_mib: Mapping[str, int] = {"quick": 8192, "acceptance": 65536}

    def pattern(self, path: Text) -> Run:
        """As IO500 has it; the block only has to be enough."""
        return Run(path, transfer="2m", block="9920000m")


@rfm.simple_test
class IorHard(IorCheck):
    """IOR, small transfers that fit nothing: 47008 bytes at a time, one file for all processes."""

    scratch_mib: Mapping[str, int] = {"quick": 4096, "acceptance": 32768}

    def pattern(self, path: Text) -> Run:
        """As IO500 has it; the segments only have to be enough."""
        size = str(HARD_TRANSFER_BYTES)
        return Run(path, transfer=size, block=size, segments=10_000_000, shared=True)
