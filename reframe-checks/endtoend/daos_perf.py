"""Objects of DAOS without a file system, from one client after the other, with daos_perf."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Shell, Step, printed
from assay.checks.daos_perf import IN_FLIGHT
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools import dmg
from assay.tools.daos_perf import TOOL, parse
from assay.tools.daos_perf import DaosPerf as Run
from assay.tools.output import Parsed, Sample, merged
from assay.tools.perf_common import Values, size
from daos_check import patience_s
from mpi_check import MpiCheck

VALUES: Mapping[str, Mapping[str, Values]] = {
    "quick": {"4k": Values("4K", "5k"), "1m": Values("1M", "64", array=True)},
    "acceptance": {"4k": Values("4K", "100k"), "1m": Values("1M", "1k", array=True)},
}
"""What each process writes and fetches, by scale."""

FIGURES = {"IO/s": "rate", "MiB/s": "bandwidth"}

ROOM = 4
"""How often what a run writes has to fit into the pool: DAOS frees what is destroyed later, and
targets do not fill evenly (this project's own choice)."""


@rfm.simple_test
class DaosPerf(MpiCheck):
    """Values of 4 KiB and 1 MiB into a pool and back, by the processes of one client at a time."""

    repetitions = {"quick": 3, "acceptance": 5}
    scripts = ("steps.sh", "endtoend/containers.sh")

    def look(self, when: str) -> list[str]:
        """The pool that daos_perf has for itself is whole, too."""
        pool = self.cluster.daos.perf_pool
        return super().look(when) or self.look_at_pool(f"perf_pool.{when}", pool)

    def wrong_before(self) -> list[str]:
        """It has room."""
        if wrong := super().wrong_before():
            return wrong
        pool = self.cluster.daos.perf_pool
        largest = max(values.bytes for values in VALUES[self.scale].values())
        needed = ROOM * self.ranks_per_node * largest
        return self.short_of_room("perf_pool.before", pool, needed)

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """A run of each size for every sample, whose container is then taken away."""
        # They have no label.
        pool = self.cluster.daos.perf_pool
        own = ["^$", pool, *self.command(["daos"])]
        not_destroyed = f"daos did not destroy what daos_perf made in the pool {pool}"
        steps: list[Step | Shell] = [
            Shell([".", "./containers.sh"]),
            Shell(["note_containers", *own]),
        ]
        for number in self.times:
            for name, values in VALUES[self.scale].items():
                steps.append(self.run_of(subject, f"{name}.{number}", values))
                steps.append(Shell(["take_away", *own], refusal=not_destroyed))
        return steps

    def run_of(self, subject: Subject, name: str, values: Values) -> Step:
        """One run on the cores of one client: of two, the clocks would differ."""
        pool = dmg.uuid(self.answer("perf_pool.before"))
        run = Run(pool, values, credits=IN_FLIGHT)
        each = size(values.value_size)
        # Each value is written, then fetched.
        rpcs = 2 * self.ranks_per_node * values.bytes // each
        return Step(
            name,
            limit_s=patience_s(rpcs, run.credits, each),
            program=TOOL,
            commands=[
                [*self.launcher([subject.host], self.ranks_per_node), *self.command(run.command())]
            ],
            parse=partial(parse, expected_processes=self.ranks_per_node),
        )

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The results of every run."""
        return merged(
            TOOL,
            (
                parse(printed(raw, step), expected_processes=self.ranks_per_node)
                for step in self.steps(subject)
                if isinstance(step, Step)
            ),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the test, update or fetch, and the size of its values."""
        test, _, spelled = metric.name.partition("_")
        told = sample.labels["value_size"]
        return sample.metric == f"{test}_{FIGURES[metric.unit]}" and told == str(size(spelled))
