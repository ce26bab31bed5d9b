"""The content of a host's block devices, files and directories before DAOS gets them."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from assay.cluster.daos import Described

NETWORK = ("nfs", "lustre", "gpfs", "beegfs", "ceph", "cifs", "glusterfs", "pvfs", "orangefs", "9p")
NETWORK_ALSO = ("virtiofs", "panfs", "wekafs", "vastnfs", "fuse.", "gfs2", "ocfs2")
"""The type of a file system that several hosts can mount begins with one of these."""


class Block(Described):
    """A block device or a part of one, as the kernel and the signatures on it describe it."""

    type: str = Field(default="disk", description="as lsblk has it: disk, part, lvm, raid1 ...")
    parents: tuple[str, ...] = Field(default=(), description="the devices that it is made of")
    filesystem: str | None = Field(default=None, description="or signature: LVM2_member, swap ...")
    label: str | None = None
    mounts: tuple[str, ...] = Field(default=(), description="[SWAP] where it is in use as swap")
    size_bytes: int | None = Field(default=None, ge=0)
    blobs: bool = Field(default=False, description="it has the superblock of SPDK's blobstore")
    read_only: bool = False


class Directory(Described):
    """A directory that the inventory names, or its nearest existing parent."""

    exists: bool
    filesystem: str = Field(description="the type of the file system that it is on")
    mounted: bool = Field(default=False, description="whether something is mounted right there")
    entries: int = Field(default=0, ge=0, description="files and directories in it")
    free_mib: int | None = Field(default=None, ge=0, description="space that root has there")


class BackingFile(Described):
    """An existing file at the path of a file that emulates an SSD."""

    type: str = Field(description="file, directory, or other")
    size_bytes: int = Field(default=0, ge=0)
    blobs: bool = Field(default=False, description="it has the superblock of SPDK's blobstore")
    blank: bool = Field(default=False, description="it begins with zeros, or is empty")


class SharedDirectory(Described):
    """A directory that all hosts of the partitions should share, or its nearest existing parent."""

    path: Path
    filesystem: str = Field(description="its type, such as nfs4")
    source: str = Field(description="what is mounted: server:/export, /dev/sda1[/subdirectory]")
    options: tuple[str, ...] = Field(default=(), description="of the mount")
    locks: bool = Field(default=True, description="flock(2) works there")
    available_mib: int | None = Field(default=None, ge=0)
    sees_controller: bool | None = Field(
        default=None,
        description="a file that the controller wrote there is here, too; none: not tried",
    )
    meets_locks: bool | None = Field(
        default=None, description="a lock that the controller holds there is seen; none: not tried"
    )


def is_network(filesystem: str) -> bool:
    """Whether several hosts can mount a file system of this type."""
    return filesystem.startswith((*NETWORK, *NETWORK_ALSO))
