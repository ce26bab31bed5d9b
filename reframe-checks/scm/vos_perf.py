"""The SCM of one engine, measured with vos_perf: DAOS's storage engine without network or SSDs."""

from collections.abc import Sequence
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step
from assay.shell import SCRATCH, Output
from assay.subject import Subject
from assay.tools.perf_common import Values, spelled
from assay.tools.vos_perf import TOOL, VosPerf, environment, parse
from assay_check import AssayCheck, Commands
from mixins.daos import RunsDaosPrograms
from mixins.files import WritesFiles
from mixins.launch import RunsOnEachHost

SYSTEM_MIB = 128
"""Size of VOS's own database beside the pool (`SYS_DB_SIZE` in src/vos/sys_db.c)."""

LIMIT_S = 120


class VosPerfCheck(RunsDaosPrograms, WritesFiles, RunsOnEachHost, AssayCheck):
    """vos_perf in the mount of one engine after the other, by one process close to that memory."""

    #: MiB of the pool that each run creates and removes.
    pool_mib = variable(int)

    #: The SCM belongs to daos_server or root.
    needs_root = True

    #: Values that each run writes and fetches.
    values = variable(int)

    #: Bytes of each value, as the program spells them.
    value_size: str

    #: Use array values; otherwise single values.
    array = False

    #: Omit the flush of CPU caches, as the engine does if these survive a loss of power.
    no_flush = False

    def needed_mib(self) -> int:
        """Space for vos_perf's own pool."""
        return self.pool_mib + SYSTEM_MIB + 64

    def directory(self, subject: Subject) -> Path:
        """The mount of the engine's SCM."""
        tier = self.engine(subject).scm_tier
        assert tier
        assert tier.scm_mount
        return tier.scm_mount

    def guards(self, subject: Subject) -> Commands:
        """Check also that the engine's SCM is mounted."""
        return [*super().guards(subject), ["mounted", str(self.directory(subject))]]

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run for each sample, in a new pool, on the first core of the engine's NUMA node."""
        node = self.engine(subject).pinned_numa_node or 0
        variables = environment(no_flush=self.no_flush)
        values = Values(self.value_size, spelled(self.values), array=self.array)
        run = VosPerf(SCRATCH, values, f"{self.pool_mib}M")
        command = [
            *("taskset", "--cpu-list", Output("cores", str(node)), "env"),
            *(f"{name}={value}" for name, value in variables.items()),
            *self.command(run.command()),
        ]
        return [
            Step(
                name,
                self.patient(LIMIT_S, "values"),
                program=TOOL,
                commands=[command],
                parse=parse,
            )
            for name in self.measured.names("run")
        ]


@rfm.simple_test
class VosPerfRate(VosPerfCheck):
    """4 KiB values into one engine's SCM and back: rate and latency."""

    value_size = "4K"


@rfm.simple_test
class VosPerfRateNoFlush(VosPerfCheck):
    """4 KiB values into one engine's SCM and back, with PMEM_NO_FLUSH."""

    value_size = "4K"
    no_flush = True


@rfm.simple_test
class VosPerfBandwidth(VosPerfCheck):
    """1 MiB values into one engine's SCM and back: bandwidth."""

    value_size, array = "1M", True


@rfm.simple_test
class VosPerfBandwidthNoFlush(VosPerfCheck):
    """1 MiB values into one engine's SCM and back, with PMEM_NO_FLUSH."""

    value_size, array = "1M", True
    no_flush = True
