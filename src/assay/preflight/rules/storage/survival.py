"""What must survive a reboot: control metadata, and files in the place of SSDs with metadata."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.cluster.description import Host
from assay.cluster.storage import is_network
from assay.preflight.rules.context import OfServer
from assay.preflight.rules.storage.overlaps import real_path
from assay.problems import Problem

VOLATILE = ("tmpfs", "ramfs", "rootfs", "devtmpfs", "hugetlbfs", "squashfs")
"""File systems that lose their data in a reboot, or are read-only; rootfs is the initial one."""

CLEARED = tuple(map(Path, ("/run", "/var/run", "/dev", "/proc", "/sys", "/tmp")))  # noqa: S108 it is refused
"""Directories that a reboot empties, /tmp by tmpfiles.d(5)."""

_TIDIED = Path("/tmp")  # noqa: S108 it is reported
"""Some distributions empty it at boot, others only after days."""

PATH = "server.control_metadata.path"


@OfServer.rule
def survival_rules(of: OfServer) -> Iterator[Problem]:
    """Require file systems that survive a reboot, and that no other server shares."""
    name, host = of.name, of.host
    metadata = host.server.control_metadata
    # Without roles, other rules refuse any path.
    has_roles = any(engine.has_md_on_ssd for engine in host.engines)
    if has_roles and metadata is not None and metadata.device is None:
        yield from _survives(name, host, PATH, metadata.path, metadata.path)
        yield from _local(name, host, metadata.path)
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            key = f"engines[{number}].storage[{index}].bdev_list"
            for given in tier.bdev_list if tier.class_ == "file" else ():
                directory = Path(given).parent
                if tier.bdev_roles:
                    yield from _survives(name, host, key, Path(real_path(host, given)), directory)
                elif _filesystem(host, directory) in VOLATILE:
                    yield Problem(
                        name,
                        key,
                        given,
                        f"should be on a disk: it is on {_filesystem(host, directory)}, and what"
                        " is measured of SSDs would be measured of memory",
                        severity="warning",
                    )


def _filesystem(host: Host, directory: Path) -> str | None:
    described = host.directories.get(str(directory))
    return None if described is None else described.filesystem


def _survives(name: str, host: Host, key: str, path: Path, directory: Path) -> Iterator[Problem]:
    filesystem = _filesystem(host, directory)
    cleared = next((top for top in CLEARED if top in (path, *path.parents)), None)
    if filesystem in VOLATILE:
        why = f"is on {filesystem}"
    elif cleared is not None:
        why = f"is below {cleared}"
    elif filesystem == "overlay":
        yield Problem(
            name,
            key,
            path,
            "should outlive a reboot, and is on an overlay, of which a host without a disk of its"
            " own keeps nothing, and a container only as long as it exists: every pool would be"
            " lost. Choose a directory on a disk, unless this is a trial",
            severity="warning",
        )
        return
    else:
        return
    is_tidied = cleared == _TIDIED and filesystem not in VOLATILE
    yield Problem(
        name,
        key,
        path,
        f"should outlive a reboot, and {why}, which does not: every pool would be lost; choose a"
        f" directory on a disk, such as /var/daos{'/config, or a device for it' * (key == PATH)}",
        severity="warning" if is_tidied else "error",
    )


def _local(name: str, host: Host, path: Path) -> Iterator[Problem]:
    """Require a local file system; DAOS refuses NFS (`isUsableFS`), and warns of others."""
    filesystem = _filesystem(host, path)
    if filesystem is not None and is_network(filesystem):
        yield Problem(
            name,
            PATH,
            path,
            f"should be on a disk of this host: it is on {filesystem}, where servers with the same"
            " path overwrite each other's data",
            severity="error" if filesystem.startswith("nfs") else "warning",
        )
