"""A Slurm that the site has already, in the site's own words: how jobs of the checks enter it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from assay.cluster.daos import Described

Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*$")]
"""A name that a shell, Slurm and ReFrame all take as it is."""

Module = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+/-]*$")]
"""A module as its program lists it, ``openmpi/4.1.4``."""

SbatchOption = Annotated[
    str,
    Field(
        pattern=r"^--(account|clusters|constraint|core-spec|gpus-per-node|gres|hint|licenses|mem"
        r"|mem-per-cpu|network|nice|prefer|qos|reservation|switches|wckey)"
        r"=[A-Za-z0-9_.,:;&|*()\[\]@=/+-]+$"
    ),
]
"""An option of sbatch(1) that says under which conditions a job runs, ``--account=proj``: none that
names a file or a command, since a description may come from others."""

Launcher = Literal["srun", "openmpi", "hydra"]
"""What starts an MPI program: srun itself, or the mpirun of Open MPI, or of MPICH and Intel MPI."""


class Slurm(Described):
    """Where the jobs of the checks run, and what they need there."""

    partitions: Mapping[Literal["clients", "servers"], Word] = Field(
        description="the site's partition that has the clients, and that of the servers"
    )
    options: tuple[SbatchOption, ...] = Field(
        default=(), description="of each job: --account=proj, --qos=debug, --reservation=night"
    )
    exclusive: bool = Field(
        default=True, description="nothing else runs on the nodes of a job meanwhile"
    )
    launcher: Launcher = "srun"
    mpi: Word = Field(default="pmi2", description="of srun: pmix, pmi2, cray_shasta")
    modules: tuple[Module, ...] = Field(default=(), description="loaded before each benchmark")
    prolog: Path | None = Field(
        default=None, description="a file of the shell, read before the modules are loaded"
    )
    longest_min: int | None = Field(
        default=None, ge=1, description="minutes that a job may take, as the partition allows"
    )
    wait_min: int = Field(
        default=5, ge=1, description="minutes that a job may wait for its nodes to be free"
    )

    def option(self, name: str) -> str | None:
        """The value of an option of each job, such as `reservation`; the last one counts."""
        start = f"--{name}="
        values = [each.removeprefix(start) for each in self.options if each.startswith(start)]
        return values[-1] if values else None
