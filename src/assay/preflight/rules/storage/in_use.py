"""Devices that DAOS would format or write, on which nothing else may be.

DAOS formats devices in the place of SSDs without asking; for SCM and control metadata it relies on
`mkfs.ext4`. DAOS reports neither the previous content nor the host.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.cluster.storage import Block
from assay.preflight.rules.context import OfServer
from assay.preflight.rules.storage.given import Given, given_devices, superblock
from assay.problems import Problem

DAOS_LABEL = "daos"
"""The label of file systems that DAOS makes (src/control/server/storage/scm/provider.go of
2.8.0)."""

_SIGNATURES = {
    "LVM2_member": "a physical volume of LVM",
    "linux_raid_member": "a member of an MD RAID",
    "zfs_member": "a member of a ZFS pool",
    "crypto_LUKS": "an encrypted volume",
    "swap": "swap space",
    "mpath_member": "a path of a multipath device",
    "bcache": "a device of bcache",
    "drbd": "a device of DRBD",
    "ceph_bluestore": "an OSD of Ceph",
}
_REMEDY = "should be an empty device; choose another, or erase this one first"
_REFORMAT = "set daos_system_reformat and daos_system_reformat_confirm to agree to lose it"


@OfServer.rule
def in_use_rules(of: OfServer) -> Iterator[Problem]:
    """Refuse devices and files that are in use, or hold data that somebody may want."""
    name, host, system = of.name, of.host, of.system
    for given in given_devices(host, system):
        if holds := _what(host, given):
            remedy = _REFORMAT if _is_daos(host, given) else _REMEDY
            yield Problem(name, given.key, given.name, f"{'; '.join(holds)}: {remedy}")
        yield from _shares_a_disk(name, host, given)
    yield from _files(name, host, system)
    yield from _other_systems(name, host, system)


def _what(host: Host, given: Given) -> list[str]:
    """The reasons not to give a device to DAOS, one clause each."""
    block = host.blocks.get(given.device)
    if block is None:
        return []
    clauses = [
        clause
        for path, part in [(given.device, block), *_parts(host, given.device)]
        for clause in _on(path, part, given, host)
    ]
    if block.read_only:
        clauses.append(f"{given.device} is read-only")
    if block.parents and block.type not in ("part", "disk"):
        clauses.append(f"{given.device} is {block.type}, made of {', '.join(block.parents)}")
    return clauses


def _on(path: str, block: Block, given: Given, host: Host) -> Iterator[str]:
    """The content of one device or of a part of it, as reasons not to use it."""
    own = path == given.device
    others = [mount for mount in block.mounts if not (own and mount == given.mount)]
    if "[SWAP]" in others:
        yield f"{path} is in use as swap"
    elif others:
        yield f"{path} is mounted at {', '.join(others)}"
    elif block.filesystem in _SIGNATURES:
        yield f"{path} is {_SIGNATURES[block.filesystem]}"
    elif block.filesystem is not None and not block.mounts and not _is_ours(block, given):
        label = f" with the label {block.label}" if block.label else ""
        yield f"{path} holds a file system, {block.filesystem}{label}"
    if block.blobs and not (given.formatted or given.ephemeral or host.server.reformat):
        yield f"{path} holds the data of an engine that this server does not have"


def _is_ours(block: Block, given: Given) -> bool:
    """Whether DAOS made the file system, on a device to mount; DAOS asks before it formats it."""
    return given.mount is not None and block.label == DAOS_LABEL


def _is_daos(host: Host, given: Given) -> bool:
    block = host.blocks[given.device]
    return block.blobs and not block.mounts and block.filesystem is None


def _parts(host: Host, device: str) -> Iterator[tuple[str, Block]]:
    """The partitions of a device, and the volumes on them."""
    seen, ahead = {device}, [device]
    while ahead:
        above = ahead.pop(0)
        for path, block in host.blocks.items():
            if above in block.parents and path not in seen:
                seen.add(path)
                ahead.append(path)
                yield path, block


def _shares_a_disk(name: str, host: Host, given: Given) -> Iterator[Problem]:
    """Warn of a partition on the system's disk: DAOS may use it, but both slow each other down."""
    block = host.blocks.get(given.device)
    if block is None or block.type != "part" or not given.key.endswith("bdev_list"):
        return
    mounted = sorted(
        {
            mount
            for disk in block.parents
            for path, part in [(disk, host.blocks[disk]), *_parts(host, disk)]
            if path != given.device
            for mount in part.mounts
        }
        if all(disk in host.blocks for disk in block.parents)
        else ()
    )
    if mounted:
        yield Problem(
            name,
            given.key,
            given.name,
            f"should be a disk of its own: {', '.join(block.parents)} also holds"
            f" {', '.join(mounted)}",
            severity="warning",
        )


def _files(name: str, host: Host, system: str | None) -> Iterator[Problem]:
    """Refuse backing files of emulated SSDs with other content, which DAOS would overwrite."""
    for number, engine in enumerate(host.engines):
        formatted = superblock(host, number, engine) == system
        ephemeral = engine.ram_tier is not None and not engine.has_md_on_ssd
        ours = formatted or ephemeral or host.server.reformat
        for index, tier in enumerate(engine.storage):
            for path in tier.bdev_list if tier.class_ == "file" else ():
                existing = host.backing_files.get(path)
                if existing is None or (existing.blobs and ours):
                    continue
                if existing.blobs:
                    problem = (
                        f"holds the data of an engine that this server does not have: {_REFORMAT}"
                    )
                elif existing.type != "file":
                    problem = f"is a {existing.type}: should be a file, which DAOS creates"
                elif not existing.blank:
                    problem = (
                        f"has {existing.size_bytes} bytes that DAOS did not write: should be a file"
                        " that does not exist yet; choose another path, or remove it"
                    )
                else:
                    continue
                yield Problem(name, f"engines[{number}].storage[{index}].bdev_list", path, problem)


def _other_systems(name: str, host: Host, system: str | None) -> Iterator[Problem]:
    """Refuse engines of another DAOS system."""
    for path, other in host.superblocks.items():
        if other != system and not host.server.reformat:
            yield Problem(
                name,
                "engines",
                path,
                f"should be free or of the system {system}; here is an engine of the system"
                f" {other}: choose another mount, set daos_name to {other}, or {_REFORMAT}",
            )
