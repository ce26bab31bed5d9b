"""ECMWF's FDB on a POSIX file system, measured with fdb-hammer."""

from collections.abc import Sequence
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import run_before

from assay.expect import FDB_PROCESSES
from assay.plan import Metric
from assay.steps import Evict, Shell, Step, read
from assay.tools.fdb_hammer import (
    MEBIBYTE,
    SHARED,
    TOOL,
    Fields,
    Layout,
    configuration,
    parse,
    read_command,
    schema,
    write_command,
)
from assay.tools.output import Parsed, Sample, merged
from assay_check import HostCheck

FIELDS = {"quick": Fields(per_step=16, steps=4), "acceptance": Fields(per_step=64, steps=16)}
"""Fields of 1 MiB of each process."""


class FdbCheck(HostCheck):
    """Processes at once write 1 MiB fields and read them back, every field checked."""

    layout: Layout

    @run_before("run")
    def write_the_schema(self):
        self.write("fdb-schema", [schema(self.layout).rstrip()])

    @property
    def total_bytes(self) -> int:
        """Bytes that a phase moves."""
        return FDB_PROCESSES * FIELDS[self.scale].bytes

    @property
    def scratch_mib(self) -> dict[str, int]:
        """Room for one sample's fields: each is removed before the next."""
        return {self.scale: self.total_bytes // MEBIBYTE + 128}

    def steps(self, subject: str) -> Sequence[Step | Evict | Shell]:
        """A new database for each sample, written, evicted from the page cache, and read."""
        steps: list[Step | Evict | Shell] = []
        for number in self.times:
            root = f"$SCRATCH/{number}"
            steps += [
                Shell(f'mkdir "{root}"'),
                self.phase(f"write.{number}", root, write_command),
                Evict(f"read.{number}", root),
                self.phase(f"read.{number}", root, read_command),
                Shell(f'rm -r "{root}"'),
            ]
        return steps

    def phase(self, name: str, root: str, command) -> Step:
        """One phase: all processes at once."""
        benchmarks, fields = self.cluster.benchmarks, FIELDS[self.scale]
        environment = f"FDB5_CONFIG={configuration(root, '$PWD/fdb-schema')}"
        program, field = str(benchmarks.fdb_hammer), str(benchmarks.fdb_share / "field.grib")
        return Step(
            name,
            limit_s=300,
            program=program,
            commands=[
                ["env", environment, *command(program, field, process, fields, self.layout)]
                for process in range(FDB_PROCESSES)
            ],
        )

    def parsed(self, subject: str, raw: Path) -> Parsed:
        """Global timing of each phase, its time to open, and every process's own figures."""
        started = {step.name: step.start for step in read(raw)}
        return merged(
            TOOL,
            (
                parse(
                    (raw / f"{step.name}.out").read_text(encoding="utf-8"),
                    expected_processes=FDB_PROCESSES,
                    expected_bytes=FIELDS[self.scale].bytes,
                    started=started[step.name],
                )
                for step in self.steps(subject)
                if isinstance(step, Step)
            ),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase, of all processes together."""
        return sample.metric in (metric.name, f"{metric.name}_bandwidth")


@rfm.simple_test
class FdbHammer(FdbCheck):
    """FDB's fields of 1 MiB on a file system, under one index that all processes share."""

    layout = SHARED


@rfm.simple_test
class FdbHammerSeparate(FdbCheck):
    """FDB's fields of 1 MiB on a file system, under an index for each process."""

    layout = Layout(separate_index=True)
