"""Two loads at once on the same clients: how much of each is left beside the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.checks.backends import ior_backends
from assay.checks.bounds import Bound, Limit
from assay.checks.entry import (
    MEASURED_CEILING,
    Check,
    Expectation,
    Measured,
    Metric,
    Reading,
    Requirement,
    Run,
)
from assay.checks.estimates import FABRIC_MIB_S, SRUN_S
from assay.checks.figures import within
from assay.checks.load import ranks_per_node
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools import ior, mdtest
from assay.tools.output import Parsed, Sample, merged
from assay.tools.period import Period
from assay.tools.text import by_process
from assay.units import Quantity

TOOL = "interference"

WRITE, CREATE, READ = "write", "create", "read"
"""The loads: IOR writes new files, mdtest creates empty ones, IOR reads files that are there."""

LOADS = (WRITE, CREATE, READ)

PAIRS = ((WRITE, CREATE), (WRITE, READ))
"""The loads that run at once: bandwidth beside metadata, and writing beside reading."""

FILL, CLEAN = "fill", "clean"
"""The steps that write the files to be read, and remove them."""

TOGETHER = 0.8
"""The part of the time in which both loads of a pair must have run (own choice)."""


def each_place(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """One figure for all hosts together, by DAOS's file system library.

    Where a host is client and server, loads would compete with engines for cores.
    """
    names = (each.name for each in ior_backends(cluster))
    return (Subject(partition, backend="dfs"),) if "dfs" in names and not cluster.colocated else ()


def ranks_of_load(run: Run) -> int:
    """Ranks of each load on each client: half of them, so that two loads have cores of their own.

    A load is the same alone and beside another.
    """
    return max(1, ranks_per_node(run.cluster, run.hosts, run.scale) // 2)


def step_of(loads: tuple[str, ...], number: int) -> str:
    """The name of the step in which loads run: ``write.1``, ``write_and_read.1``."""
    return f"{'_and_'.join(loads)}.{number}"


def summary_of(step: str, load: str) -> str:
    """The name of IOR's summary of a load in a step."""
    return step if step.startswith(f"{load}.") else f"{step}.{load}"


def loads_of_sample() -> Iterator[tuple[str, ...]]:
    """The loads of each step of a sample: each alone, then the pairs."""
    yield from ((load,) for load in LOADS)
    yield from PAIRS


# How a run is read.


@dataclass(frozen=True, slots=True)
class _Load:
    """A load of a step: its rate in its own unit, when it ran, and what was wrong."""

    rate: float = 0.0
    period: Period | None = None
    problems: tuple[str, ...] = ()


def _load(run: Run, left: SubjectOutputs, loads: tuple[str, ...], load: str, number: int) -> _Load:
    """Read a load from the outputs of its step, whose lines are labelled if there are several."""
    step, nodes = step_of(loads, number), len(run.hosts)
    tasks = ranks_of_load(run) * nodes
    text = left.printed(step)
    if len(loads) > 1:
        text = by_process(text).get(loads.index(load), "")
    if load == CREATE:
        parsed = mdtest.parse(text, expected_tasks=tasks, expected_nodes=nodes)
        created = mdtest.until_deadline(text)
        rate, period = (created.rate, created.period) if created else (0.0, None)
    else:
        text += "\n" + left.text(summary_of(step, load), "json")
        parsed = ior.parse(text, expected_tasks=tasks, expected_nodes=nodes, timed=True)
        rate = sum(sample.value for sample in parsed.samples)
        period = ior.moving(text)
    problems = [f"{load} of {step}: {why}" for why in parsed.problems]
    if not problems and (not rate or period is None):
        problems.append(f"{load} of {step}: its output does not show what it did, and when")
    return _Load(rate, period, tuple(problems))


def _parsed(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    left = raw.of(subject)
    files = merged(TOOL, (_files(run, left, name) for name in (FILL, CLEAN)))
    samples = merged(TOOL, (_sample(run, left, number) for number in run.times))
    return merged(TOOL, (Parsed(TOOL, (), files.problems), samples))


def _files(run: Run, left: SubjectOutputs, name: str) -> Parsed:
    """Parse the run that wrote the files to be read, or that removed them."""
    nodes = len(run.hosts)
    return ior.parse(
        left.printed(name) + left.text(name, "json"),
        expected_tasks=ranks_of_load(run) * nodes,
        expected_nodes=nodes,
        overwrites=name == CLEAN,
    )


def _sample(run: Run, left: SubjectOutputs, number: int) -> Parsed:
    """The shares of each pair, in percent of what its loads did alone in the same sample."""
    alone = {load: _load(run, left, (load,), load, number) for load in LOADS}
    problems = [why for load in alone.values() for why in load.problems]
    samples: list[Sample] = []
    for pair in PAIRS:
        first, second = (_load(run, left, pair, load, number) for load in pair)
        wrong = [*first.problems, *second.problems]
        problems += wrong or _apart(step_of(pair, number), first.period, second.period)
        if problems:
            continue
        shares = [
            100 * beside.rate / alone[load].rate
            for load, beside in zip(pair, (first, second), strict=True)
        ]
        named = zip((*_shares(pair), "_and_".join(pair)), (*shares, sum(shares)), strict=True)
        samples += [Sample(name, value, "%") for name, value in named]
    return Parsed(TOOL, tuple(samples), tuple(problems))


def _apart(step: str, first: Period | None, second: Period | None) -> list[str]:
    """Why two loads of a step were not beside each other, in words."""
    if first is None or second is None or (part := first.shared(second)) >= TOGETHER:
        return []
    return [
        f"{step}: its loads ran at once for {part:.0%} of the time, and {TOGETHER:.0%} are needed:"
        " does a client have a core for each process of both, and does the launcher start both?"
    ]


def _steps(run: Run, _: Subject) -> Iterator[str]:
    yield FILL
    yield from (step_of(loads, number) for number in run.times for loads in loads_of_sample())
    yield CLEAN


def _takes(run: Run) -> float:
    """Each load lasts its time; removal of what mdtest created takes as long as its creation."""
    loads = list(loads_of_sample())
    busy = len(loads) + sum(CREATE in each for each in loads)
    each = len(loads) * SRUN_S + busy * run.sizes["load_s"]
    filled = ranks_of_load(run) * run.sizes["file_mib"] / FABRIC_MIB_S
    return 2 * SRUN_S + filled + run.repetitions * each


# What is expected.


@dataclass(frozen=True, slots=True)
class _Shares:
    """The rule of the shares of so many loads: each does at most what it does alone."""

    loads: int

    def rule(self, cluster: Cluster, requirement: Requirement, _: Measured) -> Expectation:
        """Bound the shares by what the loads did alone, moments before."""
        unit = requirement.unit
        most = Quantity(100 * self.loads, unit)
        made_of = f"{self.loads} loads, each as it is alone" if self.loads > 1 else "as it is alone"
        limit = Limit("the loads alone", most, made_of, "measured in the same sample")
        ceiling = limit.over(1 / MEASURED_CEILING, "measured")
        expected = within(cluster, requirement, Bound(most, (limit,)), "", ceiling)
        derivation = f"{expected.derivation}; ceiling {MEASURED_CEILING:g} times the bound"
        return replace(expected, ground="measured", derivation=derivation)


def _shares(pair: tuple[str, str]) -> tuple[str, str]:
    """The names of the shares of a pair."""
    first, second = pair
    return f"{first}_beside_{second}", f"{second}_beside_{first}"


def _metrics() -> Iterator[Metric]:
    for pair in PAIRS:
        yield from (Metric(name, "%", _Shares(1).rule) for name in _shares(pair))
        yield Metric("_and_".join(pair), "%", _Shares(2).rule)


INTERFERENCE = Check(
    "Interference",
    "endtoend",
    "system",
    ("client", "ior", "mdtest", "interference"),
    each_place,
    tuple(_metrics()),
    # Time stamps have whole seconds, so a load must last several.
    scales={
        "quick": {"repetitions": 3, "load_s": 15, "file_mib": 64},
        "acceptance": {"repetitions": 5, "load_s": 30, "file_mib": 1024},
    },
    reading=Reading(_parsed, _steps, watches_engines=True),
    takes=_takes,
)
