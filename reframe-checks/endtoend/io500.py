"""IO500: its phases in their order, by IOR and mdtest, and by its own program where that is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Evict, Shell, Step, printed, text
from assay.checks.plan import Metric
from assay.shell import RAW, SCRATCH, Text
from assay.subject import Subject
from assay.tools import io500, ior, mdtest
from assay.tools.output import Parsed, Sample, merged
from mpi_check import STONEWALL_S, BackendCheck

LONGEST_S = {"quick": 120, "acceptance": 900}
"""How long a phase may take: reads, too, are of what the fastest process wrote until then."""


class Io500Check(BackendCheck):
    """Everything is written before anything is read."""

    repetitions = {"quick": 1, "acceptance": 3}

    #: Room in a shared directory, which the deadline does not limit.
    scratch_mib: Mapping[str, int] = {"quick": 8192, "acceptance": 131072}

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase."""
        return sample.metric == metric.name


@rfm.simple_test
class Io500(Io500Check):
    """IO500's phases but for `find`, by IOR and mdtest, and the score that they come to."""

    def steps(self, subject: Subject) -> Sequence[Step | Evict | Shell]:
        """The phases; what IOR reads from a shared directory has left the page cache."""
        steps: list[Step | Evict | Shell] = []
        for number in self.times:
            phases = self.phases(subject, number)
            steps.append(Shell(["mkdir", self.status_files(number)]))
            for name in phases:
                if name == "mdtest-hard-write" and self.backend(subject).name == "posix":
                    # Before there are mdtest's many small files, which it would take minutes over.
                    steps.append(Evict(f"evict.{number}", SCRATCH))
                steps.append(self.phase(subject, number, name))
            steps += [self.clean(subject, number, kind) for kind in ("easy", "hard")]
        return steps

    def phases(self, subject: Subject, number: int) -> Mapping[str, ior.Run | mdtest.Run]:
        """The runs of one sample, in order."""
        directory, begin = self.place(subject)
        return io500.Io500(
            directory,
            self.status_files(number),
            stonewall_s=STONEWALL_S[self.scale],
            dfs=self.dfs(subject),
            mark=begin + f"io500.{number}.",
        ).runs()

    @staticmethod
    def status_files(number: int) -> Text:
        """Where the writes of one sample leave how far they came, for its other phases."""
        return RAW / str(number)

    def phase(self, subject: Subject, number: int, name: str) -> Step:
        """One phase of a sample."""
        run = self.phases(subject, number)[name]
        return self.launched(subject, f"{name}.{number}", run)

    def clean(self, subject: Subject, number: int, kind: str) -> Step:
        """IOR's files go away after one transfer that it is let write; mdtest removes its own."""
        written = self.phases(subject, number)[f"ior-{kind}-write"]
        assert isinstance(written, ior.Run)
        run = replace(written, block=written.transfer, segments=1, keep=False, stonewall=None)
        return self.launched(subject, f"ior-{kind}-clean.{number}", run)

    def launched(self, subject: Subject, name: str, run: ior.Run | mdtest.Run) -> Step:
        """A run of IOR or of mdtest over all clients."""
        benchmarks = self.cluster.benchmarks
        if isinstance(run, ior.Run):
            program, command, parse = benchmarks.ior, run.command(RAW / f"{name}.json"), ior.parse
        else:
            program, command, parse = benchmarks.mdtest, run.command(), mdtest.parse
        return Step(
            name,
            LONGEST_S[self.scale],
            program=str(program),
            commands=[self.launch(subject, program, command)],
            parse=parse,
        )

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The phases and scores of every sample."""
        return merged(io500.TOOL, (self.sample(subject, number, raw) for number in self.times))

    def sample(self, subject: Subject, number: int, raw: Path) -> Parsed:
        """What the phases of one sample come to."""
        outputs: dict[str, Parsed] = {}
        for name in self.phases(subject, number):
            step = self.phase(subject, number, name)
            said = printed(raw, step)
            if name in io500.BANDWIDTHS:
                said += text(raw, step.name, "json")
            parse = ior.parse if name in io500.BANDWIDTHS else mdtest.parse
            outputs[name] = parse(said, expected_tasks=self.tasks, expected_nodes=len(self.hosts))
        return io500.collected(outputs)


@rfm.simple_test
class Io500Program(Io500Check):
    """All twelve phases of IO500, and its score, by the io500 program."""

    def configuration(self, subject: Subject, number: int) -> Text:
        """What is in the file that the program is given."""
        return io500.Io500(
            self.path(subject, f"io500.{number}"),
            RAW / f"io500.{number}",
            stonewall_s=STONEWALL_S[self.scale],
            dfs=self.dfs(subject),
        ).configuration()

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """One run for each sample."""
        program = self.cluster.benchmarks.io500
        steps: list[Step | Shell] = []
        for number in self.times:
            file = RAW / f"io500.{number}.ini"
            steps += [
                Shell(["save", file, self.configuration(subject, number)]),
                Step(
                    f"io500.{number}",
                    # Of the twelve phases those that write are the long ones.
                    len(io500.WRITES) * LONGEST_S[self.scale],
                    program=str(program),
                    commands=[self.launch(subject, program, ["io500", file])],
                    parse=partial(io500.parse, stonewall_s=STONEWALL_S[self.scale]),
                ),
            ]
        return steps

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The phases and the scores that the program printed."""
        return merged(
            io500.TOOL,
            (
                io500.parse(printed(raw, step), stonewall_s=STONEWALL_S[self.scale])
                for step in self.steps(subject)
                if isinstance(step, Step)
            ),
        )
