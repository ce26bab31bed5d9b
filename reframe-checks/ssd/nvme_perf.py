"""The SSDs of DAOS's engines, measured with SPDK's benchmark, past the kernel."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import reframe as rfm

from assay.campaign.steps import Step, printed
from assay.checks.plan import Metric
from assay.shell import Output
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.spdk_nvme_perf import TOOL, NvmePerf, parse, pcie, programs
from assay_check import HostCheck
from daos_check import DaosCheck

SECONDS = {"quick": 2, "acceptance": 10}

START_S = 60
"""How long the devices may take to be found, beyond the time of the run."""


@dataclass(frozen=True)
class Reads:
    """How a metric is measured."""

    pattern: Literal["read", "randread"]
    io_bytes: int
    queue_depth: int
    figure: str
    together: bool = False


class NvmeCheck(DaosCheck, HostCheck):
    """Reads of each SSD alone, and of all SSDs of a host at once; nothing is written."""

    repetitions = {"quick": 3, "acceptance": 5}

    #: How each metric is measured.
    reads: Mapping[str, Reads]

    def ssds(self, subject: Subject) -> list[str]:
        """The addresses of all SSDs on the subject's host."""
        return [ssd.device for ssd in self.subjects if ssd.host == subject.host]

    def node(self, subject: Subject, address: str) -> int:
        """The NUMA node of an SSD; one behind VMD is where its controller is."""
        host = self.host(subject)
        device = host.nvme.get(address) or host.vmd.get(host.vmd_of(address) or "")
        return (device and device.numa_node) or 0

    def one(self, subject: Subject, name: str, addresses: Sequence[str]) -> Step:
        """One run on some SSDs of the subject's host, with a core for each that is near to it."""
        addresses = sorted(addresses, key=lambda address: self.node(subject, address))
        reads = self.reads[name.partition(".")[0]]
        seconds = SECONDS[self.scale]
        nodes = [str(self.node(subject, address)) for address in addresses]
        perf = NvmePerf(
            transports=tuple(map(pcie, addresses)),
            pattern=reads.pattern,
            io_bytes=reads.io_bytes,
            queue_depth=reads.queue_depth,
            seconds=seconds,
            core_mask="[" + Output("cores", *nodes) + "]",
            vmd=any(map(self.host(subject).vmd_of, addresses)),
        )
        where = self.cluster.daos.prefix / "bin"
        names = programs(self.cluster.daos.version)
        here = Output("either", *(str(where / program) for program in names), *names)
        return Step(
            name,
            limit_s=seconds + START_S,
            program=TOOL,
            commands=[perf.command(here)],
            parse=parse,
        )

    def runs(self, subject: Subject) -> Iterator[tuple[Subject, Step]]:
        """The runs that a subject takes its samples from, each with the subject that it is run for.

        Those of all SSDs together are run once, for the first SSD of the host.
        """
        first = Subject(subject.host, device=self.ssds(subject)[0])
        for metric, reads in self.reads.items():
            for number in self.times:
                name = f"{metric}.{number}"
                if reads.together:
                    yield first, self.one(subject, name, self.ssds(subject))
                else:
                    yield subject, self.one(subject, name, [subject.device])

    def steps(self, subject: Subject) -> Sequence[Step]:
        """The runs that are run for the subject."""
        return [step for runner, step in self.runs(subject) if runner == subject]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The figures of the subject's SSD in all runs that it is in."""
        found = []
        for runner, step in self.runs(subject):
            metric = step.name.partition(".")[0]
            reads = self.reads[metric]
            expected = self.ssds(subject) if reads.together else [subject.device]
            path = raw.parent / runner.device
            run = parse(printed(path, step), expected_devices=tuple(expected))
            samples = tuple(
                Sample(metric, sample.value, sample.unit)
                for sample in run.samples
                if sample.metric == reads.figure and sample.labels["device"] == subject.device
            )
            found.append(Parsed(TOOL, samples, run.problems))
        return merged(TOOL, found)

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By its name."""
        return sample.metric == metric.name


@rfm.simple_test
class NvmeBandwidth(NvmeCheck):
    """1 MiB reads of each SSD of the engines, alone and together with the others of its host."""

    reads = {
        "read_1m_alone": Reads("read", 2**20, 16, "bandwidth"),
        "read_1m_together": Reads("read", 2**20, 16, "bandwidth", together=True),
    }


@rfm.simple_test
class NvmeIops(NvmeCheck):
    """4 KiB random reads of each SSD of the engines: rate, alone and together, and latency."""

    reads = {
        "randread_4k_alone": Reads("randread", 4096, 128, "rate"),
        "randread_4k_together": Reads("randread", 4096, 128, "rate", together=True),
        "latency_4k": Reads("randread", 4096, 1, "latency"),
    }
