"""Metadata of all clients together, measured with mdtest: files created, stat, read, removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.checks.backends import backend_of
from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import waiting
from assay.checks.daos_path import UNDESCRIBED, clients_of, crossed_by, is_undescribed
from assay.checks.entry import Check, Metric, Requirement
from assay.checks.figures import Expectation, Measured, nothing, within
from assay.checks.load import ranks, ranks_per_node
from assay.checks.raw import RawOutputs
from assay.checks.run import SRUN_S, Reading, Run
from assay.checks.self_test import round_trip
from assay.checks.subjects import each_mdtest_backend
from assay.checks.trips import as_often
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.io500 import HARD_FILE_BYTES
from assay.tools.mdtest import TOOL, parse
from assay.tools.output import Parsed, Sample, merged
from assay.units import Quantity

HARD_FILE = Quantity(HARD_FILE_BYTES, "B")
"""What is in each file of the hard pattern; the easy one's are empty."""


@dataclass(frozen=True, slots=True)
class _Operations:
    """The rule of a rate of operations on files: each takes at least one round trip."""

    cached: bool = False
    """Whether the kernel of a client may know the answer."""

    def rate(self, cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
        """Of all clients together; the bytes of the files cross the path to the storage, too."""
        if is_undescribed(cluster, requirement):
            return nothing(requirement, UNDESCRIBED)
        mounted = backend_of(requirement.subject).mounted
        metric, unit, clients = requirement.metric, "op/s", clients_of(cluster, requirement)
        processes = ranks(cluster, measured.scale) * len(clients)
        if mounted and self.cached:
            why = "the kernel and dfuse may answer from their caches"
            return within(cluster, requirement, None, why, processes=processes)
        trip, why = round_trip(cluster, clients, measured)
        crossed: Sequence[Limit] = ()
        trips = 1
        # What is written through dfuse need not have left the client's memory.
        if metric.transfer and not mounted:
            crossed, _ = crossed_by(cluster, requirement, unit)
            trips = 2  # for the file's entry in its directory, and then for what is in it
        if trip is None:
            bound = tightest(crossed, unit)
            return within(cluster, requirement, bound, why, processes=processes)
        assert metric.in_flight
        in_flight = processes * metric.in_flight
        law = waiting(in_flight, trip.value, unit, trip.source, times=trips)
        return as_often(cluster, requirement, law, crossed, processes=processes)


def searched(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """The rule of a search for files: one answer of an engine lists many, so it has no bound."""
    if is_undescribed(cluster, requirement):
        return nothing(requirement, UNDESCRIBED)
    processes = ranks(cluster, measured.scale) * len(clients_of(cluster, requirement))
    why = "one answer of an engine lists many files"
    return within(cluster, requirement, None, why, processes=processes)


def create(name: str, unit: str, size: Quantity | None) -> Metric:
    """Files are created and written."""
    rule = _Operations().rate
    return Metric(name, unit, rule, direction="write", transfer=size, in_flight=1)


def stat(name: str, unit: str) -> Metric:
    """Files are examined (stat)."""
    return Metric(name, unit, _Operations(cached=True).rate, in_flight=1)


def read(name: str, unit: str, size: Quantity | None) -> Metric:
    """Files are read."""
    rule = _Operations(cached=True).rate
    return Metric(name, unit, rule, direction="read", transfer=size, in_flight=1)


def remove(name: str, unit: str) -> Metric:
    """Files are removed."""
    return Metric(name, unit, _Operations().rate, in_flight=1)


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """The rates of every run."""
    left = raw.of(subject)
    tasks = ranks_per_node(run.cluster, run.hosts, run.scale) * len(run.hosts)
    return merged(
        TOOL,
        (
            parse(
                left.printed(name),
                expected_tasks=tasks,
                expected_nodes=len(run.hosts),
                intercepted_by=backend_of(subject).library,
            )
            for name in run.names("mdtest")
        ),
    )


def _takes(run: Run) -> float:
    """What was created before the deadline is looked at, read and removed: as long again."""
    return len(run.subjects) * run.repetitions * (SRUN_S + 2.5 * run.sizes["stonewall_s"])


_PHASES = {
    "create": "file_creation",
    "stat": "file_stat",
    "read": "file_read",
    "remove": "file_removal",
}


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """By the phase."""
    return sample.metric == _PHASES[metric.name]


def _check(name: str, size: Quantity | None) -> Check:
    return Check(
        name,
        "metadata",
        "system",
        ("client", "mdtest"),
        each_mdtest_backend,
        (
            create("create", "op/s", size),
            stat("stat", "op/s"),
            read("read", "op/s", size),
            remove("remove", "op/s"),
        ),
        scales={
            "quick": {"repetitions": 3, "stonewall_s": 2, "scratch_mib": 1024},
            # 30 s as in DAOS's own runs of IO500, whose rules want 300 s.
            "acceptance": {"repetitions": 5, "stonewall_s": 30, "scratch_mib": 16384},
        },
        takes=_takes,
        reading=Reading(_parsed, _is_sample_of, watches_engines=True),
    )


EASY = _check("MdtestEasy", None)
HARD = _check("MdtestHard", HARD_FILE)
HARD_2 = _check("MdtestHard2", Quantity(2 * HARD_FILE_BYTES, "B"))
