"""ECMWF's FDB on a POSIX file system, measured with fdb-hammer."""

from collections.abc import Sequence

import reframe as rfm
from reframe.core.builtins import run_before

from assay.campaign.steps import Evict, Shell, Step
from assay.checks.fdb_hammer import POSIX_PROCESSES
from assay.shell import SCRATCH, STAGE, Text
from assay.subject import Subject
from assay.tools.fdb_hammer import (
    MEBIBYTE,
    SHARED,
    Layout,
    configuration,
    read_command,
    schema,
    write_command,
)
from assay_check import HostCheck
from fdb_check import FIELDS, FdbCheck


class FdbPosixCheck(FdbCheck, HostCheck):
    """Processes of each host, on the file system of its scratch directory."""

    layout: Layout

    @run_before("run")
    def write_the_schema(self):
        self.write("fdb-schema", [schema(self.layout).rstrip()])

    def processes(self, subject: Subject) -> int:
        """Processes of a host."""
        return POSIX_PROCESSES

    def bytes_of_each(self, subject: Subject) -> int:
        """Bytes that each process moves in a phase."""
        return FIELDS[self.scale].bytes

    @property
    def scratch_mib(self) -> dict[str, int]:
        """Room for one sample's fields: each is removed before the next."""
        return {
            scale: POSIX_PROCESSES * fields.bytes // MEBIBYTE + 128
            for scale, fields in FIELDS.items()
        }

    def steps(self, subject: Subject) -> Sequence[Step | Evict | Shell]:
        """A new database for each sample, written, evicted from the page cache, and read."""
        steps: list[Step | Evict | Shell] = []
        for number in self.times:
            root = SCRATCH / str(number)
            steps += [
                Shell(["mkdir", root]),
                self.phase(f"write.{number}", root, write_command),
                Evict(f"read.{number}", root),
                self.phase(f"read.{number}", root, read_command),
                Shell(["rm", "-r", root]),
            ]
        return steps

    def phase(self, name: str, root: Text, command) -> Step:
        """One phase: all processes at once."""
        benchmarks, fields = self.cluster.benchmarks, FIELDS[self.scale]
        environment = "FDB5_CONFIG=" + configuration(root, STAGE / "fdb-schema")
        program, field = str(benchmarks.fdb_hammer), str(benchmarks.fdb_share / "field.grib")
        return Step(
            name,
            limit_s=300,
            program=program,
            commands=[
                ["env", environment, *command(program, field, process, fields, self.layout)]
                for process in range(POSIX_PROCESSES)
            ],
        )


@rfm.simple_test
class FdbHammer(FdbPosixCheck):
    """FDB's fields of almost 1 MiB on a file system, under one index that all processes share."""

    layout = SHARED


@rfm.simple_test
class FdbHammerSeparate(FdbPosixCheck):
    """FDB's fields of almost 1 MiB on a file system, under an index for each process."""

    layout = Layout(separate_index=True)
