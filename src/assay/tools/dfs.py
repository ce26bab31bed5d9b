"""DFS, DAOS's file system in a container: how IOR, mdtest and fio are pointed to it.

IOR and mdtest make a container that is not there, with properties of their own, and exit 0: ask
with `assay.tools.container` first.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dfs:
    """A container of type POSIX, and how the files of a run are laid out in it."""

    pool: str
    container: str
    oclass: str | None = None
    """Object class of files, such as ``SX``; None: the container's own."""
    dir_oclass: str | None = None
    """Object class of directories, such as ``RP_3GX``; None: the container's own."""
    chunk_bytes: int | None = None
    """Bytes of a file that lie together; None: the container's own."""

    def ior_options(self) -> list[str]:
        """The options of IOR and mdtest, each in one word, as io500 passes them on."""
        options = {
            "pool": self.pool,
            "cont": self.container,
            "oclass": self.oclass,
            "dir_oclass": self.dir_oclass,
            "chunk_size": self.chunk_bytes,
        }
        return [f"--dfs.{name}={value}" for name, value in options.items() if value is not None]

    def fio_options(self) -> dict[str, str | int]:
        """The options of fio's dfs engine, which knows no class of directories."""
        options = {
            "pool": self.pool,
            "cont": self.container,
            "object_class": self.oclass,
            "chunk_size": self.chunk_bytes,
        }
        return {name: value for name, value in options.items() if value is not None}
