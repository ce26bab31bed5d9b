"""Metadata rates of all clients together, measured with mdtest: create, stat, read and remove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.checks.backends import backend_of, limit_of_share
from assay.checks.benchmarks.self_test import round_trip
from assay.checks.bounds import Limit, tightest
from assay.checks.bounds.devices import waiting
from assay.checks.bounds.path import servers_of
from assay.checks.daos_path import UNDESCRIBED, clients_of, crossed_by, is_undescribed
from assay.checks.entry import (
    MEASURED_CEILING,
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Run,
    each_sample,
)
from assay.checks.estimates import SRUN_S
from assay.checks.figures import nothing, targets, within
from assay.checks.load import ranks, ranks_per_node
from assay.checks.raw import RawOutputs
from assay.checks.redundancy import layout
from assay.checks.subjects import each_mdtest_backend
from assay.checks.trips import as_often, guarded
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.io500 import HARD_FILE_BYTES
from assay.tools.mdtest import TOOL, parse
from assay.tools.output import Parsed, Sample, merged
from assay.units import Quantity

HARD_FILE = Quantity(HARD_FILE_BYTES, "B")
"""Size of the files of the hard pattern; the files of the easy pattern are empty."""

EACH_TARGET = Quantity(414_682, "op/s")
"""Fetches of 4 KiB by one core without a network. A target has one core, and those of the best
published system do a tenth of it. Twice as much is accepted (this project's own choice)."""

VOS_PERF = "DAOS 2.2's documentation, admin/performance_tuning (vos_perf on PMem)"

LEAST_TRIP = Quantity(1.2, "us")
"""There and back on the fastest fabric, at 0.6 us a way."""

CONNECT_X = "NVIDIA's user manual of ConnectX-6, Introduction: sub-600ns latency"


@dataclass(frozen=True, slots=True)
class Operations:
    """The rule of a rate of operations on files, each of which takes at least one round trip."""

    cached: bool = False
    """Whether the kernel of a client may have the answer in its cache."""
    changes_directory: bool = False
    """Whether it changes an entry of a directory, which all copies of that have to follow."""
    changes_file: bool = False
    """Whether it changes the file's own object: its bytes, or that it is there."""

    def rate(self, cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
        """Bound the rate of all clients by round trips and by the path of the files' data."""
        if is_undescribed(cluster, requirement):
            return nothing(requirement, UNDESCRIBED)
        mounted = backend_of(requirement.subject).mounted
        metric, unit, clients = requirement.metric, "op/s", clients_of(cluster, requirement)
        processes = ranks(cluster, measured.scale) * len(clients)
        copies = self.copies(cluster)
        if mounted and self.cached:
            why = "the kernel and dfuse may answer from their caches"
            return within(cluster, requirement, None, why, processes=processes)
        trip, why = round_trip(cluster, clients, measured)
        crossed: Sequence[Limit] = ()
        trips = 1
        # Data that is written through dfuse may still be in the client's memory.
        if metric.transfer and not mounted:
            crossed, _ = crossed_by(cluster, requirement, unit)
            trips = 2  # one for the file's entry in its directory, one for its data
        assert metric.in_flight
        in_flight = processes * metric.in_flight
        guards = tuple(_guards(cluster, requirement, in_flight, trips, copies))
        if trip is None:
            bound = guarded(crossed, guards, unit)
            most = tightest([*(limit.most for limit in crossed), *guards], unit)
            highest = most.limits[0] if most else None
            return within(
                cluster, requirement, bound, why, highest, processes=processes, copies=copies
            )
        law = waiting(in_flight, trip.value, unit, trip.source, times=trips)
        return as_often(
            cluster,
            requirement,
            law,
            crossed,
            processes=processes,
            copies=copies,
            guards=guards,
        )

    def copies(self, cluster: Cluster) -> float:
        """How often targets store what an operation changes; of two objects, the one with more.

        An empty file is an entry of its directory and nothing else (`dfs_open` of DAOS).
        """
        stored = layout(cluster)
        of_file = stored.code.copies(whole_stripes=False) if self.changes_file else 1.0
        directory = stored.directories.copies(whole_stripes=False)
        return max(of_file, directory if self.changes_directory else 1.0)


def _guards(
    cluster: Cluster, requirement: Requirement, in_flight: int, trips: int, copies: float
) -> Iterator[Limit]:
    """What no published core and fabric exceed: ceilings against a wrong unit, and no bounds."""
    if count := targets(cluster, requirement.subject):
        each, more = EACH_TARGET, f" / {copies:.3g} copies" if copies > 1 else ""
        value = Quantity(MEASURED_CEILING * count * each.value / copies, each.unit)
        made_of = f"{MEASURED_CEILING:g} × {count:,} targets × {each}{more}"
        yield Limit("the targets", value, made_of, VOS_PERF)
    clients = clients_of(cluster, requirement)
    if not (cluster.colocated or servers_of(cluster).intersection(clients)):
        fastest = waiting(in_flight, LEAST_TRIP, "op/s", CONNECT_X, times=trips)
        yield replace(fastest, who="the fastest fabric")


def searched(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """The rule of a search for files, without a bound: one reply of an engine lists many files."""
    if is_undescribed(cluster, requirement):
        return nothing(requirement, UNDESCRIBED)
    processes = ranks(cluster, measured.scale) * len(clients_of(cluster, requirement))
    why = "one reply of an engine lists many files"
    return within(cluster, requirement, None, why, processes=processes)


def create(name: str, unit: str, size: Quantity | None) -> Metric:
    """The rate at which files are created and written."""
    rule = Operations(changes_directory=True, changes_file=size is not None).rate
    return Metric(name, unit, rule, direction="write", transfer=size, in_flight=1)


def stat(name: str, unit: str) -> Metric:
    """The rate of stat calls on files."""
    return Metric(name, unit, Operations(cached=True).rate, in_flight=1)


def read(name: str, unit: str, size: Quantity | None) -> Metric:
    """The rate at which files are read."""
    rule = Operations(cached=True).rate
    return Metric(name, unit, rule, direction="read", transfer=size, in_flight=1)


def remove(name: str, unit: str) -> Metric:
    """The rate at which files are removed."""
    rule = Operations(changes_directory=True, changes_file=True).rate
    return Metric(name, unit, rule, in_flight=1)


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the rates of every run."""
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
                limit=limit_of_share(run.cluster, subject),
            )
            for name in run.names("mdtest")
        ),
    )


def _takes(run: Run) -> float:
    """Files are created until the deadline; stat, read and remove take the same time again."""
    return len(run.subjects) * run.repetitions * (SRUN_S + 2.5 * run.sizes["stonewall_s"])


_PHASES = {
    "create": "file_creation",
    "stat": "file_stat",
    "read": "file_read",
    "remove": "file_removal",
}


def _is_sample_of(metric: Metric, sample: Sample) -> bool:
    """Match a sample with a metric by phase."""
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
            # 30 s as in DAOS's own runs of IO500; the rules of IO500 require 300 s.
            "acceptance": {"repetitions": 5, "stonewall_s": 30, "scratch_mib": 16384},
        },
        takes=_takes,
        reading=Reading(_parsed, each_sample("mdtest"), _is_sample_of, watches_engines=True),
    )


EASY = _check("MdtestEasy", None)
HARD = _check("MdtestHard", HARD_FILE)
HARD_2 = _check("MdtestHard2", Quantity(2 * HARD_FILE_BYTES, "B"))
