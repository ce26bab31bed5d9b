"""IO500: its phases are runs of IOR and mdtest, and its scores are their geometric means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import geometric_mean

from assay.checks.backends import ior_backends
from assay.checks.benchmarks import ior, mdtest
from assay.checks.bounds import Bound, Limit
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
from assay.checks.figures import nothing, within
from assay.checks.load import ranks_per_node
from assay.checks.raw import RawOutputs
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools import io500
from assay.tools import ior as ior_tool
from assay.tools import mdtest as mdtest_tool
from assay.tools.output import Parsed, merged
from assay.units import Quantity


def each_place_of_phases(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """One figure for all hosts together, for a shared directory and DAOS's file system library.

    IO500 is one run of all phases; the checks of IOR and mdtest compare the other backends.
    """
    return _places(cluster, partition, "dfs")


def each_place_of_program(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
    """The same for a shared directory and a dfuse mount.

    The program's own `find` knows only POSIX: with the API DFS it ends with ``Pfind: cannot open
    directory`` (seen with that of ISC'26 on DAOS 2.8).
    """
    return _places(cluster, partition, "dfuse")


def _places(cluster: Cluster, partition: Partition, of_daos: str) -> tuple[Subject, ...]:
    # It keeps the files of several phases, which a share of somebody's pool would have to hold
    # together.
    found = cluster.daos is not None and cluster.daos.found is not None
    names = ("posix",) if found else ("posix", of_daos)
    backends = (backend for backend in ior_backends(cluster) if backend.name in names)
    return tuple(Subject(partition, backend=backend.name) for backend in backends)


@dataclass(frozen=True, slots=True)
class _Mean:
    """The rule of a score: it is at most the geometric mean of the bounds of its parts."""

    parts: tuple[Metric, ...]

    def score(self, cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
        """The geometric mean of the expectations of the parts."""
        unit = requirement.unit
        expected = {
            part.name: part.rule(cluster, replace(requirement, metric=part), measured)
            for part in self.parts
        }
        names = ", ".join(expected)
        bound, highest, least = (
            _mean([getattr(each, part) for each in expected.values()], unit, f"the {part}s", names)
            for part in ("bound", "ceiling", "floor")
        )
        floor = f"; floor {least.value}, the mean of their floors" if least else ""
        lowest = least.value.value if least else None
        if bound is None or highest is None:
            without = next(name for name, each in expected.items() if each.bound is None)
            why = f"{without} has no bound, so no mean that includes it has one"
            if least is None and highest is None:
                return nothing(requirement, why)
            most = highest.value.value if highest else None
            ceiling = f"; ceiling {highest.value}, the mean of their ceilings" if highest else ""
            derivation = f"no bound: {why}{floor}{ceiling}"
            return Expectation(unit, "reference", None, lowest, most, derivation)
        score = within(cluster, requirement, Bound(bound.value, (bound,)), "", highest)
        if score.floor is None:  # the site has no floor for the score itself
            score = replace(score, floor=lowest, derivation=f"{score.derivation}{floor}")
        if all(each.ground == "hardware" for each in expected.values()):
            return score
        derivation = f"{score.derivation}; ceiling the mean of their ceilings"
        return replace(score, ground="measured", derivation=derivation)


def _mean(figures: Sequence[float | None], unit: str, what: str, names: str) -> Limit | None:
    """The geometric mean of figures; None if one is missing."""
    known = [figure for figure in figures if figure is not None]
    if len(known) < len(figures):
        return None
    made_of = f"the geometric mean of {what} of {names}"
    return Limit("their bounds", Quantity(geometric_mean(known), unit), made_of, "as derived there")


def _score(name: str, unit: str, *parts: Metric) -> Metric:
    return Metric(name, unit, _Mean(parts).score)


_BANDWIDTHS = (
    ior.write("ior_easy_write", "GiB/s", ior.EASY_TRANSFER),
    ior.write("ior_hard_write", "GiB/s", ior.HARD_TRANSFER),
    ior.read("ior_easy_read", "GiB/s", ior.EASY_TRANSFER),
    ior.read("ior_hard_read", "GiB/s", ior.HARD_TRANSFER),
)

_FIND = Metric("find", "kop/s", mdtest.searched)

_RATES = (
    mdtest.create("mdtest_easy_write", "kop/s", None),
    mdtest.create("mdtest_hard_write", "kop/s", mdtest.HARD_FILE),
    _FIND,
    mdtest.stat("mdtest_easy_stat", "kop/s"),
    mdtest.stat("mdtest_hard_stat", "kop/s"),
    mdtest.remove("mdtest_easy_delete", "kop/s"),
    mdtest.read("mdtest_hard_read", "kop/s", mdtest.HARD_FILE),
    mdtest.remove("mdtest_hard_delete", "kop/s"),
)

_RATES_WITHOUT_FIND = tuple(metric for metric in _RATES if metric is not _FIND)

_BANDWIDTH_SCORE = _score("bandwidth_score", "GiB/s", *_BANDWIDTHS)
_METADATA_SCORE = _score("metadata_score", "kop/s", *_RATES)
_METADATA_SCORE_WITHOUT_FIND = _score("metadata_score_without_find", "kop/s", *_RATES_WITHOUT_FIND)

# How a sample is taken and read.

_PHASES = tuple(io500.Io500(".", ".").runs())
_CLEANS = ("ior-easy-clean", "ior-hard-clean")


def _parsed_phases(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the phases and scores of every sample."""
    return merged(io500.TOOL, (_phases(run, subject, number, raw) for number in run.times))


def _phases(run: Run, subject: Subject, number: int, raw: RawOutputs) -> Parsed:
    """Parse the phases of one sample, each run by IOR or by mdtest, and compute its scores."""
    left, nodes = raw.of(subject), len(run.hosts)
    tasks = ranks_per_node(run.cluster, run.hosts, run.scale) * nodes
    outputs: dict[str, Parsed] = {}
    for phase in (*io500.BANDWIDTHS, *io500.RATES):
        if phase == "find":
            continue
        name = f"{phase}.{number}"
        output = left.printed(name)
        parse = mdtest_tool.parse
        if phase in io500.BANDWIDTHS:
            output += left.text(name, "json")
            parse = ior_tool.parse
        outputs[phase] = parse(output, expected_tasks=tasks, expected_nodes=nodes)
    return io500.collected(outputs)


def _parsed_program(run: Run, subject: Subject, raw: RawOutputs) -> Parsed:
    """Parse the phases and the scores in the program's output."""
    left = raw.of(subject)
    return merged(
        io500.TOOL,
        (
            io500.parse(
                left.printed(name),
                stonewall_s=run.sizes["stonewall_s"],
                counted=run.cluster.colocated,
            )
            for name in run.names("io500")
        ),
    )


def _takes(run: Run) -> float:
    """Four phases write until the deadline; the others need half of it for the written data."""
    phases = len(io500.BANDWIDTHS) + len(io500.RATES)
    writes = len(io500.WRITES)
    measured = (writes + (phases - writes) / 2) * run.sizes["stonewall_s"]
    return len(run.subjects) * run.repetitions * (phases * SRUN_S + measured)


_SCALES = {
    "quick": {"repetitions": 1, "stonewall_s": 2, "scratch_mib": 8192},
    # 30 s as in DAOS's own runs of IO500; the rules of IO500 require 300 s.
    "acceptance": {"repetitions": 3, "stonewall_s": 30, "scratch_mib": 131072},
}

PHASES = Check(
    "Io500",
    "endtoend",
    "system",
    ("client", "ior", "mdtest", "io500_place"),
    each_place_of_phases,
    (
        *_BANDWIDTHS,
        *_RATES_WITHOUT_FIND,
        _BANDWIDTH_SCORE,
        _METADATA_SCORE_WITHOUT_FIND,
        _score("score_without_find", "score", _BANDWIDTH_SCORE, _METADATA_SCORE_WITHOUT_FIND),
    ),
    scales=_SCALES,
    takes=_takes,
    reading=Reading(_parsed_phases, each_sample(*_PHASES, *_CLEANS), watches_engines=True),
)

PROGRAM = Check(
    "Io500Program",
    "endtoend",
    "system",
    ("client", "io500", "io500_path"),
    each_place_of_program,
    (
        *_BANDWIDTHS,
        *_RATES,
        _BANDWIDTH_SCORE,
        _METADATA_SCORE,
        _score("score", "score", _BANDWIDTH_SCORE, _METADATA_SCORE),
    ),
    scales=_SCALES,
    takes=_takes,
    reading=Reading(_parsed_program, each_sample("io500"), watches_engines=True),
)
