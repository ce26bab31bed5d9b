"""Directories for DAOS: mount points of SCM and of dfuse, and control metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer, OfSystem
from assay.preflight.rules.storage.survival import CLEARED
from assay.problems import Problem

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

_METADATA = "server.control_metadata.path"
_NO_MOUNTS = tuple(map(Path, ("/boot", "/dev", "/etc", "/proc", "/sys", "/usr", "/bin", "/lib")))


_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
"""A tmpfs of each host. DAOS takes what is mounted already for its SCM (TACC's Frontera ran so)."""

_FREE = frozenset(map(Path, ("/media", "/mnt", "/srv")))
"""Directories that hier(7) leaves to the administrator: a client may have nothing there."""


@OfServer.rule
def place_rules(of: OfServer) -> Iterator[Problem]:
    """Require empty, separate directories as mount points, and one for control metadata alone."""
    name, host = of.name, of.host
    places = dict(_places(host))
    for key, path in places.items():
        yield from _is_no_place(name, host, key, path)
        if key.endswith("scm_mount"):
            yield from _hides_prefix(name, host, key, path)
    if host.scratch is not None:
        places["scratch.directory"] = host.scratch.directory
    yield from _nested(name, places, _plain(host))


@OfSystem.rule
def mount_rules(of: OfSystem) -> Iterator[Problem]:
    """Require a mount point of dfuse that hides nothing on any client."""
    system, hosts = of.system, of.hosts
    key, mount = "daos.mount", system.mount
    if mount is None or not mount.is_absolute():
        return
    if mount in SYSTEM or _is_of_the_system(mount):
        yield Problem(
            None,
            key,
            mount,
            "should be a directory for dfuse alone, such as /mnt/dfuse: a mount here would hide"
            " what clients have there",
            severity="warning" if mount in _FREE else "error",
        )
        return
    for name in system.agents:
        if name in hosts:
            yield from _hides_prefix(name, hosts[name], key, mount)
            yield from _beside(name, hosts[name], mount)


def _beside(name: str, host: Host, mount: Path) -> Iterator[Problem]:
    places = dict(_places(host))
    if host.scratch is not None:
        places["scratch.directory"] = host.scratch.directory
    for key, path in places.items():
        yield from _nested(name, {key: path, "daos.mount": mount}, _plain(host))


def _is_of_the_system(path: Path) -> bool:
    return any(parent in path.parents for parent in _NO_MOUNTS)


def _hides_prefix(name: str, host: Host, key: str, mount: Path) -> Iterator[Problem]:
    prefix = None if host.shared is None else host.shared.path
    if prefix is not None and mount in (prefix, *prefix.parents):
        yield Problem(
            name,
            key,
            mount,
            f"should not hide {prefix}, where campaigns are kept (reframe_prefix): choose another"
            " directory",
        )


def _places(host: Host) -> Iterator[tuple[str, Path]]:
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            if tier.scm_mount is not None:
                yield f"engines[{number}].storage[{index}].scm_mount", tier.scm_mount
    if host.server.control_metadata is not None:
        yield _METADATA, host.server.control_metadata.path


def _plain(host: Host) -> Path | None:
    """The place of control metadata, if it is a plain directory on which nothing is mounted."""
    metadata = host.server.control_metadata
    return metadata.path if metadata is not None and metadata.device is None else None


def _is_no_place(name: str, host: Host, key: str, path: Path) -> Iterator[Problem]:
    is_mounted = key != _METADATA or _plain(host) is None
    hides = path in SYSTEM or _is_of_the_system(path)
    if ".." in path.parts:
        yield Problem(name, key, path, "should have no .. in it")
    elif path == _SHARED_MEMORY:
        yield Problem(
            name,
            key,
            path,
            f"should be a directory for DAOS alone, such as /mnt/daos0: {path} is mounted already,"
            " and every program of the host fills it",
            severity="warning",
        )
    elif hides and (is_mounted or path == Path("/")):
        yield Problem(
            name,
            key,
            path,
            "should be a directory for DAOS alone, such as /mnt/daos0: a mount here"
            " would hide what the system needs",
        )
    elif hides and not any(top in (path, *path.parents) for top in CLEARED):
        yield Problem(
            name,
            key,
            path,
            "should be a directory for DAOS alone, such as /var/daos/config: engines keep their"
            " state there, and formatting removes what is in daos_control below it",
            severity="warning",
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


def _nested(name: str, places: Mapping[str, Path], plain: Path | None) -> Iterator[Problem]:
    """Refuse a place within another, and equal places, except SCM mounts (see `engine_rules`).

    In a plain directory of control metadata, only what a format removes is no place for a mount.
    """
    for (key, path), (other_key, other) in combinations(places.items(), 2):
        for inner_key, inner, outer_key, outer in (
            (key, path, other_key, other),
            (other_key, other, key, path),
        ):
            if outer in inner.parents and outer != Path("/"):
                allowed = (
                    f"should not be in {outer}, which is {outer_key}: what is mounted there later"
                    " would hide it"
                )
                if outer_key == _METADATA and outer == plain:
                    if outer / "daos_control" not in (inner, *inner.parents):
                        continue
                    allowed = f"should not be in {outer}/daos_control, which a format removes"
                yield Problem(name, inner_key, inner, allowed)
            elif inner == outer and inner_key != key and not _are_scm(key, other_key):
                yield Problem(
                    name, inner_key, inner, f"should be a place of its own; {outer_key} has it"
                )


def _are_scm(*keys: str) -> bool:
    return all(key.endswith("scm_mount") for key in keys)
