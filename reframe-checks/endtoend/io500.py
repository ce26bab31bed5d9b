"""IO500: its phases in order, by IOR and mdtest, and by the io500 program if it is installed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Evict, Shell, Step
from assay.shell import RAW, SCRATCH, Text
from assay.subject import Subject
from assay.tools import io500, ior, mdtest
from assay.tools.output import Parsed
from assay_check import AssayCheck
from mixins.backends import UsesEachBackend

LONGEST_S = {"quick": 120, "acceptance": 900}
"""Minimum time limit of a phase, in seconds; each process reads as much as the fastest wrote."""

FILES_OF_A_TRIAL = 200
"""Files that each process creates with mdtest where a host is client and server.

Ranks and engines share cores there: what is created until the stonewall takes minutes to remove, as
MdtestEasy showed. It is more than there, since `find` looks for names with `01`, of which the first
101 have none.
"""


class Io500Check(UsesEachBackend, AssayCheck):
    """Everything is written before anything is read."""

    #: Seconds after which a phase stops writing.
    stonewall_s = variable(int)

    #: MiB that must be free in a shared directory. The deadline does not limit what is written.
    scratch_mib = variable(int)

    @property
    def longest_s(self) -> int:
        """Time limit of a phase, in seconds."""
        return max(LONGEST_S[self.scale], 30 * self.stonewall_s)

    @property
    def files(self) -> int | None:
        """Files of each process in mdtest's phases; None if the stonewall ends them."""
        return FILES_OF_A_TRIAL if self.cluster.colocated else None

    def needed_mib(self) -> int:
        """The job refuses to start with less free space in a shared directory."""
        return self.scratch_mib


@rfm.simple_test
class Io500(Io500Check):
    """IO500's phases except `find`, by IOR and mdtest, and their score."""

    def steps(self, subject: Subject) -> Sequence[Step | Evict | Shell]:
        """The phases; in a shared directory, IOR's files are evicted from the page cache."""
        steps: list[Step | Evict | Shell] = []
        for number in self.times:
            phases = self.phases(subject, number)
            steps.append(Shell(["mkdir", self.status_files(number)]))
            for name in phases:
                if name == "mdtest-hard-write" and self.backend(subject).name == "posix":
                    # Before mdtest creates its many small files: evicting them would take minutes.
                    steps.append(Evict(f"evict.{number}", SCRATCH))
                steps.append(self.phase(subject, number, name))
            steps += [self.clean(subject, number, kind) for kind in ("easy", "hard")]
        return steps

    def phases(self, subject: Subject, number: int) -> Mapping[str, ior.Ior | mdtest.Mdtest]:
        """The runs of one sample, in order."""
        directory, begin = self.place(subject)
        return io500.Io500(
            directory,
            self.status_files(number),
            stonewall_s=self.stonewall_s,
            dfs=self.dfs(subject),
            files=self.files,
            mark=begin + f"io500.{number}.",
        ).runs()

    @staticmethod
    def status_files(number: int) -> Text:
        """The directory in which the writes of one sample record their amount for later phases."""
        return RAW / str(number)

    def phase(self, subject: Subject, number: int, name: str) -> Step:
        """One phase of a sample."""
        run = self.phases(subject, number)[name]
        return self.launched(subject, f"{name}.{number}", run)

    def clean(self, subject: Subject, number: int, kind: str) -> Step:
        """A run of IOR that writes one transfer and removes its files; mdtest removes its own."""
        written = self.phases(subject, number)[f"ior-{kind}-write"]
        assert isinstance(written, ior.Ior)
        run = replace(written, block=written.transfer, segments=1, keep=False, stonewall=None)
        return self.launched(subject, f"ior-{kind}-clean.{number}", run, overwrites=True)

    def launched(
        self,
        subject: Subject,
        name: str,
        run: ior.Ior | mdtest.Mdtest,
        *,
        overwrites: bool = False,
    ) -> Step:
        """A run of IOR or of mdtest over all clients."""
        command: list[Text]
        parse: Callable[..., Parsed]
        if isinstance(run, ior.Ior):
            program, parse = self.benchmark("ior"), partial(ior.parse, overwrites=overwrites)
            command = run.command(RAW / f"{name}.json")
        else:
            program, parse = self.benchmark("mdtest"), mdtest.parse
            command = run.command()
        return Step(
            name,
            self.longest_s,
            program=str(program),
            commands=[self.launch(subject, program, command)],
            parse=partial(parse, expected_tasks=self.tasks, expected_nodes=len(self.hosts)),
        )


@rfm.simple_test
class Io500Program(Io500Check):
    """All twelve phases of IO500, and its score, by the io500 program."""

    def configuration(self, subject: Subject, number: int) -> Text:
        """The content of the program's configuration file."""
        return io500.Io500(
            self.path(subject, f"io500.{number}"),
            RAW / f"io500.{number}",
            stonewall_s=self.stonewall_s,
            files=self.files,
        ).configuration()

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """One run for each sample."""
        program = self.benchmark("io500")
        steps: list[Step | Shell] = []
        for number in self.times:
            file = RAW / f"io500.{number}.ini"
            steps += [
                Shell(["save", file, self.configuration(subject, number)]),
                Step(
                    f"io500.{number}",
                    # The phases that write are the long ones of the twelve.
                    len(io500.WRITES) * self.longest_s,
                    program=str(program),
                    commands=[self.launch(subject, program, ["io500", file])],
                    parse=partial(
                        io500.parse,
                        stonewall_s=self.stonewall_s,
                        counted=self.files is not None,
                    ),
                ),
            ]
        return steps
