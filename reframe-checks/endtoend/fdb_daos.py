"""ECMWF's FDB in a pool of DAOS, measured with fdb-hammer from all clients at once."""

from collections.abc import Iterable, Sequence
from math import ceil, prod

import reframe as rfm
from reframe.core.builtins import run_before

from assay.campaign.steps import Shell, Step
from assay.checks.benchmarks.fdb_hammer import fields_in_each, layout, load_in_daos
from assay.cluster.rails import most_rails
from assay.shell import JOB, STAGE, line
from assay.subject import Subject
from assay.tools.fdb_hammer import (
    CONTAINERS,
    Layout,
    daos_configuration,
    parse,
    read_command,
    root_container,
    schema,
    write_command,
)
from assay_check import AssayCheck, Commands
from mixins.daos import NeedsDaos
from mixins.fdb import RunsFdbHammer
from mixins.launch import StartsItsPrograms

LONGEST_S = {"quick": 120, "acceptance": 900}
"""Time limit of a phase, in seconds, by scale."""

ROOM = 2
"""Required free space of the pool, in multiples of what a sample writes: DAOS frees destroyed data
later, and targets do not fill evenly (this project's own choice)."""

COMMANDS = {"write": write_command, "read": read_command}


class FdbDaosCheck(RunsFdbHammer, NeedsDaos, StartsItsPrograms, AssayCheck):
    """Processes on all clients together, in containers of a pool."""

    scripts = ("endtoend/containers.sh",)
    separate_index: bool

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One number of containers at a time."""
        return [[subject] for subject in self.subjects]

    def processes(self, subject: Subject) -> int:
        """Processes on all clients together."""
        return load_in_daos(self.measured, subject)[0]

    @staticmethod
    def containers(subject: Subject) -> int:
        """Number of containers that they write to."""
        assert subject.containers
        return subject.containers

    @property
    def pool(self) -> str:
        """The pool of these containers."""
        assert self.daos.pool
        return self.daos.pool

    def layout(self, subject: Subject) -> Layout:
        """Containers that the processes share, or several separate ones for each process."""
        return layout(self.measured, subject, separate_index=self.separate_index)

    def problems_before(self) -> list[str]:
        """Check also the pool's free space."""
        if problems := super().problems_before():
            return problems
        largest = max(prod(load_in_daos(self.measured, each)) for each in self.subjects)
        return self.short_of_room("pool.before", self.pool, ROOM * largest)

    @run_before("run")
    def write_schemas_and_commands(self) -> None:
        program = str(self.benchmark("fdb_hammer_daos"))
        for subject in self.subjects:
            layout, fields = self.layout(subject), fields_in_each(self.measured, subject)
            self.write(self.file(subject, "schema"), [schema(layout).rstrip()])
            for phase, command in COMMANDS.items():
                commands = (
                    line(command(program, self.field, process, fields, layout))
                    for process in range(self.processes(subject))
                )
                cases = (f"{process}) exec {each} ;;" for process, each in enumerate(commands))
                script = ["case $SLURM_PROCID in", *cases, "esac"]
                self.write(self.file(subject, phase), script)

    @staticmethod
    def file(subject: Subject, what: str) -> str:
        """The name of a subject's file beside the job's script."""
        return f"fdb.{subject.containers}.{what}"

    def guards(self, subject: Subject) -> Commands:
        """Read also the engines' metrics."""
        return [*super().guards(subject), *self.watched()]

    def limit_s(self, subject: Subject) -> int:
        """The limit of the steps, plus time to destroy the containers after each sample."""
        destroy_s = 60 + self.containers(subject)
        return super().limit_s(subject) + len(self.times) * destroy_s

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """New databases for each sample, which are written, read and destroyed."""
        not_destroyed = f"daos did not destroy what FDB made in the pool {self.pool}"
        own = [CONTAINERS, self.pool, *self.command(["daos"])]
        steps: list[Step | Shell] = [
            Shell([".", "./containers.sh"]),
            Shell(["note_containers", *own]),
            Shell(["none_before", self.pool]),
        ]
        for number in self.times:
            steps += [self.phase(subject, phase, number) for phase in COMMANDS]
            steps.append(Shell(["take_away", *own], refusal=not_destroyed))
        return steps

    def phase(self, subject: Subject, phase: str, number: int) -> Step:
        """One phase of a sample: all processes at once, each with its own line of a script."""
        where = daos_configuration(
            self.pool,
            root_container(JOB, number),
            STAGE / self.file(subject, "schema"),
        )
        return Step(
            f"{phase}.{number}",
            self.patient(LONGEST_S[self.scale], "fields_per_step", "field_steps"),
            program=str(self.benchmark("fdb_hammer_daos")),
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
        """The start of a command that distributes the processes over the clients."""
        processes = self.processes(subject)
        hosts = self.hosts[:processes]
        most = ceil(processes / len(hosts))
        # Then the processes on a client with several rails take its sockets in turn, too.
        places = "cyclic:cyclic" if most_rails(self.cluster) > 1 else "cyclic"
        return [
            *("srun", "--mpi=none", f"--nodelist={','.join(hosts)}", f"--nodes={len(hosts)}"),
            *(f"--ntasks={processes}", f"--ntasks-per-node={most}"),
            f"--distribution={places}",
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
