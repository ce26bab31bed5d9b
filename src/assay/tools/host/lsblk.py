"""lsblk: the block devices of a host and their contents.

The command runs on the hosts, in the module `cluster_hardware`; this module reads its output.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from assay.cluster.storage import Block


def parse(document: Mapping[str, Any], blobs: Collection[str] = ()) -> dict[str, Block]:
    """Read the JSON of lsblk, with paths and sizes in bytes.

    Args:
        document: output of ``lsblk --json --paths --bytes --output NAME,TYPE,SIZE,RO,FSTYPE,LABEL,
            MOUNTPOINTS``. A device made of several others is listed below each of them.
        blobs: the devices that start with the superblock of SPDK's blobstore.
    """
    devices: dict[str, Block] = {}
    for entry, parent in _entries(document.get("blockdevices") or [], None):
        name = entry["name"]
        seen = devices.get(name)
        parents = (*(seen.parents if seen else ()), *([parent] if parent else []))
        devices[name] = Block(
            type=entry["type"],
            parents=tuple(dict.fromkeys(parents)),
            filesystem=entry["fstype"],
            label=entry["label"],
            mounts=tuple(mount for mount in entry["mountpoints"] if mount),
            size_bytes=entry["size"],
            blobs=name in blobs,
            read_only=entry["ro"],
        )
    return devices


def _entries(
    devices: list[dict[str, Any]], parent: str | None
) -> Iterator[tuple[dict[str, Any], str | None]]:
    for device in devices:
        yield device, parent
        yield from _entries(device.get("children") or [], device["name"])
