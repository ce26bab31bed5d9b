"""The SSDs of DAOS's engines, measured with SPDK's benchmark, past the kernel."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step, printed
from assay.checks.plan import Metric
from assay.shell import Output
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.spdk_nvme_perf import TOOL, NvmePerf, parse, pcie, programs
from assay_check import AssayCheck
from mixins.daos import RunsDaosPrograms
from mixins.in_flight import KeepsInFlight
from mixins.launch import RunsOnEachHost

START_S = 60
"""How long the devices may take to be found, beyond the time of the run."""

FIGURES = {"MiB/s": "bandwidth", "IO/s": "rate", "us": "latency"}


class NvmeCheck(RunsDaosPrograms, KeepsInFlight, RunsOnEachHost, AssayCheck):
    """Reads of each SSD alone, and of all SSDs of a host at once; nothing is written."""

    #: Seconds of each run.
    run_s = variable(int)

    scales = {
        "quick": {"repetitions": 3, "run_s": 2},
        "acceptance": {"repetitions": 5, "run_s": 10},
    }

    #: SPDK drives the SSDs past the kernel.
    needs_root = True

    #: In which order blocks are read.
    pattern: Literal["read", "randread"]

    #: The metric that is of an SSD while all SSDs of its host are read.
    together: str

    def ssds(self, subject: Subject) -> list[str]:
        """The addresses of all SSDs on the subject's host."""
        return [ssd.device for ssd in self.on(subject.host) if ssd.device]

    def node(self, subject: Subject, address: str) -> int:
        """The NUMA node of an SSD; one behind VMD is where its controller is."""
        host = self.host(subject)
        device = host.nvme.get(address) or host.vmd.get(host.vmd_of(address) or "")
        return (device and device.numa_node) or 0

    def run_of(
        self, subject: Subject, metric: Metric, number: int, addresses: Sequence[str]
    ) -> Step:
        """One run on some SSDs of the subject's host, with a core for each that is near to it."""
        assert metric.transfer
        addresses = sorted(addresses, key=lambda address: self.node(subject, address))
        nodes = [str(self.node(subject, address)) for address in addresses]
        perf = NvmePerf(
            transports=tuple(map(pcie, addresses)),
            pattern=self.pattern,
            io_bytes=int(metric.transfer.to("B").value),
            queue_depth=self.in_flight[metric.name],
            seconds=self.run_s,
            core_mask="[" + Output("cores", *nodes) + "]",
            vmd=any(map(self.host(subject).vmd_of, addresses)),
        )
        where = self.daos.prefix / "bin"
        names = programs(self.daos.version)
        here = Output("either", *(str(where / program) for program in names), *names)
        return Step(
            f"{metric.name}.{number}",
            limit_s=self.run_s + START_S,
            program=TOOL,
            commands=[perf.command(here)],
            parse=parse,
        )

    def runs(self, subject: Subject) -> Iterator[tuple[Metric, Subject, Step]]:
        """The runs that a subject takes its samples from, each with whom it is run for.

        Those of all SSDs together are run once, for the first SSD of the host.
        """
        first = Subject(subject.host, device=self.ssds(subject)[0])
        for metric in self.entry.metrics:
            runner = first if metric.name == self.together else subject
            addresses = self.read_at_once(subject, metric)
            for number in self.times:
                yield metric, runner, self.run_of(subject, metric, number, addresses)

    def read_at_once(self, subject: Subject, metric: Metric) -> Sequence[str]:
        """The addresses of the SSDs that are read at once for a metric of one of them."""
        assert subject.device
        return self.ssds(subject) if metric.name == self.together else [subject.device]

    def steps(self, subject: Subject) -> Sequence[Step]:
        """The runs that are run for the subject."""
        return [step for _, runner, step in self.runs(subject) if runner == subject]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The figures of the subject's SSD in all runs that it is in."""
        parts = []
        for metric, runner, step in self.runs(subject):
            expected = tuple(self.read_at_once(subject, metric))
            assert runner.device
            run = parse(printed(raw.parent / runner.device, step), expected_devices=expected)
            samples = tuple(
                Sample(metric.name, sample.value, sample.unit)
                for sample in run.samples
                if sample.metric == FIGURES[metric.unit]
                and sample.labels["device"] == subject.device
            )
            parts.append(Parsed(TOOL, samples, run.problems))
        return merged(TOOL, parts)

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By its name."""
        return sample.metric == metric.name


@rfm.simple_test
class NvmeBandwidth(NvmeCheck):
    """1 MiB reads of each SSD of the engines, alone and together with the others of its host."""

    pattern = "read"
    together = "read_1m_together"


@rfm.simple_test
class NvmeIops(NvmeCheck):
    """4 KiB random reads of each SSD of the engines: rate, alone and together, and latency."""

    pattern = "randread"
    together = "randread_4k_together"
