"""ECMWF's FDB on a POSIX file system, measured with fdb-hammer."""

from collections.abc import Callable, Sequence

import reframe as rfm
from reframe.core.builtins import run_before

from assay.campaign.steps import Evict, Shell, Step
from assay.checks.benchmarks.fdb_hammer import POSIX_PROCESSES
from assay.shell import SCRATCH, STAGE, Text
from assay.subject import Subject
from assay.tools.fdb_hammer import (
    MEBIBYTE,
    SHARED,
    Fields,
    Layout,
    configuration,
    read_command,
    schema,
    write_command,
)
from assay_check import AssayCheck
from mixins.fdb import RunsFdbHammer
from mixins.files import WritesFiles
from mixins.launch import RunsOnEachHost

LIMIT_S = 300
"""Time limit of a phase, in seconds."""

Command = Callable[[str, str, int, Fields, Layout], Sequence[Text]]


class FdbPosixCheck(RunsFdbHammer, WritesFiles, RunsOnEachHost, AssayCheck):
    """Processes of each host, on the file system of its scratch directory."""

    layout: Layout

    @run_before("run")
    def write_the_schema(self) -> None:
        self.write("fdb-schema", [schema(self.layout).rstrip()])

    def needed_mib(self) -> int:
        """Space for the fields of one sample; each sample is removed before the next."""
        return POSIX_PROCESSES * self.fields.bytes // MEBIBYTE + 128

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

    def phase(self, name: str, root: Text, command: Command) -> Step:
        """One phase: all processes at once."""
        environment = "FDB5_CONFIG=" + configuration(root, STAGE / "fdb-schema")
        program, field = str(self.benchmark("fdb_hammer")), self.field
        return Step(
            name,
            limit_s=self.patient(LIMIT_S, "fields_per_step", "field_steps"),
            program=program,
            commands=[
                ["env", environment, *command(program, field, process, self.fields, self.layout)]
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
