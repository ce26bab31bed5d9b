"""The network between the hosts of a partition, measured with libfabric's fi_pingpong."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Step, text
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.fi_pingpong import TOOL, PingPong, parse
from assay.tools.output import Parsed, Sample, merged
from assay_check import PartitionCheck

MESSAGES = {
    "bandwidth_1m": PingPong(size=2**20, iterations=1000),
    "latency_64b": PingPong(size=64, iterations=20000),
}
"""The messages of each metric: about a second of them, at 2 GB/s and at 25 us."""

LIMIT_S = 240
"""How long they may take: 10 ms for each small message and its answer are slow, and no hang (seen
with twenty programs on two cores)."""


@rfm.simple_test
class FiPingpong(PartitionCheck):
    """1 MiB bandwidth and 64 B latency of libfabric's tcp provider between neighbouring hosts."""

    scripts = ("steps.sh", "network/pingpong.sh")

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds in which no host is in two pairs: in a ring every other pair, then the rest."""
        ring = list(self.subjects)
        last = [ring.pop()] if len(ring) % 2 and len(ring) > 1 else []
        return [part for part in (ring[::2], ring[1::2], last) if part]

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample: a server serves one client and ends."""
        server, client = (end.host for end in subject.ends)
        pingpong = ["bash", "pingpong.sh", server]
        if server == client:
            # Its own network, with loopback alone: fi_pingpong listens on every address.
            start = ["unshare", "--map-root-user", "--net", *pingpong]
        else:
            hosts = f"--nodelist={server},{client}"
            start = ["srun", hosts, "--nodes=2", "--ntasks=2", "--mpi=none", *pingpong]
        return [
            Step(
                f"{metric}.{number}",
                limit_s=LIMIT_S,
                program=str(self.cluster.benchmarks.fi_pingpong),
                commands=[
                    [
                        *start,
                        *self.end(server, message.server()),
                        "--",
                        *self.end(client, message.client(self.address(subject))),
                    ]
                ],
            )
            for metric, message in MESSAGES.items()
            for number in self.times
        ]

    def address(self, subject: Subject) -> str:
        """Where the client finds the server."""
        server, client = (end.host for end in subject.ends)
        return "127.0.0.1" if server == client else str(self.cluster.hosts[server].address)

    def end(self, host: str, command: list[str]) -> list[str]:
        """One end's command: this site's program, on this host's interface."""
        _, *arguments = command
        interface = self.cluster.hosts[host].interface
        program = str(self.cluster.benchmarks.fi_pingpong)
        return ["env", f"FI_TCP_IFACE={interface}", program, *arguments]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The client's table of every run; its sizes tell the metrics apart."""
        return merged(
            TOOL,
            (parse(text(raw, step.name, "out")) for step in self.steps(subject)),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the size of the message."""
        return sample.labels["size"] == str(MESSAGES[metric.name].size)
