"""The backends: a directory that all clients share, and the interfaces of DAOS.

As a subject of a check, a backend has its own name: ``clients/pil4dfs``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.cluster.description import Api, Cluster
from assay.subject import Subject
from assay.tools.daos.dfs import Dfs
from assay.tools.daos.interception import Library


@dataclass(frozen=True, slots=True)
class Backend:
    """One path by which a benchmark reaches the storage."""

    name: str
    api: Api
    """The interface that IOR calls."""
    mounted: bool = False
    """Whether it uses a dfuse mount."""
    library: Library | None = None
    """The library that intercepts calls to that mount before the kernel."""


_ALL = (
    Backend("posix", "POSIX"),
    Backend("dfs", "DFS"),
    Backend("dfuse", "POSIX", mounted=True),
    Backend("ioil", "POSIX", mounted=True, library="ioil"),
    Backend("pil4dfs", "POSIX", mounted=True, library="pil4dfs"),
    Backend("mpiio", "MPIIO"),
    Backend("hdf5", "HDF5", mounted=True),
)

BACKENDS: Mapping[str, Backend] = {backend.name: backend for backend in _ALL}
"""Every backend by its name. `posix` is the directory that all clients share; the others are DAOS:
its file system library, dfuse without and with each interception library, MPI-IO by ROMIO's driver
for DAOS, and HDF5 (over MPI-IO) on the mount."""


def backend_of(subject: Subject) -> Backend:
    """The backend of a subject such as ``clients/dfs``."""
    assert subject.backend
    return BACKENDS[subject.backend]


def ior_backends(cluster: Cluster) -> tuple[Backend, ...]:
    """The backends that IOR can use on this cluster."""
    return tuple(backend for backend in _ALL if _reaches(cluster, backend))


def mdtest_backends(cluster: Cluster) -> tuple[Backend, ...]:
    """The backends that mdtest can use, which supports only POSIX and DFS."""
    names = ("posix", "dfs", "dfuse")
    return tuple(backend for backend in ior_backends(cluster) if backend.name in names)


def mount_backends(cluster: Cluster) -> tuple[Backend, ...]:
    """The backends for programs that do not support DAOS themselves."""
    reachable = ior_backends(cluster)
    return tuple(each for each in reachable if each.mounted and each.api == "POSIX")


def container(cluster: Cluster) -> Dfs | None:
    """The container that the checks write to; None if it is not described."""
    system = cluster.daos
    if system is None or system.pool is None or system.container is None:
        return None
    return Dfs(system.pool, system.container)


def limit_of_share(cluster: Cluster, subject: Subject) -> str:
    """Why a benchmark may write no more to a subject's backend; empty if it may."""
    found = cluster.daos.found if cluster.daos else None
    if found is None or subject.backend == "posix":
        return ""
    return (
        f"its files may take {found.share:.2g} of the pool's free space (daos.found.share); allow"
        " more, or name a larger pool"
    )


def library_directory(cluster: Cluster) -> Path:
    """The directory of the interception libraries on the clients of a DAOS system."""
    assert cluster.daos
    return cluster.daos.prefix / "lib64"


def _reaches(cluster: Cluster, backend: Backend) -> bool:
    if backend.name == "posix":
        return cluster.benchmarks.shared_directory is not None
    if container(cluster) is None or backend.api not in ("POSIX", *cluster.benchmarks.ior_apis):
        return False
    return not backend.mounted or (cluster.daos is not None and cluster.daos.mount is not None)
