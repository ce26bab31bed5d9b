"""Data of all clients together, written and read with IOR by every backend."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Evict, Step
from assay.checks.benchmarks.ior import SIGNATURE, VERIFIED, repetitions
from assay.shell import RAW, SCRATCH, Text
from assay.subject import Subject
from assay.tools.io500 import EASY_BLOCK, HARD_TRANSFER_BYTES
from assay.tools.ior import Ior, Stonewall, parse
from assay_check import AssayCheck
from mixins.backends import UsesEachBackend


class IorCheck(UsesEachBackend, AssayCheck):
    """The bandwidth of all clients together: the metrics `write` and `read`, in MiB/s.

    The catalogue, `assay.checks.benchmarks.ior`, has under the name of the class: the limits of the
    metrics, the variables of each scale (`-S` takes precedence), and how outputs become samples. A
    subject is one backend: `posix`, a directory that all clients share, or DAOS through its
    library, through dfuse and so on.

    ReFrame runs one job script for all subjects, which executes the `steps` of one subject after
    the other. A `Step` is a command under a time limit; its exit status, its output and its files
    in `RAW` are kept. `AssayCheck` has the sanity function: every step ended with 0, and the
    outputs contain every sample of each metric and no problem. The samples are the performance
    values.

    `UsesEachBackend` requires the same healthy DAOS before and after the job, creates a directory
    for the files that is removed with the job, and starts a program on all clients with srun
    (`launch`).
    """

    #: Seconds after which IOR stops writing. It later reads the same amount.
    stonewall_s = variable(int)

    #: MiB that must be free in a shared directory. The deadline does not limit what is written.
    scratch_mib = variable(int)

    def pattern(self, path: Text) -> Ior:
        """IOR with the options of the access pattern, for files at `path`."""
        raise NotImplementedError

    def steps(self, subject: Subject) -> Sequence[Step | Evict]:
        """In each repetition, one run of IOR writes, the next reads, and the last cleans up.

        The runs are separate, so that no process still has the data in its memory. A shared
        directory is also evicted from the page cache.
        """
        steps: list[Step | Evict] = []
        for name in repetitions(self.repetitions):
            run = self.repetition(subject, name)
            steps.append(self.step(subject, f"write.{name}", replace(run, read=False)))
            if self.backend(subject).name == "posix":
                steps.append(Evict(f"evict.{name}", SCRATCH))
            read = replace(run, write=False, verify=name == VERIFIED)
            steps.append(self.step(subject, f"read.{name}", read))
            steps.append(self.clean(subject, f"clean.{name}"))
        return steps

    def repetition(self, subject: Subject, name: str) -> Ior:
        """A run that writes until the deadline, and reads the same amount on another client."""
        return replace(
            self.within_share(subject, self.ior(subject)),
            # IOR requires this for runs that share a status file.
            keep=True,
            signature=SIGNATURE if name == VERIFIED else None,
            stonewall=Stonewall(self.stonewall_s, RAW / f"{name}.stonewall"),
        )

    def written_bytes(self) -> int:
        """A single transfer of each rank, if a backend is in DAOS: IOR cannot write less."""
        runs = map(self.ior, self.in_daos)
        return max((self.tasks * _transfer_bytes(run) for run in runs), default=0)

    def within_share(self, subject: Subject, run: Ior) -> Ior:
        """The same run with files that fit into the share of a pool that somebody else owns."""
        allowed = self.most_bytes(subject)
        if allowed is None:
            return run
        each = int(allowed / self.tasks)
        if run.segments > 1:
            return replace(run, segments=min(run.segments, each // int(run.block)))
        mib = each // 2**20 // 2 * 2
        return replace(run, block=f"{min(int(run.block[:-1]), mib)}m")

    def clean(self, subject: Subject, name: str) -> Step:
        """A run that writes a single transfer and does not keep the files: IOR removes them."""
        run = self.ior(subject)
        run = replace(run, block=run.transfer, segments=1, read=False)
        return self.step(subject, name, run, overwrites=True)

    def ior(self, subject: Subject) -> Ior:
        """IOR with the pattern of the check, by the subject's backend."""
        return replace(
            self.pattern(self.path(subject, "ior")),
            api=self.backend(subject).api,
            dfs=self.dfs(subject),
        )

    def step(self, subject: Subject, name: str, run: Ior, *, overwrites: bool = False) -> Step:
        """A run on all clients, which writes its summary as JSON."""
        program, tasks, nodes = self.benchmark("ior"), self.tasks, len(self.hosts)
        read = partial(parse, expected_tasks=tasks, expected_nodes=nodes, overwrites=overwrites)
        return Step(
            name,
            # All ranks write as much as the fastest; if an engine dies, its ranks wait for ever.
            limit_s=60 + 6 * self.stonewall_s,
            program=str(program),
            commands=[self.launch(subject, program, run.command(RAW / f"{name}.json"))],
            parse=read,
        )

    def needed_mib(self) -> int:
        """The job refuses to start with less free space in a shared directory."""
        return self.scratch_mib


def _transfer_bytes(run: Ior) -> int:
    return int(run.transfer[:-1]) * 2**20 if run.transfer.endswith("m") else int(run.transfer)


@rfm.simple_test
class IorEasy(IorCheck):
    """IOR, large transfers: 2 MiB at a time, a file for each process, read by another client."""

    def pattern(self, path: Text) -> Ior:
        """The pattern of IO500; the block is larger than the deadline allows."""
        return Ior(path, transfer="2m", block=EASY_BLOCK)


@rfm.simple_test
class IorHard(IorCheck):
    """IOR, small unaligned transfers: 47008 bytes at a time, one file for all processes."""

    def pattern(self, path: Text) -> Ior:
        """The pattern of IO500, with more segments than the deadline allows."""
        size = str(HARD_TRANSFER_BYTES)
        return Ior(path, transfer=size, block=size, segments=10_000_000, shared=True)
