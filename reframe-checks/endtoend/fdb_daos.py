"""ECMWF's FDB in a pool of DAOS, measured with fdb-hammer from all clients at once."""

from collections.abc import Iterable, Sequence
from math import ceil

import reframe as rfm
from reframe.core.builtins import run_before

from assay.campaign.steps import Shell, Step
from assay.checks.fdb_hammer import daos_processes
from assay.shell import JOB, STAGE, line
from assay.subject import Subject
from assay.tools.fdb_hammer import (
    CONTAINERS,
    Fields,
    Layout,
    daos_configuration,
    parse,
    read_command,
    root_container,
    schema,
    write_command,
)
from assay_check import PartitionCheck
from daos_check import SystemCheck
from fdb_check import FIELDS, FdbCheck

LONGEST_S = {"quick": 120, "acceptance": 900}
"""How long a phase may take."""

ROOM = 2
"""How often what a sample writes has to fit into the pool: DAOS frees what is destroyed later, and
targets do not fill evenly (this project's own choice)."""

COMMANDS = {"write": write_command, "read": read_command}


class FdbDaosCheck(FdbCheck, SystemCheck, PartitionCheck):
    """Processes on all clients together, in containers of a pool."""

    repetitions = {"quick": 3, "acceptance": 5}
    scripts = ("steps.sh", "endtoend/containers.sh")
    separate_index: bool

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One number of containers at a time."""
        return [[subject] for subject in self.subjects]

    def processes(self, subject: Subject) -> int:
        """Processes on all clients together."""
        return daos_processes(self.cluster, subject.containers, self.scale)

    def layout(self, subject: Subject) -> Layout:
        """Containers that the processes share, or several that each has to itself."""
        containers = subject.containers
        of_each = max(1, containers // self.processes(subject))
        return Layout(containers, self.separate_index, of_each)

    def fields(self, subject: Subject) -> Fields:
        """Fields of a process in each of its containers."""
        return FIELDS[self.scale].over(self.layout(subject).of_each)

    def bytes_of_each(self, subject: Subject) -> int:
        """Bytes that each process moves in a phase."""
        return self.layout(subject).of_each * self.fields(subject).bytes

    def wrong_before(self) -> list[str]:
        """The system and the pool are whole, and the pool has room."""
        if wrong := super().wrong_before():
            return wrong
        largest = max(self.processes(each) * self.bytes_of_each(each) for each in self.subjects)
        return self.short_of_room("pool.before", self.cluster.daos.pool, ROOM * largest)

    @run_before("run")
    def write_schemas_and_commands(self):
        program = str(self.cluster.benchmarks.fdb_hammer_daos)
        field = str(self.cluster.benchmarks.fdb_share / "field.grib")
        for subject in self.subjects:
            layout, fields = self.layout(subject), self.fields(subject)
            self.write(self.file(subject, "schema"), [schema(layout).rstrip()])
            for phase, command in COMMANDS.items():
                commands = (
                    f"{process}) exec {line(command(program, field, process, fields, layout))} ;;"
                    for process in range(self.processes(subject))
                )
                script = ["case $SLURM_PROCID in", *commands, "esac"]
                self.write(self.file(subject, phase), script)

    @staticmethod
    def file(subject: Subject, what: str) -> str:
        """The name of a file of a subject, beside the job's script."""
        return f"fdb.{subject.containers}.{what}"

    def limit_s(self, subject: Subject) -> int:
        """Every container that a sample makes is destroyed after it, several at once."""
        destroy_s = 60 + subject.containers
        return super().limit_s(subject) + len(self.times) * destroy_s

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """New databases for each sample, written, read, and taken away."""
        pool = self.cluster.daos.pool
        not_destroyed = f"daos did not destroy what FDB made in the pool {pool}"
        own = [CONTAINERS, pool, *self.command(["daos"])]
        steps: list[Step | Shell] = [
            Shell([".", "./containers.sh"]),
            Shell(["note_containers", *own]),
            Shell(["none_before", pool]),
        ]
        for number in self.times:
            steps += [self.phase(subject, phase, number) for phase in COMMANDS]
            steps.append(Shell(["take_away", *own], refusal=not_destroyed))
        return steps

    def phase(self, subject: Subject, phase: str, number: int) -> Step:
        """One phase of a sample: all processes at once, each by its line of a script."""
        where = daos_configuration(
            self.cluster.daos.pool,
            root_container(JOB, number),
            STAGE / self.file(subject, "schema"),
        )
        return Step(
            f"{phase}.{number}",
            LONGEST_S[self.scale],
            program=str(self.cluster.benchmarks.fdb_hammer_daos),
            commands=[
                [
                    *("env", "FDB5_CONFIG=" + where),
                    *self.launcher(subject),
                    *("bash", self.file(subject, phase)),
                ]
            ],
            parse=parse,
        )

    def launcher(self, subject: Subject) -> list[str]:
        """The beginning of a command that deals the processes over the clients."""
        processes = self.processes(subject)
        hosts = self.hosts[:processes]
        most = ceil(processes / len(hosts))
        return [
            *("srun", "--mpi=none", f"--nodelist={','.join(hosts)}", f"--nodes={len(hosts)}"),
            *(f"--ntasks={processes}", f"--ntasks-per-node={most}", "--distribution=cyclic"),
            *("--cpus-per-task=1", "--cpu-bind=cores", "--kill-on-bad-exit", "--label"),
        ]


@rfm.simple_test
class FdbHammerDaos(FdbDaosCheck):
    """FDB's fields of almost 1 MiB in DAOS, the processes of a container sharing its index."""

    separate_index = False


@rfm.simple_test
class FdbHammerDaosSeparate(FdbDaosCheck):
    """FDB's fields of almost 1 MiB in DAOS, under an index key-value for each process."""

    separate_index = True
