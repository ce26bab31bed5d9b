"""Two loads at once on all clients, by IOR and mdtest, compared with each of them alone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.checks.benchmarks.interference import (
    CLEAN,
    CREATE,
    FILL,
    READ,
    WRITE,
    loads_of_sample,
    ranks_of_load,
    step_of,
    summary_of,
)
from assay.shell import RAW, Text
from assay.subject import Subject
from assay.tools import ior, mdtest
from assay.tools.io500 import EASY_BLOCK, EASY_FILES
from assay_check import AssayCheck
from mixins.backends import UsesEachBackend


@rfm.simple_test
class Interference(UsesEachBackend, AssayCheck):
    """IOR and mdtest at once on all clients: how much of each is left beside the other."""

    #: Seconds that each load lasts, alone and beside another.
    load_s = variable(int)

    #: MiB of the file that each process reads, several times.
    file_mib = variable(int)

    two_at_once = True

    @property
    def ranks_per_node(self) -> int:
        """Ranks of each load on each client."""
        return ranks_of_load(self.measured)

    def steps(self, subject: Subject) -> Sequence[Step]:
        """Write the files to be read; run every load alone, then the pairs; remove the files."""
        files = replace(self.data(subject, READ), write=True, read=False, lasts_s=None)
        first = replace(files, block=files.transfer, keep=False)
        return [
            self.files(subject, FILL, files),
            *(
                self.step(subject, loads, number)
                for number in self.times
                for loads in loads_of_sample()
            ),
            # A run that writes a single transfer and does not keep the files: IOR removes them.
            self.files(subject, CLEAN, first),
        ]

    def files(self, subject: Subject, name: str, run: ior.Ior) -> Step:
        """A run that prepares the files to be read, or removes them."""
        program = self.benchmark("ior")
        return Step(
            name,
            limit_s=240 + self.file_mib,  # a process writes 1 MiB/s at least (own choice)
            program=str(program),
            commands=[self.launch(subject, program, run.command(RAW / f"{name}.json"))],
            parse=partial(ior.parse, overwrites=name == CLEAN),
        )

    def step(self, subject: Subject, loads: tuple[str, ...], number: int) -> Step:
        """One load, or two at once."""
        name = step_of(loads, number)
        # If an engine dies, ranks wait for ever; mdtest removes its files after the deadline.
        limit_s = 240 + 20 * self.load_s if CREATE in loads else 60 + 6 * self.load_s
        return Step(
            name,
            limit_s,
            program=" and ".join(dict.fromkeys(self.program(load) for load in loads)),
            commands=[self.command_of(subject, load, name) for load in loads],
        )

    @staticmethod
    def program(load: str) -> str:
        """The benchmark of a load."""
        return mdtest.TOOL if load == CREATE else ior.TOOL

    def command_of(self, subject: Subject, load: str, step: str) -> list[Text]:
        """The command of a load."""
        if load == CREATE:
            command = self.creation(subject, step).command()
        else:
            command = self.data(subject, load).command(RAW / f"{summary_of(step, load)}.json")
        return self.launch(subject, self.benchmark(self.program(load)), command)

    def data(self, subject: Subject, load: str) -> ior.Ior:
        """A file for each process; IOR removes those that it has written."""
        return ior.Ior(
            self.path(subject, load),
            transfer="2m",
            block=EASY_BLOCK if load == WRITE else f"{self.file_mib}m",
            write=load == WRITE,
            read=load == READ,
            keep=load == READ,
            api="DFS",
            dfs=self.dfs(subject),
            lasts_s=self.load_s,
        )

    def creation(self, subject: Subject, step: str) -> mdtest.Mdtest:
        """Empty files, in a directory for each process, which mdtest then removes."""
        return mdtest.Mdtest(
            self.path(subject, step),
            files=EASY_FILES,
            phases=("create", "remove"),
            api="DFS",
            dfs=self.dfs(subject),
            stonewall=mdtest.CreationStonewall(self.load_s, RAW / f"{step}.stonewall"),
        )
