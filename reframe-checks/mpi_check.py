"""What the checks that run an MPI benchmark on all clients together share."""

from pathlib import Path

from assay_check import PartitionCheck

TASKS_PER_NODE = 2
"""Ranks on each client (this project's own choice, for a first look)."""


class MpiCheck(PartitionCheck):
    """One MPI program over every client, in the directory that all of them share."""

    @property
    def tasks(self) -> int:
        """Ranks of the program."""
        return TASKS_PER_NODE * len(self.hosts)

    def launch(self, program: Path | None, command: list[str]) -> list[str]:
        """The command under srun; `--mpi=none` would make a world of every rank."""
        _, *arguments = command
        return [
            *("srun", "--mpi=pmi2", f"--nodes={len(self.hosts)}", f"--ntasks={self.tasks}"),
            *(f"--ntasks-per-node={TASKS_PER_NODE}", "--cpus-per-task=1", "--cpu-bind=cores"),
            *(str(program), *arguments),
        ]
