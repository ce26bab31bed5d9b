"""Objects of DAOS without a file system, from one client after the other, with daos_perf."""

from collections.abc import Mapping, Sequence
from functools import partial

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Shell, Step
from assay.checks.benchmarks.daos_perf import SIZES
from assay.subject import Subject
from assay.tools.daos import dmg
from assay.tools.daos_perf import TOOL, parse
from assay.tools.daos_perf import DaosPerf as Run
from assay.tools.perf_common import Values, size, spelled
from assay_check import AssayCheck, Commands
from mixins.daos import NeedsDaos, patience_s
from mixins.in_flight import KeepsInFlight
from mixins.launch import LaunchesMpi

TESTS = ("update", "fetch")

ROOM = 4
"""Required free space of the pool, in multiples of what a run writes: DAOS frees destroyed data
later, and targets do not fill evenly (this project's own choice)."""

WATCHED = 4
"""Number of clients beside which the engines' metrics are read (own choice): each reading is of all
servers, so their size would grow with the square of the cluster."""


@rfm.simple_test
class DaosPerf(NeedsDaos, KeepsInFlight, LaunchesMpi, AssayCheck):
    """Values of 4 KiB and 1 MiB into a pool and back, by the processes of one client at a time."""

    #: Values of 4 KiB that each process writes and fetches.
    values_4k = variable(int)

    #: Values of 1 MiB.
    values_1m = variable(int)

    scripts = ("endtoend/containers.sh",)

    @property
    def values(self) -> Mapping[str, Values]:
        """The values that each process writes and fetches."""
        small = Values("4K", spelled(self.values_4k))
        large = Values("1M", spelled(self.values_1m), array=True)
        return dict(zip(SIZES, (small, large), strict=True))

    @property
    def pool(self) -> str:
        """The pool that only daos_perf uses."""
        assert self.daos.perf_pool
        return self.daos.perf_pool

    def look(self, when: str) -> list[str]:
        """Check also the pool of daos_perf."""
        return super().look(when) or self.look_at_pool(f"perf_pool.{when}", self.pool)

    def problems_before(self) -> list[str]:
        """Check also the pool's free space, and that update and fetch have the same in flight."""
        if problems := super().problems_before():
            return problems
        for name in self.values:
            update, fetch = (self.in_flight[f"{test}_{name}"] for test in TESTS)
            if update != fetch:
                return [f"in_flight: update_{name} = {update} and fetch_{name} = {fetch}: one run"]
        largest = max(values.bytes for values in self.values.values())
        needed = ROOM * self.ranks_per_node * largest
        return self.short_of_room("perf_pool.before", self.pool, needed)

    def guards(self, subject: Subject) -> Commands:
        """Read the engines' metrics beside the first clients: all clients use the same engines."""
        watched = self.watched() if subject in self.present[:WATCHED] else []
        return [*super().guards(subject), *watched]

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """A run of each size for every sample, after which its container is destroyed."""
        # These containers have no label.
        own = ["^$", self.pool, *self.command(["daos"])]
        not_destroyed = f"daos did not destroy what daos_perf made in the pool {self.pool}"
        steps: list[Step | Shell] = [
            Shell([".", "./containers.sh"]),
            Shell(["note_containers", *own]),
        ]
        for number in self.times:
            for name, values in self.values.items():
                steps.append(self.run_of(subject, name, number, values))
                steps.append(Shell(["take_away", *own], refusal=not_destroyed))
        return steps

    def run_of(self, subject: Subject, name: str, number: int, values: Values) -> Step:
        """One run on the cores of one client; the clocks of two clients would differ."""
        # An update and its fetch have the same number in flight.
        in_flight = self.in_flight[f"update_{name}"]
        run = Run(dmg.uuid(self.answer("perf_pool.before")), values, credits=in_flight)
        each = size(values.value_size)
        # Each value is written, then fetched.
        rpcs = 2 * self.ranks_per_node * values.bytes // each
        return Step(
            f"{name}.{number}",
            limit_s=patience_s(rpcs, run.credits, each),
            program=TOOL,
            commands=[
                [*self.launcher([subject.host], self.ranks_per_node), *self.command(run.command())]
            ],
            parse=partial(parse, expected_processes=self.ranks_per_node),
            explains=True,  # the second of two processes without MPI finds the pool busy
        )
