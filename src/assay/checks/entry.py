"""An entry of the catalogue: a check with its metrics, how it is run, read and judged."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Literal, NamedTuple, TypeVar, cast

from assay.checks.bounds import Limit
from assay.checks.bounds.devices import Direction
from assay.checks.raw import RawOutputs, SubjectOutputs
from assay.cluster.description import Cluster, Partition
from assay.subject import Subject
from assay.tools.output import Parsed, Sample
from assay.units import Quantity, is_unit

T = TypeVar("T")


class CatalogueError(ValueError):
    """An entry of the catalogue is wrong or incomplete: what, where, and what is allowed."""

    def __init__(self, check: str, key: str, value: object, allowed: str) -> None:
        super().__init__(f"check {check}: {key} = {value}: should be {allowed}")


Layer = Literal["network", "scm", "ssd", "client", "endtoend", "metadata"]
LAYERS: tuple[Layer, ...] = ("network", "scm", "ssd", "client", "endtoend", "metadata")
"""The layers, from the bottom up; later layers may be judged by figures of earlier ones."""

Phase = Literal["raw", "scm", "system", "failure"]
PHASES: tuple[Phase, ...] = ("raw", "scm", "system", "failure")
"""The states of a DAOS system that checks need, in the order of a campaign: engines stopped; the
same, with their SCM mounted; all ranks joined; the same, and parts of it may be taken away. Without
DAOS a cluster is in the first three."""

_Claim = tuple[str, object, bool, str]
"""A key of an entry, its value, whether it is right, and what is allowed."""

Subjects = Callable[[Cluster, Partition], tuple[Subject, ...]]

Rule = Callable[[Cluster, "Requirement", "Measured"], "Expectation"]
"""The rule that bounds a metric: a pure function of the cluster and of the layers below."""

SCALES = ("quick", "acceptance")

Scales = Mapping[str, Mapping[str, int]]
"""Scale to the variables of a check: `quick` for a trial in minutes, `acceptance` for figures to
sign. A check without `quick` is required at `acceptance` only. `repetitions` is the number of
samples of each metric (this project's own choice; a median of 5 has an interval)."""


# Compared and hashed by identity: a large campaign looks up its requirements a million times.
@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One named figure of a check."""

    name: str
    unit: str
    rule: Rule
    better: Literal["higher", "lower"] = "higher"
    direction: Direction | None = None
    """Whether the benchmark writes to the storage or reads from it; None if it does neither."""
    transfer: Quantity | None = None
    """Size of each operation."""
    in_flight: int | None = None
    """Operations in flight in each process, or in each client of an RPC test."""
    provider: str | None = None
    """The provider of the measurement, if it is not the cluster's; the floor depends on it."""
    in_chain: bool = False
    """Whether it is the bandwidth by which its check stands in the chain of layers, for its
    direction (`assay.judge.chain`)."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of its check by which it is measured, beyond `repetitions`."""
        return ()

    def step(self, figure: float, sizes: Mapping[str, int]) -> float:
        """The least difference of two figures of this size, in its unit; 0 if digits alone show it.

        Args:
            figure: a figure in its unit.
            sizes: the variables of its check.
        """
        del figure, sizes
        return 0.0

    def __deepcopy__(self, _: object) -> Metric:
        # ReFrame copies a check before it runs it; a copy would be another metric.
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """One ReFrame check: its metrics, and where they are required."""

    name: str
    """The name of its class in `reframe-checks/`."""
    layer: Layer
    phase: Phase
    needs: tuple[str, ...]
    """The features that a partition must have."""
    subjects: Subjects
    metrics: tuple[Metric, ...]
    scales: Scales
    reading: Reading
    """How its raw outputs become samples."""
    takes: Callable[[Run], float]
    """Estimated time of the steps of its job, in seconds, on idle hosts."""

    def __post_init__(self) -> None:
        """Refuse an entry with which a campaign or a report would fail.

        Raises:
            CatalogueError: a sentence on the first mistake.
        """
        for key, value, ok, allowed in (*self._own(), *self._of_metrics(), *self._of_scales()):
            if not ok:
                raise CatalogueError(self.name, key, value, allowed)

    def _own(self) -> Iterator[_Claim]:
        yield "name", self.name, self.name.isidentifier(), "the name of a class in reframe-checks/"
        yield "layer", self.layer, self.layer in LAYERS, f"one of {', '.join(LAYERS)}"
        yield "phase", self.phase, self.phase in PHASES, f"one of {', '.join(PHASES)}"
        yield "metrics", self.metrics, len(self.metrics) > 0, "at least one metric"

    def _of_metrics(self) -> Iterator[_Claim]:
        names = [metric.name for metric in self.metrics]
        links: set[Direction | None] = set()
        for metric in self.metrics:
            at, in_flight = f"metric {metric.name}", metric.in_flight
            once = names.count(metric.name) == 1
            yield f"{at}, name", metric.name, once, "that of no other metric of the check"
            yield f"{at}, unit", metric.unit, is_unit(metric.unit), "one that assay.units knows"
            yield f"{at}, in_flight", in_flight, in_flight is None or in_flight > 0, "1 or more"
            if metric.in_chain:
                known, unit = metric.direction is not None, metric.unit
                yield f"{at}, direction", None, known, "write or read, for the chain of layers"
                yield f"{at}, unit", unit, unit == "MiB/s", "MiB/s, for the chain of layers"
                alone = metric.direction not in links
                allowed = f"set for one metric that has the direction {metric.direction}"
                yield f"{at}, in_chain", True, alone, allowed
                links.add(metric.direction)

    def _of_scales(self) -> Iterator[_Claim]:
        known = {"acceptance"} <= set(self.scales) <= set(SCALES)
        yield "scales", list(self.scales), known, "acceptance, with or without quick"
        needed = {"repetitions", *(name for metric in self.metrics for name in metric.variables)}
        expected = {*needed, *self.scales.get("acceptance", ())}
        for scale, sizes in self.scales.items():
            allowed = f"a size for each of {', '.join(sorted(expected))}"
            yield f"scales.{scale}", dict(sizes), set(sizes) == expected, allowed
            for name, size in sizes.items():
                yield f"scales.{scale}.{name}", size, size > 0, "1 or more"

    def __deepcopy__(self, _: object) -> Check:
        return self  # as a metric

    @property
    def features(self) -> tuple[str, ...]:
        """What a partition must have, including the phase."""
        return (*self.needs, self.phase)

    def has(self, scale: str) -> bool:
        """Whether the check is required at a scale; what is no scale leaves no check out."""
        return scale not in SCALES or scale in self.scales

    def metric(self, name: str) -> Metric:
        """The metric with a name.

        Raises:
            KeyError: the check has no metric with that name.
        """
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise KeyError(name)

    def in_chain(self, direction: Direction) -> Metric:
        """The metric by which the check stands in the chain of layers.

        Raises:
            KeyError: it has none for this direction.
        """
        for metric in self.metrics:
            if metric.in_chain and metric.direction == direction:
                return metric
        raise KeyError(direction)


class CaseKey(NamedTuple):
    """A check on a partition: what ReFrame runs as one test case."""

    check: str
    partition: str

    def __str__(self) -> str:
        return f"{self.check} on {self.partition}"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One metric of one subject that a cluster must show."""

    check: str
    layer: Layer
    partition: Partition
    metric: Metric
    subject: Subject

    @property
    def case(self) -> CaseKey:
        """Its check on its partition."""
        return CaseKey(self.check, self.partition)

    @property
    def name(self) -> str:
        """The name of the metric: ``read_1m``."""
        return self.metric.name

    @property
    def unit(self) -> str:
        """The unit of the metric."""
        return self.metric.unit

    def with_in_flight(self, count: int | None) -> Requirement:
        """The same requirement with the actual number in flight, which the bound must use."""
        return replace(self, metric=replace(self.metric, in_flight=count))

    @property
    def figure(self) -> str:
        """Check and metric, without the subject: ``SsdFio.read_1m``."""
        return f"{self.check}.{self.metric.name}"

    @property
    def key(self) -> str:
        """Its name in reports: ``SsdFio.read_1m on n1``."""
        return f"{self.figure} on {self.subject}"

    @property
    def host(self) -> str:
        """The host of the subject; for a pair, the first host."""
        return self.subject.host

    def slowest(self, expected: Expectation) -> float | None:
        """The limit of an expectation on the slow side: the floor, or of a time the ceiling."""
        return expected.floor if self.metric.better == "higher" else expected.ceiling


# What is expected of a metric.

Ground = Literal["hardware", "measured", "reference", "baseline", "contract", "count", "nothing"]
"""The source of an expectation: a datasheet, a lower layer, published results, an accepted
campaign, a contract, a count, or nothing."""

MEASURED_CEILING = 2.0
"""Allowed ratio of a figure to the best sample of the layer below, and of a sample to its median to
be credible (this project's own choice). A datasheet's bound has no such allowance.

Two measurements of one virtual disk, seconds apart, differed by up to 1.7 when nothing was wrong.
"""


@dataclass(frozen=True, slots=True)
class Own:
    """A yardstick of the site that sets the limit on the slow side of a metric."""

    by: str
    """Its name: ``cluster_floors, 0.5``."""
    reference: float | None
    """The limit that it replaces, in the metric's unit; None if there is none."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected figures of a metric on this cluster, in the metric's unit.

    A value below `floor` is too slow, and one above `ceiling` is too good to be true. For a time,
    these roles swap. None means that there is no limit on that side.
    """

    unit: str
    ground: Ground
    bound: float | None
    floor: float | None
    ceiling: float | None
    derivation: str
    limits: tuple[Limit, ...] = ()
    """The limits whose minimum is the bound, the tightest first."""
    accepted: float | None = None
    """The worst accepted figure according to an accepted campaign, which differs by subject."""
    own: Own | None = None
    """The site's own yardstick, if it sets the limit on the slow side."""


def credible(samples: Sequence[float]) -> Sequence[float]:
    """The samples by which others may be judged: no more than `MEASURED_CEILING` from their median.

    Medians ignore one wild sample, but the best sample would be nothing else.
    """
    usual = median(samples)
    least, most = usual / MEASURED_CEILING, usual * MEASURED_CEILING
    return [sample for sample in samples if least <= sample <= most]


@dataclass(frozen=True, slots=True)
class Lower:
    """A figure of a lower layer, by which one above it of the same subject is judged."""

    samples: Sequence[float]
    key: str
    """The key of its metric."""
    instead: str = ""
    """Where these were taken if its own are bad: ``on n2, since its own is below``."""

    @property
    def named(self) -> str:
        """Its name in a derivation."""
        return f"{self.key} (instead {self.instead})" if self.instead else self.key


class Measured(Mapping[Requirement, Sequence[float]]):
    """Valid samples of the metrics of lower layers, each in its metric's unit; and their scale.

    Args:
        samples: the samples.
        scale: their scale.
        instead: what stands in for figures that are bad themselves, where others of the same
            subject are judged by them. Otherwise a fault would lower its own floor.
    """

    def __init__(
        self,
        samples: Mapping[Requirement, Sequence[float]],
        scale: str = "",
        instead: Mapping[Requirement, Lower] | None = None,
    ) -> None:
        self._samples = dict(samples)
        self.scale = scale
        self._instead = dict(instead or {})
        self._by_figure: dict[str, dict[Subject, Requirement]] = {}
        for requirement in self._samples:
            self._by_figure.setdefault(requirement.figure, {})[requirement.subject] = requirement
        self._known: dict[Hashable, Any] = {}

    def __getitem__(self, requirement: Requirement) -> Sequence[float]:
        return self._samples[requirement]

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self._samples)

    def __len__(self) -> int:
        return len(self._samples)

    def once(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """A figure that many metrics need, computed for the first of them."""
        if key not in self._known:
            self._known[key] = work_out()
        return cast("T", self._known[key])

    @property
    def apart(self) -> Measured:
        """The same figures for another description of the cluster, with a cache of its own."""
        return self.once("apart", lambda: Measured(self._samples, self.scale, self._instead))

    def own(self, requirement: Requirement) -> Lower | None:
        """The figure of the same subject, or what stands in for it; None if it was not measured."""
        samples = self._samples.get(requirement)
        if not samples:
            return None
        return self._instead.get(requirement) or Lower(samples, requirement.key)

    def least(self, figure: str) -> tuple[float, str] | None:
        """The smallest credible sample of a figure (``SsdFio.read_1m``), and its metric's key."""
        return self.once(("least", figure), lambda: self._least(figure))

    def _least(self, figure: str) -> tuple[float, str] | None:
        candidates = (
            (min(credible(samples)), requirement.key)
            for requirement in self._by_figure.get(figure, {}).values()
            if (samples := self._samples[requirement])
        )
        return min(candidates, default=None)

    def medians(self, figure: str, *, own: bool = False) -> Mapping[Subject, float]:
        """The median of each subject of a figure, in the figure's unit.

        Args:
            figure: check and metric: ``SsdFio.read_1m``.
            own: whether figures of the same subjects are judged by them, as with `own` above.
        """
        return self.once(("medians", figure, own), lambda: self._medians(figure, own))

    def _medians(self, figure: str, own: bool) -> Mapping[Subject, float]:
        found = {
            subject: self.own(each) if own else Lower(self._samples[each], each.key)
            for subject, each in self._by_figure.get(figure, {}).items()
        }
        return {
            subject: median(lower.samples)
            for subject, lower in found.items()
            if lower is not None and lower.samples
        }

    def instead(self, figure: str, subjects: Iterable[Subject]) -> str:
        """What stands in for bad figures of these subjects: a phrase for a derivation, or none."""
        known = self._by_figure.get(figure, {})
        phrases = (
            self._instead[known[s]].instead for s in subjects if known.get(s) in self._instead
        )
        return "; ".join(dict.fromkeys(phrases))


# How a check is run and read.

IN_FLIGHT = "in_flight."
"""Prefix of the operations in flight of a metric, among the sizes of a run."""


@dataclass(frozen=True, slots=True)
class Run:
    """A check on a partition, with the values of its variables."""

    cluster: Cluster
    check: Check
    partition: Partition
    scale: str
    sizes: Mapping[str, int]
    """Values by variable; operations in flight by ``in_flight.METRIC``."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the partition."""
        return self.cluster.members(self.partition)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The subjects of the check there."""
        return self.check.subjects(self.cluster, self.partition)

    @property
    def repetitions(self) -> int:
        """Samples of each metric."""
        return self.sizes["repetitions"]

    @property
    def times(self) -> range:
        """The numbers of the samples, from 1."""
        return range(1, self.repetitions + 1)

    def names(self, step: str) -> Iterator[str]:
        """The names of a step that is run for each sample: ``run.1``, ``run.2`` ..."""
        return (f"{step}.{number}" for number in self.times)

    def in_flight(self, metric: Metric) -> int:
        """Operations in flight of a metric."""
        return self.sizes.get(IN_FLIGHT + metric.name, metric.in_flight or 1)


def run_of(
    cluster: Cluster,
    check: Check,
    partition: Partition,
    scale: str,
    changed: Mapping[str, int] | None = None,
) -> Run:
    """A run with the sizes of the catalogue, except for the changed variables."""
    in_flight = {IN_FLIGHT + each.name: each.in_flight for each in check.metrics if each.in_flight}
    sizes = {**check.scales[scale], **in_flight, **(changed or {})}
    return Run(cluster, check, partition, scale, sizes)


def by_name(metric: Metric, sample: Sample) -> bool:
    """Whether a sample has the name of a metric."""
    return sample.metric == metric.name


Steps = Callable[[Run, Subject], Iterable[str]]
"""The names of the steps that a job runs for a subject, in their order."""


def each_sample(*steps: str) -> Steps:
    """Steps that are run one after the other for each sample."""
    return lambda run, _: (f"{step}.{number}" for number in run.times for step in steps)


@dataclass(frozen=True, slots=True)
class Reading:
    """How raw outputs become samples."""

    parsed: Callable[[Run, Subject, RawOutputs], Parsed]
    """Parses the outputs of a subject."""
    steps: Steps
    """The steps that left them."""
    is_sample_of: Callable[[Metric, Sample], bool] = by_name
    """Whether a sample is one of a metric."""
    watches_engines: bool = False
    """Whether the job reads the engines' metrics, before its steps and after each."""
    counts_reads: bool = False
    """Whether the kernel counts what its steps read from storage on their own host."""
    of_one_rank: bool = False
    """Whether each subject is an engine that is measured alone. Then only its own rank counts, and
    the ranks of all subjects are compared, step by step."""
    pool: Literal["pool", "perf_pool"] = "pool"
    """The pool that it writes to, by its key in the description of DAOS, with which the names of
    the answers about it begin. One of each rank alone writes to none of these."""
    moved: Callable[[SubjectOutputs, str], Mapping[str, float] | None] | None = None
    """Bytes of its own data that a step reports as moved, by operation (`update`, `fetch`); None if
    it does not report them."""
    own_errors: frozenset[tuple[str, str]] = frozenset()
    """What engines log as errors of a check that is well: a part of DAOS, and what the message
    contains."""

    def expects(self, facility: str, message: str) -> bool:
        """Whether an error in an engine's log is of those."""
        return any(facility == each and words in message for each, words in self.own_errors)
