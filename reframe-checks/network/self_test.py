"""DAOS's own fabric, measured with CaRT's self_test."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step, text
from assay.checks.bounds.devices import MEBIBYTE
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.self_test import EMPTY, GET, IOV, PUT, TOOL, SelfTest, parse
from assay.tools.text import by_process
from assay_check import AssayCheck
from mixins.daos import NeedsDaos, patience_s, srun
from mixins.in_flight import KeepsInFlight
from mixins.launch import StartsItsPrograms

SIZES: Mapping[str, tuple[str, str]] = {
    "get_1m": GET,
    "put_1m": PUT,
    "empty": EMPTY,
    "iov_2k": IOV,
    "latency_get_1m": GET,
    "latency_put_1m": PUT,
    "latency_empty": EMPTY,
    "latency_iov_2k": IOV,
}
"""What each metric sends and gets: one size a run, since of several the rates come out wrong."""

FIGURES = {"MiB/s": "bandwidth", "RPC/s": "rate", "us": "endpoint_latency"}

HANGS = "it waits for a rank that is dead, or that has fewer targets, and so tags, than described"


def of_clients(text: str, asked: SelfTest | None = None) -> Parsed:
    """What each client of a run printed."""
    return merged(TOOL, (parse(output, asked) for output in by_process(text).values()))


class SelfTestCheck(NeedsDaos, KeepsInFlight, StartsItsPrograms, AssayCheck):
    """A run for each metric and sample: 16 RPCs in flight for a rate, and 1 for a latency."""

    #: RPCs of 1 MiB to each endpoint.
    large_rpcs = variable(int)

    #: RPCs of 2 KiB, or of nothing, to each endpoint.
    small_rpcs = variable(int)

    scales = {
        "quick": {"repetitions": 3, "large_rpcs": 200, "small_rpcs": 2000},
        "acceptance": {"repetitions": 5, "large_rpcs": 2000, "small_rpcs": 20000},
    }

    def groups(self, subject: Subject, metric: Metric) -> Sequence[Sequence[str]]:
        """The clients that run self_test for a metric: those of a group at once."""
        raise NotImplementedError

    def masters(self, subject: Subject) -> tuple[int, ...]:
        """The ranks that send; none where the clients do."""
        return ()

    def asked(self, subject: Subject, metric: Metric) -> SelfTest:
        """The run of a metric, to all targets of an engine; of a pair, to those of the second."""
        engine = subject.ends[-1]
        return SelfTest(
            ranks=(self.rank(engine),),
            tags=self.engine(engine).tags.targets,
            sizes=SIZES[metric.name],
            inflight=self.in_flight[metric.name],
            repetitions=self.large_rpcs if metric.transfer == MEBIBYTE else self.small_rpcs,
            masters=self.masters(subject),
            system=self.daos.name,
        )

    def runs(
        self, subject: Subject, metric: Metric, number: int
    ) -> Iterator[tuple[Sequence[str], Step]]:
        """The runs of one sample, each with its clients."""
        asked = self.asked(subject, metric)
        rpcs = len(asked.endpoints) * asked.repetitions
        size = int(metric.transfer.to("B").value) if metric.transfer else 0
        for group, clients in enumerate(self.groups(subject, metric), start=1):
            command = self.command(asked.command())
            yield (
                clients,
                Step(
                    f"{metric.name}.{number}.{group}",
                    # The engine has them all to answer.
                    limit_s=patience_s(len(clients) * rpcs, asked.inflight, size),
                    program=TOOL,
                    commands=[[*srun(clients), *command]],
                    parse=of_clients,
                    hangs=HANGS,
                ),
            )

    def steps(self, subject: Subject) -> Sequence[Step]:
        """The runs of every sample."""
        return [
            step
            for metric in self.entry.metrics
            for number in self.times
            for _, step in self.runs(subject, metric, number)
        ]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """Every sample."""
        return merged(
            TOOL,
            (
                self.sample(subject, metric, number, raw)
                for metric in self.entry.metrics
                for number in self.times
            ),
        )

    def sample(self, subject: Subject, metric: Metric, number: int, raw: Path) -> Parsed:
        """What the runs give together: the sum of their rates, or the slowest endpoint's median."""
        asked = self.asked(subject, metric)
        values: list[float] = []
        for clients, step in self.runs(subject, metric, number):
            output = text(raw, step.name, "out")
            read = of_clients(output, asked)
            if read.problems:
                return Parsed(TOOL, (), tuple(f"{step.name}: {each}" for each in read.problems))
            if (printed := len(by_process(output))) != len(clients):
                wrong = f"{step.name}: {printed} of {len(clients)} clients printed a result"
                return Parsed(TOOL, (), (wrong,))
            figure = FIGURES[metric.unit]
            values += [sample.value for sample in read.samples if sample.metric == figure]
        value = max(values) if metric.unit == "us" else sum(values)
        return Parsed(TOOL, (Sample(metric.name, value, metric.unit),))

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By its name."""
        return sample.metric == metric.name


@rfm.simple_test
class SelfTestClientServer(SelfTestCheck):
    """RPCs from the clients to the targets of one engine after the other."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One engine at a time."""
        return [[subject] for subject in self.subjects]

    def groups(self, subject: Subject, metric: Metric) -> Sequence[Sequence[str]]:
        """All clients at once for a rate; for a latency one, and for acceptance one at a time."""
        if metric.unit != "us":
            return [self.hosts]
        alone = self.hosts[:1] if self.scale == "quick" else self.hosts
        return [[client] for client in alone]


@rfm.simple_test
class SelfTestCrossServer(SelfTestCheck):
    """RPCs from one engine to the targets of another, for every two engines."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no engine is in two pairs: it runs one session at a time."""
        rounds: list[list[Subject]] = []
        for pair in self.subjects:
            ends = set(pair.ends)
            free = (
                together
                for together in rounds
                if ends.isdisjoint(end for other in together for end in other.ends)
            )
            chosen = next(free, None)
            if chosen is None:
                rounds.append(chosen := [])
            chosen.append(pair)
        return rounds

    def masters(self, subject: Subject) -> tuple[int, ...]:
        """The first engine of the pair."""
        return (self.rank(subject.end),)

    def groups(self, subject: Subject, metric: Metric) -> Sequence[Sequence[str]]:
        """One client, which only gives the orders."""
        return [[self.hosts[self.subjects.index(subject) % len(self.hosts)]]]
