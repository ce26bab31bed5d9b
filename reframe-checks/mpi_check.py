"""What the checks that run an MPI benchmark on the clients share."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.checks.backends import Backend, backend_of, container, library_directory
from assay.checks.load import ranks_per_node
from assay.shell import JOB, SCRATCH, Text
from assay.subject import Subject
from assay.tools.dfs import Dfs
from assay.tools.interception import environment
from assay_check import Commands, PartitionCheck
from daos_check import SystemCheck, in_container

STONEWALL_S = {"quick": 2, "acceptance": 30}
"""How long IOR writes and mdtest makes files; 30 s as in DAOS's own runs of IO500, whose rules want
300 s."""


OWN = "assay." + JOB
"""How the names of all that a job makes begin, where no scratch directory is made for it."""


class MpiCheck(SystemCheck, PartitionCheck):
    """An MPI program on clients, of which one subject after the other is measured."""

    @property
    def ranks_per_node(self) -> int:
        """Ranks on each client, which all have the same number of them."""
        return ranks_per_node(self.cluster, self.hosts, self.scale)

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One at a time: all of them lead to the same storage."""
        return [[subject] for subject in self.subjects]

    def launcher(self, hosts: Sequence[str], ranks_per_node: int) -> list[str]:
        """The beginning of a command that runs so many processes on each of some clients.

        `--mpi=none` would make a world of every rank. Without a rank that has died the others wait
        in MPI for ever.
        """
        return [
            *("srun", "--mpi=pmi2", f"--nodelist={','.join(hosts)}", f"--nodes={len(hosts)}"),
            *(f"--ntasks={ranks_per_node * len(hosts)}", f"--ntasks-per-node={ranks_per_node}"),
            *("--cpus-per-task=1", "--cpu-bind=cores", "--kill-on-bad-exit"),
        ]


class BackendCheck(MpiCheck):
    """One MPI program over every client, by one way to the storage after the other."""

    uses_container = True

    @property
    def tasks(self) -> int:
        """Ranks of the program."""
        return self.ranks_per_node * len(self.hosts)

    def backend(self, subject: Subject) -> Backend:
        """The way to the storage that a subject is."""
        return backend_of(subject)

    def dfs(self, subject: Subject) -> Dfs | None:
        """The container, for a benchmark that is to open it itself."""
        return container(self.cluster) if self.backend(subject).api == "DFS" else None

    def directory(self, subject: Subject) -> Path:
        """The directory that all clients share."""
        return self.cluster.benchmarks.shared_directory

    def room(self, subject: Subject) -> Commands:
        """Scratch in a shared directory; a container has no room that `df` could tell."""
        if self.backend(subject).name == "posix":
            return super().room(subject)
        return [in_container(self.cluster, OWN)]

    def guards(self, subject: Subject) -> Commands:
        """What goes by a mount needs it on every client."""
        commands = [*super().guards(subject)]
        if self.backend(subject).mounted:
            launcher = self.launcher(self.hosts, 1)
            commands.append(["on_dfuse", str(self.cluster.daos.mount), *launcher])
        return commands

    def place(self, subject: Subject) -> tuple[Text, Text]:
        """Where the files of a benchmark go, and how all names of this job begin there."""
        backend, daos = self.backend(subject), self.cluster.daos
        if backend.name == "posix":
            return SCRATCH, ""
        if backend.api == "MPIIO":
            return f"daos://{daos.pool}/{daos.container}", OWN + "."
        return str(daos.mount) if backend.mounted else "", OWN + "."

    def path(self, subject: Subject, name: str) -> Text:
        """The path of a benchmark's file."""
        directory, begin = self.place(subject)
        return directory + "/" + begin + name

    def launch(self, subject: Subject, program: Path | None, command: list[Text]) -> list[Text]:
        """The command on every client, intercepted where the subject is."""
        _, *arguments = command
        library = self.backend(subject).library
        variables = environment(library, str(library_directory(self.cluster))) if library else {}
        # Not in srun's own environment: it would be intercepted itself.
        preload = ["env", *(f"{name}={value}" for name, value in variables.items())]
        return [
            *self.launcher(self.hosts, self.ranks_per_node),
            *(preload if variables else []),
            *(str(program), *arguments),
        ]
