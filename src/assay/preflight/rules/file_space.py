"""Space for the files that emulate SSDs, which DAOS allocates when it formats them.

Source: `createEmptyFile` in src/control/server/storage/bdev/backend_class.go of DAOS 2.8.0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.cluster.description import Host
from assay.problems import Problem

GIB, MIB = 2**30, 2**20
"""DAOS makes GiB of what it documents as GB (`DeviceFileSize` in src/control/server/storage)."""

SPARSE = ("zfs",)
"""File systems that cannot allocate a file beforehand, where DAOS makes one with holes."""


def file_space_rules(name: str, host: Host) -> Iterator[Problem]:
    """Require space for the files of all engines in each directory, beside what they have."""
    wanted: dict[Path, int] = defaultdict(int)
    keys: dict[Path, str] = {}
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            for path in tier.bdev_list if tier.class_ == "file" else ():
                existing = host.backing_files.get(path)
                has = 0 if existing is None else existing.size_bytes
                wanted[Path(path).parent] += max((tier.bdev_size or 0) * GIB - has, 0)
                keys[Path(path).parent] = f"engines[{number}].storage[{index}].bdev_size"
    for parent, size in wanted.items():
        directory = host.directories.get(str(parent))
        if directory is None or directory.free_mib is None or directory.filesystem in SPARSE:
            continue
        free = directory.free_mib * MIB
        if size > free:
            yield Problem(
                name,
                keys[parent],
                f"{size / GIB:.0f} GiB in {parent}",
                f"should fit into the {free / GIB:.1f} GiB that are free there: DAOS allocates the"
                " files of all engines when it formats them. Choose smaller ones, or another disk",
            )
