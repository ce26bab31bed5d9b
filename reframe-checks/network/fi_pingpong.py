"""The network between the hosts of a partition, measured with libfabric's fi_pingpong."""

from collections.abc import Iterable, Sequence

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.checks.benchmarks.fi_pingpong import interface_of, rounds, size
from assay.checks.bounds.devices import MEBIBYTE
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.fi_pingpong import PingPong
from assay_check import AssayCheck
from mixins.launch import StartsItsPrograms

LIMIT_S = 240
"""Time limit of a run, in seconds: 10 ms for each small message and its answer are slow, but not a
hang (seen with twenty programs on two cores)."""


@rfm.simple_test
class FiPingpong(StartsItsPrograms, AssayCheck):
    """1 MiB bandwidth and 64 B latency of libfabric's tcp provider between neighbouring hosts."""

    #: Messages of 1 MiB there and back: about a second of them, at 2 GB/s.
    large_messages = variable(int)

    #: Messages of 64 B there and back: about a second of them, at 25 us.
    small_messages = variable(int)

    scripts = ("network/pingpong.sh", "network/crossing.sh")
    needs_all_hosts = False

    def messages(self, metric: Metric) -> PingPong:
        """The messages of a metric."""
        return PingPong(size=size(metric), iterations=getattr(self, self.number(metric)))

    def number(self, metric: Metric) -> str:
        """The variable with the number of messages."""
        return "large_messages" if metric.transfer == MEBIBYTE else "small_messages"

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no host is in two pairs."""
        return rounds(self.present)

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample, since a server serves one client and exits."""
        serving, measuring = subject.ends
        server, client = serving.host, measuring.host
        address = self.address(subject)
        pingpong = ["bash", "pingpong.sh", server]
        if server == client:
            # A separate network with only loopback, since fi_pingpong listens on every address.
            start = ["unshare", "--map-root-user", "--net", *pingpong]
        else:
            hosts = f"--nodelist={server},{client}"
            start = ["srun", hosts, "--nodes=2", "--ntasks=2", "--mpi=none", *pingpong]
        return [
            Step(
                name,
                limit_s=self.patient(LIMIT_S, self.number(metric)),
                program=str(self.benchmark("fi_pingpong")),
                commands=[
                    [
                        *start,
                        *self.end(serving, metric, self.messages(metric).server()),
                        "--",
                        *self.end(measuring, metric, self.messages(metric).client(address)),
                    ]
                ],
            )
            for metric in self.entry.metrics
            for name in self.measured.names(metric.name)
        ]

    def address(self, subject: Subject) -> str:
        """The address of the server."""
        server, client = (end.host for end in subject.ends)
        return "127.0.0.1" if server == client else str(self.cluster.hosts[server].address)

    def end(self, end: Subject, metric: Metric, command: list[str]) -> list[str]:
        """The command of one end: this site's program, on this end's interface."""
        _, *arguments = command
        interface = interface_of(self.cluster, end)
        program = str(self.benchmark("fi_pingpong"))
        ours = ["env", f"FI_TCP_IFACE={interface}", program, *arguments]
        if end.rail is None:
            return ours
        messages = self.messages(metric)
        payload = str(messages.size * messages.iterations)
        return ["bash", "crossing.sh", interface, payload, *ours]
