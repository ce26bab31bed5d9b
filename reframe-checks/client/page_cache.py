"""How a client's page cache changes figures, by the steps of IOR's own tutorial."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.checks.benchmarks.page_cache import RUNGS
from assay.shell import RAW, Text, Variable
from assay.subject import Subject
from assay.tools.ior import Ior, parse
from assay_check import AssayCheck, Commands
from fio_check import SLOWEST_MIB_S
from mixins.backends import UsesEachBackend
from mixins.daos import srun

LIMIT_S = 600
"""Time limit of a run in seconds, beyond its transfers: filling the memory takes a while."""

SQUEEZED_PERCENT = 60
"""Percent of the memory that a client has left, taken away from its page cache (this project's own
choice). Of its whole memory, huge pages, a limit of the site's Slurm or other users have some."""


@rfm.simple_test
class PageCacheHonesty(UsesEachBackend, AssayCheck):
    """IOR, one more honest option at a time, to see which figures come from memory."""

    #: MiB that each rank writes.
    block_mib = variable(int)

    functions = (*UsesEachBackend.functions, "memory.sh")

    def needed_mib(self) -> int:
        """Space for every rank's file."""
        return self.block_mib * self.tasks + 64

    def written_bytes(self) -> int:
        """The files of all ranks, if a backend is in DAOS."""
        return self.block_mib * 2**20 * self.tasks if self.in_daos else 0

    def room(self, subject: Subject) -> Commands:
        """Find out how much memory is left, too."""
        return [
            *super().room(subject),
            ["occupy", str(SQUEEZED_PERCENT), *srun(self.hosts)],
        ]

    def rungs(self, path: Text) -> Mapping[str, Ior]:
        """The steps, starting with IOR's defaults."""
        naive = Ior(
            path,
            "1m",
            f"{self.block_mib}m",
            shared=True,
            reorder=False,
            fsync=False,
        )
        files = replace(naive, shared=False)
        shifted = replace(files, reorder=True)
        synced = replace(shifted, fsync=True)
        return {
            "naive": naive,
            "files": files,
            "shifted": shifted,
            "synced": synced,
            "squeezed": replace(synced, occupied=Variable("OCCUPIED")),
            "direct": replace(synced, direct=True),
        }

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample of each rung, with both phases, so the cache has an effect."""
        program = self.benchmark("ior")
        mib = self.block_mib * self.ranks_per_node
        rungs = self.rungs(self.path(subject, "ior"))
        return [
            Step(
                name,
                # Each client writes and reads `mib`.
                limit_s=LIMIT_S + 2 * mib // SLOWEST_MIB_S,
                program=str(program),
                commands=[self.launch(subject, program, rungs[rung].command(RAW / f"{name}.json"))],
                parse=parse,
            )
            for rung in RUNGS
            for name in self.measured.names(rung)
        ]
