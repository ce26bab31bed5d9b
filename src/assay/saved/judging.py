"""Judges saved outputs as a sign-off would, by the description of a cluster alone.

Nothing of this was measured by this project: the layers below are not known, no engine was
watched, and nobody knows what else ran. So it is no acceptance, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.checks.backends import BACKENDS
from assay.checks.benchmarks import io500 as io500_checks
from assay.checks.benchmarks import ior as ior_checks
from assay.checks.benchmarks import mdtest as mdtest_checks
from assay.checks.entry import Check, Measured, Metric, Requirement
from assay.checks.expect import expectation
from assay.checks.load import ranks_per_node
from assay.cluster.description import Cluster
from assay.judge.judgement import Judgement, Measurement, judge
from assay.judge.verdict import Verdict
from assay.saved.reading import SavedRun
from assay.saved.results import ResultDirectory, of_one, result_directories
from assay.subject import Subject
from assay.tools import io500
from assay.tools.output import Sample
from assay.units import Quantity

SCALE = "acceptance"
STONEWALL_S = io500_checks.PROGRAM.scales[SCALE]["stonewall_s"]
"""The stonewall of a run of IO500 in an acceptance, in seconds."""

_BAD = frozenset({Verdict.MISSING, Verdict.BELOW, Verdict.IMPLAUSIBLE, Verdict.UNSTEADY})
_RATES = frozenset({"op/s", "kop/s", "score"})
"""Units of figures that rise with the number of processes."""
_LEAST_EASY = Quantity(1, "MiB")
"""Smallest transfer that is judged by the floor of the easy pattern (this project's own choice)."""
_TRANSFER = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) (bytes|KiB|MiB|GiB)")
_OF_IOR = {"write_bandwidth": "write", "read_bandwidth": "read"}
_OF_MDTEST = {
    "file_creation": "create",
    "file_stat": "stat",
    "file_read": "read",
    "file_removal": "remove",
}


class NotJudgedError(ValueError):
    """The description has nothing by which these outputs could be judged, in words."""


@dataclass(frozen=True, slots=True)
class SavedJudgement:
    """A judged figure of a file."""

    path: Path
    run: int
    judgement: Judgement

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        its = self.judgement
        return {
            "file": str(self.path),
            "run": self.run,
            "metric": its.requirement.key,
            "samples": list(its.samples),
            "unit": its.expectation.unit,
            "floor": its.expectation.floor,
            "bound": its.expectation.bound,
            "ceiling": its.expectation.ceiling,
            "verdict": str(its.verdict),
            "reason": its.reason,
            "derivation": its.expectation.derivation,
        }


@dataclass(frozen=True, slots=True)
class SavedJudgements:
    """All judged figures, and why others were not."""

    judgements: tuple[SavedJudgement, ...]
    notes: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether something was judged, and nothing of it would stop an acceptance."""
        verdicts = {each.judgement.verdict for each in self.judgements}
        return bool(verdicts) and not verdicts & _BAD

    def as_dicts(self) -> list[dict[str, object]]:
        """For JSON."""
        return [each.as_dict() for each in self.judgements]


@dataclass(frozen=True, slots=True)
class _Ran:
    """How a run was made, as far as its outputs say."""

    api: str | None
    nodes: str | None
    tasks: str | None


def judged(cluster: Cluster, runs: Sequence[SavedRun], backend: str | None) -> SavedJudgements:
    """Judge the figures of IO500, IOR and mdtest, each run by itself.

    Args:
        cluster: the cluster on which they were measured.
        runs: the outputs.
        backend: the backend of runs that print POSIX; by default a shared directory if the
            description has one, or else dfuse.

    Raises:
        NotJudgedError: the description has no such backend.
    """
    if backend is not None and backend not in _reachable(cluster):
        raise NotJudgedError(
            f"--backend {backend}: should be one of {', '.join(_reachable(cluster))}"
        )
    found: list[SavedJudgement] = []
    notes: list[str] = []
    directories = result_directories(runs)
    summed = {each.path for each in directories}
    inside = {id(run) for each in directories for run in each.phases.values()}
    for directory in directories:
        summary = next((s for s in directory.summaries if not s.parsed.unread), None)
        if summary:
            ran = _ran(directory.phases.values())
            problems = [*summary.parsed.problems, *_of_phases(directory)]
            found += _judge(cluster, summary, _of_io500(summary), ran, problems, backend, notes)
    for run in runs:
        if run.path.parent in summed and run.parsed.tool == io500.TOOL:
            continue
        if id(run) in inside or run.parsed.unread:
            continue
        if run.parsed.tool not in _FIGURES:
            notes.append(f"{run.where}: not judged: it does not say which host or SSD it measured")
            continue
        figures, problems = list(_FIGURES[run.parsed.tool](run)), list(run.parsed.problems)
        found += _judge(cluster, run, figures, _ran([run]), problems, backend, notes)
    return SavedJudgements(tuple(found), tuple(dict.fromkeys(notes)))


def _reachable(cluster: Cluster) -> list[str]:
    """The backends of the described storage, whatever this project's own IOR was built with."""
    shared = cluster.benchmarks.shared_directory is not None
    return [name for name in BACKENDS if (shared if name == "posix" else cluster.daos is not None)]


def _ran(runs: Iterable[SavedRun]) -> _Ran:
    samples = [sample for run in runs for sample in run.parsed.samples]
    return _Ran(of_one(samples, "api"), of_one(samples, "nodes"), of_one(samples, "tasks"))


def _of_phases(directory: ResultDirectory) -> Iterator[str]:
    yield from directory.differences()
    for name, run in directory.phases.items():
        for problem in run.parsed.problems:
            yield f"{name}: {problem}"


_Figure = tuple[Check, Metric, list[float]]
"""A check, a metric of it, and its samples in an output."""


def _of_io500(run: SavedRun) -> list[_Figure]:
    of = {metric.name: metric for metric in io500_checks.PROGRAM.metrics}
    return [
        (io500_checks.PROGRAM, of[sample.metric], [sample.value])
        for sample in run.parsed.samples
        if sample.metric in of
    ]


def _of_ior(run: SavedRun) -> Iterator[_Figure]:
    transfer = _TRANSFER.fullmatch(of_one(run.parsed.samples, "transfer") or "")
    if not transfer:
        return
    unit = "B" if transfer[2] == "bytes" else transfer[2]
    size = Quantity(float(transfer[1]), unit)
    hard = size.to("B").value == io500.HARD_TRANSFER_BYTES
    check = ior_checks.HARD if hard else ior_checks.EASY
    for metric in check.metrics:
        values = _values(run.parsed.samples, _OF_IOR, metric)
        if values:
            yield check, replace(metric, transfer=size), values


def _of_mdtest(run: SavedRun) -> Iterator[_Figure]:
    hard = of_one(run.parsed.samples, "bytes") == str(io500.HARD_FILE_BYTES)
    check = mdtest_checks.HARD if hard else mdtest_checks.EASY
    for metric in check.metrics:
        values = _values(run.parsed.samples, _OF_MDTEST, metric)
        if values:
            yield check, metric, values


_FIGURES: Mapping[str, Callable[[SavedRun], Iterable[_Figure]]] = {
    "io500": _of_io500,
    "ior": _of_ior,
    "mdtest": _of_mdtest,
}
"""The figures of each program that measures all clients together."""


def _values(samples: Iterable[Sample], names: Mapping[str, str], metric: Metric) -> list[float]:
    return [each.value for each in samples if names.get(each.metric) == metric.name]


def _judge(
    cluster: Cluster,
    run: SavedRun,
    figures: Sequence[_Figure],
    ran: _Ran,
    problems: Sequence[str],
    backend: str | None,
    notes: list[str],
) -> Iterator[SavedJudgement]:
    if not figures:
        notes.append(f"{run.where}: not judged: it has no figure that a sign-off requires")
        return
    name = _backend(cluster, run, ran, backend, notes)
    members = cluster.members("clients")
    why = list(problems)
    if ran.nodes is None:
        notes.append(f"{run.where}: it does not say on how many nodes it ran; {_clients(members)}")
    elif int(ran.nodes) != len(members):
        why.append(f"it ran on {ran.nodes} nodes; {_clients(members)}")
    described = ranks_per_node(cluster, members, SCALE) * len(members)
    # More processes reach at least what the floor of fewer asks for.
    fewer = ran.tasks is not None and int(ran.tasks) < described
    too_few = f"it ran with {ran.tasks} processes, and it is that of {described}" if fewer else ""
    measurements = [
        _measurement(cluster, check, metric, values, name, why, too_few)
        for check, metric, values in figures
    ]
    for judgement in judge(measurements).judgements:
        yield SavedJudgement(run.path, run.number, judgement)


def _clients(members: Sequence[str]) -> str:
    return f"the description has {len(members)} clients"


def _backend(
    cluster: Cluster, run: SavedRun, ran: _Ran, chosen: str | None, notes: list[str]
) -> str:
    reachable = _reachable(cluster)
    name: str | None
    if chosen is not None and ran.api in (None, BACKENDS[chosen].api):
        return chosen
    if ran.api is None:
        name = next((each for each in ("dfs", "posix") if each in reachable), None)
        notes.append(f"{run.where}: it does not say by which interface it ran; {name} is assumed")
    else:
        fitting = [each for each in reachable if BACKENDS[each].api == ran.api]
        name = fitting[0] if fitting else None
    if name is None:
        raise NotJudgedError(
            f"{run.where}: it ran by {ran.api or 'an unknown interface'}, and the description has"
            f" no such storage (it has {', '.join(reachable) or 'none'})"
        )
    return name


def _is_small(transfer: Quantity) -> bool:
    return transfer.to("MiB").value < _LEAST_EASY.value


def _measurement(
    cluster: Cluster,
    check: Check,
    metric: Metric,
    values: Sequence[float],
    backend: str,
    problems: Sequence[str],
    too_few: str,
) -> Measurement:
    # Floors of the phases by DAOS's library stand under the check that runs them by it.
    own = {each.name for each in io500_checks.PHASES.metrics}
    if check is io500_checks.PROGRAM and backend in ("dfs", "posix") and metric.name in own:
        check = io500_checks.PHASES
    requirement = Requirement(
        check.name, check.layer, "clients", metric, Subject("clients", backend=backend)
    )
    expected = expectation(cluster, requirement, Measured({}, SCALE))
    without = too_few if metric.unit in _RATES else ""
    if check is ior_checks.EASY and metric.transfer and _is_small(metric.transfer):
        without = f"it is that of transfers from {_LEAST_EASY}"
    if without and expected.floor is not None:
        derivation = f"{expected.derivation}; no floor: {without}"
        expected = replace(expected, floor=None, derivation=derivation)
    return Measurement(requirement, values, expected, problems)
