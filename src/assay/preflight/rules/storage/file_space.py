"""Space for files that DAOS allocates when it formats: in the place of SSDs, and of metadata.

Source: `createEmptyFile` in src/control/server/storage/bdev/backend_class.go of DAOS 2.8.0, and
`SYS_DB_SIZE` in src/vos/sys_db.c: each engine with metadata on SSDs has a database of that size in
control_metadata (`vos_sys_db_init`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.problems import Problem

GIB, MIB = 2**30, 2**20
"""DAOS makes GiB of what it documents as GB (`DeviceFileSize` in src/control/server/storage)."""

SPARSE = ("zfs",)
"""File systems that cannot allocate a file beforehand, where DAOS makes one with holes."""


SYSTEM_DATABASE_BYTES = 128 * MIB


@OfServer.rule
def file_space_rules(of: OfServer) -> Iterator[Problem]:
    """Require space for the files of all engines in each directory, beside what they have."""
    name, host = of.name, of.host
    yield from _metadata(name, host)
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


def _metadata(name: str, host: Host) -> Iterator[Problem]:
    metadata = host.server.control_metadata
    engines = sum(engine.has_md_on_ssd for engine in host.engines)
    if metadata is None or not engines or host.superblocks:
        return  # what is formatted has its files
    if metadata.device is not None:
        key, place = "device", metadata.device
        block = host.blocks.get(metadata.device)
        free = None if block is None else block.size_bytes
    else:
        key, place = "path", str(metadata.path)
        directory = host.directories.get(place)
        free_mib = None if directory is None else directory.free_mib
        free = None if free_mib is None else free_mib * MIB
    wanted = engines * SYSTEM_DATABASE_BYTES
    if free is not None and free < wanted:
        yield Problem(
            name,
            f"server.control_metadata.{key}",
            f"{place} with {free // MIB} MiB",
            f"should have {wanted // MIB} MiB: a database of {SYSTEM_DATABASE_BYTES // MIB} MiB for"
            f" each engine, {engines} here. Make room, or name another",
        )
