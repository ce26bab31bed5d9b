"""DAOS's own fabric, measured with CaRT's self_test."""

from collections.abc import Iterable, Iterator, Sequence

import reframe as rfm
from reframe.core.builtins import variable
from reframe.core.exceptions import ReframeError

from assay.campaign.steps import Step
from assay.checks.benchmarks.self_test import (
    SYSTEM_BEFORE,
    NoRankError,
    asked,
    groups,
    of_clients,
    step_name,
)
from assay.checks.pairs import clients_of, matched
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.self_test import TOOL, SelfTest
from assay_check import AssayCheck
from mixins.daos import NeedsDaos, patience_s, srun
from mixins.in_flight import KeepsInFlight
from mixins.launch import StartsItsPrograms

HANGS = "it waits for a rank that is dead, or that has fewer targets, and so tags, than described"


class SelfTestCheck(NeedsDaos, KeepsInFlight, StartsItsPrograms, AssayCheck):
    """A run for each metric and sample: 16 RPCs in flight for a rate, and 1 for a latency."""

    #: RPCs of 1 MiB to each endpoint.
    large_rpcs = variable(int)

    #: RPCs of 2 KiB, or of nothing, to each endpoint.
    small_rpcs = variable(int)

    def runs(self, subject: Subject, metric: Metric, number: int) -> Iterator[Step]:
        """The runs of one sample, one for each group of clients."""
        sent = self.asked(subject, metric)
        rpcs = len(sent.endpoints) * sent.repetitions
        size = int(metric.transfer.to("B").value) if metric.transfer else 0
        for group, clients in enumerate(groups(self.measured, subject, metric), start=1):
            yield Step(
                step_name(metric, number, group),
                # The engine must answer the RPCs of all clients.
                limit_s=patience_s(len(clients) * rpcs, sent.inflight, size),
                program=TOOL,
                commands=[[*srun(clients), "--label", *self.command(sent.command())]],
                parse=of_clients,
                hangs=HANGS,
            )

    def asked(self, subject: Subject, metric: Metric) -> SelfTest:
        """The run of a metric, to all targets of an engine; for a pair, of the second engine."""
        try:
            return asked(self.measured, subject, metric, self.answer(SYSTEM_BEFORE))
        except NoRankError as error:
            raise ReframeError(str(error)) from error

    def steps(self, subject: Subject) -> Sequence[Step]:
        """The runs of every sample."""
        return [
            step
            for metric in self.entry.metrics
            for number in self.times
            for step in self.runs(subject, metric, number)
        ]


@rfm.simple_test
class SelfTestClientServer(SelfTestCheck):
    """RPCs from the clients to the targets of each engine in turn."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no two engines share a client; with few clients, one at a time."""
        return clients_of(self.cluster).rounds


@rfm.simple_test
class SelfTestCrossServer(SelfTestCheck):
    """RPCs from one engine to the targets of another, for every pair of engines."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no engine is in two pairs, since it runs one session at a time."""
        return matched(self.subjects)
