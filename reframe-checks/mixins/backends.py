"""For checks that use one backend of the storage after the other."""

from collections.abc import Sequence
from pathlib import Path

from assay.checks.backends import Backend, backend_of, container, library_directory
from assay.shell import JOB, SCRATCH, Text
from assay.subject import Subject
from assay.tools.daos.dfs import Dfs
from assay.tools.daos.interception import environment
from assay_check import Commands
from mixins.daos import NeedsDaos, in_container, srun
from mixins.files import WritesFiles
from mixins.launch import LaunchesMpi

OWN = "assay." + JOB
"""Prefix of the names of a job's files in places without a scratch directory."""


class UsesEachBackend(NeedsDaos, LaunchesMpi, WritesFiles):
    """An MPI program on all clients: a subject is a backend, from `posix` to `pil4dfs`.

    `posix` is a directory that all clients share, and needs no DAOS.
    """

    uses_container = True

    functions: Sequence[str] = ("steps.sh", "daos_client.sh")
    scripts = ("attach.py",)

    @property
    def tasks(self) -> int:
        """Ranks of the program."""
        return self.ranks_per_node * len(self.hosts)

    def backend(self, subject: Subject) -> Backend:
        """The backend of a subject."""
        return backend_of(subject)

    def dfs(self, subject: Subject) -> Dfs | None:
        """The container, if the benchmark opens it itself."""
        return container(self.cluster) if self.backend(subject).api == "DFS" else None

    def most_bytes(self, subject: Subject, *, least: bool = False) -> float | None:
        """Bytes that a subject's files may take in the pool of somebody else; None: any number.

        `least`: in the tier that has least room, where the names of files are.
        """
        if self.backend(subject).name == "posix" or self.cluster.daos is None:
            return None
        return self.room_in("pool.before", least=least) if self.daos.found else None

    @property
    def in_daos(self) -> list[Subject]:
        """The subjects whose files are in DAOS."""
        return [subject for subject in self.subjects if self.backend(subject).name != "posix"]

    def directory(self, subject: Subject) -> Path:
        """The directory that all clients share."""
        del subject
        return self.benchmark("shared_directory")

    def room(self, subject: Subject) -> Commands:
        """Scratch in a shared directory; `df` cannot report the free space of a container."""
        if self.backend(subject).name == "posix":
            return super().room(subject)
        return [in_container(self.cluster, OWN)]

    def guards(self, subject: Subject) -> Commands:
        """Check also that agents give what is described, and stay, and that mounts are there."""
        commands = [*super().guards(subject)]
        if self.backend(subject).name == "posix":
            return commands
        launcher = srun(self.hosts)
        commands.append(["same_agent", *launcher])
        commands.append(self.attached(self.hosts, *launcher))
        commands += self.watched()
        if self.backend(subject).mounted:
            assert self.daos.mount
            commands.append(self.on_dfuse(self.daos.mount, *launcher))
        return commands

    def place(self, subject: Subject) -> tuple[Text, Text]:
        """The directory of a benchmark's files, and the prefix of this job's names in it."""
        backend = self.backend(subject)
        if backend.name == "posix":
            return SCRATCH, ""
        if backend.api == "MPIIO":
            return f"daos://{self.daos.pool}/{self.daos.container}", OWN + "."
        return str(self.daos.mount) if backend.mounted else "", OWN + "."

    def path(self, subject: Subject, name: str) -> Text:
        """The path of a benchmark's file."""
        directory, begin = self.place(subject)
        return directory + "/" + begin + name

    def launch(self, subject: Subject, program: Path, command: list[Text]) -> list[Text]:
        """The command on every client, with the interception library of the backend, if any."""
        _, *arguments = command
        library = self.backend(subject).library
        variables = environment(library, str(library_directory(self.cluster))) if library else {}
        # Not in srun's own environment, since srun itself would then be intercepted.
        preload = ["env", *(f"{name}={value}" for name, value in variables.items())]
        return [
            *self.launcher(self.hosts, self.ranks_per_node),
            *(preload if variables else []),
            *(str(program), *arguments),
        ]
