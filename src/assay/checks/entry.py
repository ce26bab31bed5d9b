"""What an entry of the catalogue is: a check, where it is owed, and its metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from assay.cluster.description import Cluster, Partition
from assay.subject import Subject

Layer = Literal["network", "scm", "ssd", "client", "endtoend", "metadata"]
LAYERS: tuple[Layer, ...] = ("network", "scm", "ssd", "client", "endtoend", "metadata")
"""From the bottom up: what is measured later may be judged against what was measured before."""

Phase = Literal["raw", "scm", "system"]
PHASES: tuple[Phase, ...] = ("raw", "scm", "system")
"""The states of a DAOS system that checks need, in the order of a campaign: engines stopped; the
same, with their SCM mounted; all ranks joined. Without DAOS a cluster is in all of them."""

Subjects = Callable[[Cluster, Partition], tuple[Subject, ...]]


@dataclass(frozen=True, slots=True)
class Metric:
    """One named figure of a check."""

    name: str
    unit: str
    better: Literal["higher", "lower"] = "higher"


@dataclass(frozen=True, slots=True)
class Check:
    """One ReFrame check: when and where it is owed, and what."""

    name: str
    layer: Layer
    phase: Phase
    needs: tuple[str, ...]
    subjects: Subjects
    metrics: tuple[Metric, ...]


def rates(unit: str, *names: str) -> tuple[Metric, ...]:
    """Metrics of one unit, of which more is better."""
    return tuple(Metric(name, unit) for name in names)


def latencies(*names: str) -> tuple[Metric, ...]:
    """Metrics in microseconds, of which less is better."""
    return tuple(Metric(name, "us", better="lower") for name in names)
