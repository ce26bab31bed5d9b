"""DFS, DAOS's file system in a container: the options of IOR, mdtest and fio to use it.

If the container does not exist, IOR and mdtest create one with their own properties and exit 0.
Check that it exists with `assay.tools.daos.container` first.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dfs:
    """A container of type POSIX, and the layout of the files of a run in it."""

    pool: str
    container: str
    oclass: str | None = None
    """Object class of files, such as ``SX``; None means the container's own."""
    dir_oclass: str | None = None
    """Object class of directories, such as ``RP_3GX``; None means the container's own."""
    chunk_bytes: int | None = None
    """Chunk size of files in bytes; None means the container's own."""

    def ior_options(self) -> list[str]:
        """The options of IOR and mdtest, each as a single word, as io500 passes them on."""
        options = {
            "pool": self.pool,
            "cont": self.container,
            "oclass": self.oclass,
            "dir_oclass": self.dir_oclass,
            "chunk_size": self.chunk_bytes,
        }
        return [f"--dfs.{name}={value}" for name, value in options.items() if value is not None]

    def fio_options(self) -> dict[str, str | int]:
        """The options of fio's dfs engine, which has no option for the class of directories."""
        options = {
            "pool": self.pool,
            "cont": self.container,
            "object_class": self.oclass,
            "chunk_size": self.chunk_bytes,
        }
        return {name: value for name, value in options.items() if value is not None}
