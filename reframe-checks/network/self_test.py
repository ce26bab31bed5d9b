"""DAOS's own fabric, measured with CaRT's self_test."""

from collections.abc import Iterable, Iterator, Sequence

import reframe as rfm
from reframe.core.builtins import variable
from reframe.core.exceptions import ReframeError

from assay.campaign.steps import Step
from assay.checks.benchmarks.self_test import (
    asked,
    groups,
    of_clients,
    processes,
    step_name,
)
from assay.checks.pairs import clients_of, matched, rail_rounds
from assay.checks.plan import Metric
from assay.checks.ranks import SYSTEM_BEFORE, NoRankError
from assay.cluster.rails import device_class, rails
from assay.subject import Subject
from assay.tools.self_test import TOOL, SelfTest, rail_variables
from assay_check import AssayCheck
from mixins.daos import NeedsDaos, patience_s, srun
from mixins.in_flight import KeepsInFlight
from mixins.launch import StartsItsPrograms

HANGS = (
    "its RPCs take too long, or it waits for a rank that is dead, or that has fewer targets, and so"
    " tags, than described"
)


class SelfTestCheck(NeedsDaos, KeepsInFlight, StartsItsPrograms, AssayCheck):
    """A run for each metric and sample: 16 RPCs in flight for a rate, and 1 for a latency."""

    #: RPCs of 1 MiB to each endpoint.
    large_rpcs = variable(int)

    #: RPCs of 2 KiB, or of nothing, to each endpoint.
    small_rpcs = variable(int)

    scripts = ("network/rail.sh",)

    def runs(self, subject: Subject, metric: Metric, number: int) -> Iterator[Step]:
        """The runs of one sample, one for each group of clients."""
        sent = self.asked(subject, metric)
        rpcs = len(sent.endpoints) * sent.repetitions
        size = int(metric.transfer.to("B").value) if metric.transfer else 0
        each = processes(self.measured, subject, metric)
        for group, clients in enumerate(groups(self.measured, subject, metric), start=1):
            command = [*self.on_rails(subject, clients, each), *self.command(sent.command())]
            yield Step(
                step_name(metric, number, group),
                # The engine must answer the RPCs of all clients.
                limit_s=patience_s(len(clients) * each * rpcs, sent.inflight, size),
                program=TOOL,
                commands=[[*srun(clients, each), "--label", *command]],
                parse=of_clients,
                hangs=HANGS,
            )

    def on_rails(self, subject: Subject, clients: Sequence[str], each: int) -> list[str]:
        """The beginning of a command that puts each process on a rail; empty if the agent may."""
        if subject.rail is None and each == 1:
            return []
        given = [
            f"{name}={','.join([subject.rail] if subject.rail else rails(self.cluster, name))}"
            for name in clients
        ]
        domains = device_class(self.cluster.provider)
        return ["bash", "rail.sh", domains, *rail_variables(self.daos.version), *given, "--"]

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
class SelfTestByRail(SelfTestCheck):
    """RPCs from one rail of a client at a time to the targets of an engine."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no client and no engine is in two pairs."""
        return rail_rounds(self.cluster)


@rfm.simple_test
class SelfTestCrossServer(SelfTestCheck):
    """RPCs from one engine to the targets of another, for every pair of engines."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no engine is in two pairs, since it runs one session at a time."""
        return matched(self.subjects)
