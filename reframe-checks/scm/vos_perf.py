"""The SCM of one engine, measured with vos_perf: DAOS's storage engine without network or SSDs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Step, printed
from assay.checks.plan import Metric
from assay.shell import SCRATCH, Output
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.perf_common import Values
from assay.tools.vos_perf import TOOL, VosPerf, environment, parse
from assay_check import Commands, HostCheck
from daos_check import DaosCheck

POOL_MIB = {"quick": 512, "acceptance": 4096}
"""The pool that each run makes, and takes away."""

SYSTEM_MIB = 128
"""What VOS makes beside it for itself (`SYS_DB_SIZE` in src/vos/sys_db.c)."""

LIMIT_S = 120


class VosPerfCheck(DaosCheck, HostCheck):
    """vos_perf in the mount of one engine after the other, by one process beside that memory."""

    repetitions = {"quick": 3, "acceptance": 7}

    #: The values that a run writes and fetches, by scale.
    values: Mapping[str, Values]

    #: What the program prints for a unit: `update_4k` in IO/s is its `update_rate`.
    figures = {"IO/s": "rate", "MiB/s": "bandwidth", "us": "latency"}

    #: Leave out the flush of CPU caches, as the engine does where these survive a loss of power.
    no_flush = False

    @property
    def scratch_mib(self) -> Mapping[str, int]:
        """Room for vos_perf's own pool."""
        return {scale: mib + SYSTEM_MIB + 64 for scale, mib in POOL_MIB.items()}

    def directory(self, subject: Subject) -> Path:
        """The mount of the engine's SCM."""
        return self.engine(subject).scm_tier.scm_mount

    def guards(self, subject: Subject) -> Commands:
        """No engine runs, and its SCM is mounted."""
        return [*super().guards(subject), ["mounted", str(self.directory(subject))]]

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample, in a new pool, on the first core of the engine's NUMA node."""
        node = self.engine(subject).pinned_numa_node or 0
        variables = environment(no_flush=self.no_flush)
        run = VosPerf(SCRATCH, self.values[self.scale], f"{POOL_MIB[self.scale]}M")
        command = [
            *("taskset", "--cpu-list", Output("cores", str(node)), "env"),
            *(f"{name}={value}" for name, value in variables.items()),
            *self.command(run.command()),
        ]
        return [
            Step(f"run.{number}", LIMIT_S, program=TOOL, commands=[command], parse=parse)
            for number in self.times
        ]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """The results of every run, and what was said beside them."""
        return merged(
            TOOL,
            (parse(printed(raw, step), expected_processes=1) for step in self.steps(subject)),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the test, update or fetch, and by what is told of it."""
        test = metric.name.partition("_")[0]
        return sample.metric == f"{test}_{self.figures[metric.unit]}"


class RateCheck(VosPerfCheck):
    """Single values of 4 KiB under one key."""

    values = {"quick": Values("4K", "50k"), "acceptance": Values("4K", "500k")}


class BandwidthCheck(VosPerfCheck):
    """Array values of 1 MiB under one key."""

    values = {
        "quick": Values("1M", "256", array=True),
        "acceptance": Values("1M", "2k", array=True),
    }


@rfm.simple_test
class VosPerfRate(RateCheck):
    """4 KiB values into one engine's SCM and back: rate and latency."""


@rfm.simple_test
class VosPerfRateNoFlush(RateCheck):
    """4 KiB values into one engine's SCM and back, with PMEM_NO_FLUSH."""

    no_flush = True


@rfm.simple_test
class VosPerfBandwidth(BandwidthCheck):
    """1 MiB values into one engine's SCM and back: bandwidth."""


@rfm.simple_test
class VosPerfBandwidthNoFlush(BandwidthCheck):
    """1 MiB values into one engine's SCM and back, with PMEM_NO_FLUSH."""

    no_flush = True
