"""Directories for DAOS: mount points of SCM and of clients, and control metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

from assay.cluster.description import Host
from assay.problems import Problem

VOLATILE = ("tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "squashfs")
"""File systems that lose their data in a reboot, or are read-only."""

CLEARED = tuple(map(Path, ("/run", "/var/run", "/dev", "/proc", "/sys", "/tmp")))  # noqa: S108 it is refused
"""Directories that a reboot empties, /tmp by tmpfiles.d(5)."""

_TIDIED = Path("/tmp")  # noqa: S108 it is reported
"""Some distributions empty it at boot, others only after days."""

SYSTEM = frozenset(
    map(
        Path,
        (
            *("/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt"),
            *("/opt", "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr"),  # noqa: S108
            *("/usr/bin", "/usr/lib", "/usr/local", "/usr/sbin", "/usr/share", "/var", "/var/lib"),
            *("/var/log", "/var/run", "/var/tmp", "/var/spool", "/var/cache"),  # noqa: S108
            "/var/log/daos",
        ),
    )
)
"""Directories of the system (hier(7)) and of DAOS, which a mount would hide."""

_NO_MOUNTS = tuple(map(Path, ("/boot", "/dev", "/etc", "/proc", "/sys", "/usr", "/bin", "/lib")))


def place_rules(name: str, host: Host, client_mount: Path | None = None) -> Iterator[Problem]:
    """Require empty, separate directories as mount points, and metadata that survives a reboot.

    Args:
        name: the host's name.
        host: the host.
        client_mount: the mount point of dfuse on this host, if it has one.
    """
    places = dict(_places(host))
    for key, path in places.items():
        yield from _is_no_place(name, host, key, path)
    if client_mount is not None:
        places["daos.mount"] = client_mount
    if host.scratch is not None:
        places["scratch.directory"] = host.scratch.directory
    yield from _nested(name, places)
    yield from _survives(name, host)


def _places(host: Host) -> Iterator[tuple[str, Path]]:
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            if tier.scm_mount is not None:
                yield f"engines[{number}].storage[{index}].scm_mount", tier.scm_mount
    if host.server.control_metadata is not None:
        yield "server.control_metadata.path", host.server.control_metadata.path


def _is_no_place(name: str, host: Host, key: str, path: Path) -> Iterator[Problem]:
    metadata = host.server.control_metadata
    is_metadata = key == "server.control_metadata.path"
    is_mounted = not is_metadata or (metadata is not None and metadata.device is not None)
    hides = path in SYSTEM or any(parent in path.parents for parent in _NO_MOUNTS)
    if ".." in path.parts:
        yield Problem(name, key, path, "should have no .. in it")
    elif hides and (is_mounted or path == Path("/")):
        yield Problem(
            name,
            key,
            path,
            "should be a directory for DAOS alone, such as /mnt/daos0: a mount here"
            " would hide what the system needs",
        )
    elif is_mounted and (hidden := _hidden(host, path)):
        yield Problem(
            name,
            key,
            path,
            f"should be empty, or not exist yet: the mount would hide {hidden} files; move them, or"
            " choose another directory",
        )


def _hidden(host: Host, path: Path) -> int:
    """Number of files that a mount would hide."""
    directory = host.directories.get(str(path))
    return 0 if directory is None or directory.mounted else directory.entries


def _nested(name: str, places: Mapping[str, Path]) -> Iterator[Problem]:
    """Refuse a place within another, and equal places, except SCM mounts (see `engine_rules`)."""
    for (key, path), (other_key, other) in combinations(places.items(), 2):
        for inner_key, inner, outer_key, outer in (
            (key, path, other_key, other),
            (other_key, other, key, path),
        ):
            if outer in inner.parents and outer != Path("/"):
                yield Problem(
                    name,
                    inner_key,
                    inner,
                    f"should not be in {outer}, which is {outer_key}: what is mounted there later"
                    " would hide it",
                )
            elif inner == outer and inner_key != key and not _are_scm(key, other_key):
                yield Problem(
                    name, inner_key, inner, f"should be a place of its own; {outer_key} has it"
                )


def _are_scm(*keys: str) -> bool:
    return all(key.endswith("scm_mount") for key in keys)


def _survives(name: str, host: Host) -> Iterator[Problem]:
    """Require a file system that survives a reboot for control metadata without a device."""
    metadata = host.server.control_metadata
    if metadata is None or metadata.device is not None or not metadata.path.is_absolute():
        return
    if not any(engine.has_md_on_ssd for engine in host.engines):
        return  # other rules refuse any path
    directory = host.directories.get(str(metadata.path))
    cleared = next((top for top in CLEARED if top in (metadata.path, *metadata.path.parents)), None)
    if directory is not None and directory.filesystem in VOLATILE:
        why = f"is on {directory.filesystem}"
    elif cleared is not None:
        why = f"is below {cleared}"
    else:
        return
    is_tidied = cleared == _TIDIED and (directory is None or directory.filesystem not in VOLATILE)
    yield Problem(
        name,
        "server.control_metadata.path",
        metadata.path,
        f"should outlive a reboot, and {why}, which does not: every pool would be lost; choose a"
        " directory on a disk, such as /var/daos/config, or a device for it",
        severity="warning" if is_tidied else "error",
    )
