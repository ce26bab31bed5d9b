"""The SSDs of DAOS's engines, measured with SPDK's benchmark, bypassing the kernel."""

from collections.abc import Sequence
from typing import Literal

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.checks.benchmarks.nvme_perf import read_at_once, samples
from assay.checks.plan import Metric
from assay.shell import Output
from assay.subject import Subject
from assay.tools.spdk_nvme_perf import TOOL, NvmePerf, parse, pcie, programs
from assay_check import AssayCheck
from mixins.daos import RunsDaosPrograms
from mixins.in_flight import KeepsInFlight
from mixins.launch import RunsOnEachHost

START_S = 60
"""Time limit of finding the devices, in seconds, beyond the time of the run."""


class NvmeCheck(RunsDaosPrograms, KeepsInFlight, RunsOnEachHost, AssayCheck):
    """Reads of each SSD alone, and of all SSDs of a host at once; nothing is written."""

    #: Seconds of each run.
    run_s = variable(int)

    #: SPDK drives the SSDs from user space.
    needs_root = True

    #: Order in which blocks are read.
    pattern: Literal["read", "randread"]

    def node(self, subject: Subject, address: str) -> int:
        """The NUMA node of an SSD; behind VMD, that of its controller."""
        host = self.host(subject)
        device = host.nvme.get(address) or host.vmd.get(host.vmd_of(address) or "")
        return (device and device.numa_node) or 0

    def run_of(self, subject: Subject, metric: Metric, name: str) -> Step:
        """One run on SSDs of the subject's host, with a core of its own NUMA node for each."""
        addresses: Sequence[str] = read_at_once(self.cluster, subject, metric)
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
            name,
            limit_s=self.run_s + START_S,
            program=TOOL,
            commands=[perf.command(here)],
            parse=parse,
        )

    def steps(self, subject: Subject) -> Sequence[Step]:
        """The runs of the subject."""
        return [
            self.run_of(subject, metric, name)
            for metric, runner, name in samples(self.measured, subject)
            if runner == subject
        ]


@rfm.simple_test
class NvmeBandwidth(NvmeCheck):
    """1 MiB reads of each SSD of the engines, alone and together with the others of its host."""

    pattern = "read"


@rfm.simple_test
class NvmeIops(NvmeCheck):
    """4 KiB random reads of each SSD of the engines: rate, alone and together, and latency."""

    pattern = "randread"
