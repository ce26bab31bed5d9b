"""Each rank of a DAOS system alone, written and read with IOR in a pool of its own."""

from collections.abc import Iterable, Sequence
from functools import partial

import reframe as rfm
from reframe.core.builtins import parameter

from assay.campaign.steps import Step
from assay.checks.benchmarks.ior import SIGNATURE, VERIFIED
from assay.checks.benchmarks.ior_by_rank import SMALL, block_bytes, names, pool_of, processes, read
from assay.checks.entry import Metric
from assay.checks.pairs import clients_by_rank
from assay.shell import RAW
from assay.subject import Subject
from assay.tools.daos.dfs import Dfs
from assay.tools.daos.pools import container_create
from assay.tools.ior import Ior
from assay_check import AssayCheck, Commands
from mixins.daos import srun
from mixins.launch import LaunchesMpi
from mixins.rank_pools import MakesRankPools

CONTAINER = "ior"

OCLASS = "SX"
"""Objects over all targets of the rank."""

LEAST_MIB_S, LONGEST_IO_S = 20, 0.1
"""Bandwidth of a rank below which a run is stopped, and the average time of a small operation of a
process above which it is (this project's own choice; two busy cores took 0.02 to 0.07 s)."""


@rfm.simple_test
class IorByRank(MakesRankPools, LaunchesMpi, AssayCheck):
    """IOR on each rank alone: transfers of 1 MiB, 4 KiB and 256 B, into a pool on that rank."""

    scale = parameter(["acceptance"])

    functions = ("steps.sh", "daos_client.sh")

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One engine of each server at a time, each with clients of its own."""
        return clients_by_rank(self.cluster).rounds

    def clients(self, subject: Subject) -> Sequence[str]:
        """The clients of a rank."""
        return clients_by_rank(self.cluster).partners[subject]

    def pool(self, subject: Subject) -> str:
        """The pool of a rank."""
        (rank,) = self.ranks_of([subject])
        return pool_of(rank)

    def guards(self, subject: Subject) -> Commands:
        """Check also that every client keeps its agent, and read the metrics of the rank's server.

        Other servers measure ranks of their own meanwhile, and read their own metrics.
        """
        return [
            *super().guards(subject),
            ["same_agent", *srun(self.clients(subject))],
            *self.watched(subject.host),
        ]

    def steps(self, subject: Subject) -> Sequence[Step]:
        """Make the container, then write and read for each sample; the pool goes away later."""
        made = container_create(self.pool(subject), CONTAINER, {"type": "POSIX"}, {})
        first = self.clients(subject)[:1]
        return [
            Step("container", 120, "daos", [[*srun(first), *self.command(["daos", *made])]]),
            *(self.step(subject, name, metric) for name, metric in names(self.measured)),
        ]

    def step(self, subject: Subject, name: str, metric: Metric) -> Step:
        """A run of IOR on the clients of a rank, which writes its summary as JSON."""
        program, clients = self.benchmark("ior"), self.clients(subject)
        run = self.ior(subject, metric, name.partition(".")[2])
        block = block_bytes(self.measured, subject, metric)
        moved_s = processes(self.measured, subject) * block / 2**20 / LEAST_MIB_S
        assert metric.transfer
        waited_s = block / metric.transfer.to("B").value * LONGEST_IO_S
        _, *options = run.command(RAW / f"{name}.json")
        launcher = self.launcher(clients, self.ranks_per_node)
        return Step(
            name,
            # If the engine dies, the processes wait for ever.
            limit_s=60 + int(waited_s if metric in SMALL else moved_s),
            program=str(program),
            commands=[[*launcher, str(program), *options]],
            parse=partial(read, self.measured, subject, metric),
        )

    def ior(self, subject: Subject, metric: Metric, number: str) -> Ior:
        """IOR with a file for each process; what was written stays until the pool goes away."""
        assert metric.transfer
        verifies = number == VERIFIED
        return Ior(
            f"/{metric.name.partition('_')[2]}.{number}",
            transfer=str(int(metric.transfer.to("B").value)),
            block=str(block_bytes(self.measured, subject, metric)),
            write=metric.direction == "write",
            read=metric.direction == "read",
            keep=True,
            api="DFS",
            dfs=Dfs(self.pool(subject), CONTAINER, oclass=OCLASS),
            verify=verifies and metric.direction == "read",
            signature=SIGNATURE if verifies else None,
        )
