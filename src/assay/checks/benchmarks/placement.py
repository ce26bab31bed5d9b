"""The cores on which the scheduler places the processes of a client."""

from __future__ import annotations

from assay.checks.entry import (
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
from assay.checks.figures import exactly
from assay.checks.raw import RawOutputs
from assay.checks.subjects import each_host
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools.output import Parsed, merged
from assay.tools.placement import TOOL, parse


def _bound(cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
    cores = cluster.hosts[requirement.host].cores
    return exactly(requirement, cores, f"{cores} cores, one process bound to each")


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the output of the processes of every step."""
    cores, left = run.cluster.hosts[subject.host].cores, raw.of(subject)
    outputs = (left.text(name, "out") for name in run.names("placement"))
    return merged(TOOL, (parse(output, expected_processes=cores) for output in outputs))


def _takes(run: Run) -> float:
    """All clients run at once; each process is observed for a second at most."""
    return run.repetitions * (SRUN_S + 0.5)


PLACEMENT = Check(
    "ClientPlacement",
    "client",
    "raw",
    ("client",),
    each_host,
    (Metric("bound_processes", "process", _bound),),
    scales={"quick": {"repetitions": 3}, "acceptance": {"repetitions": 5}},
    reading=Reading(_parsed, each_sample("placement")),
    takes=_takes,
)
