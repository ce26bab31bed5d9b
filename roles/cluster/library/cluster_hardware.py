#!/usr/bin/python
"""Reads what a host has and Ansible's own facts do not report."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.host_identity import read_identity
from ansible.module_utils.host_setup import read_setup
from ansible.module_utils.sysfs import look, text
from ansible.module_utils.writable import writable

DOCUMENTATION = r"""
module: cluster_hardware
short_description: Examine NUMA nodes, interfaces, NVMe SSDs, memory, scratch space and programs
description:
  - Reads sysfs and procfs, the content of block devices, and who may write the programs that
    measure.
  - Changes nothing.
options:
  scratch:
    type: path
    required: true
    description: A directory whose file system is looked up; it need not exist yet.
  programs:
    type: list
    elements: path
    default: []
    description: Programs and libraries that measure; missing ones are left out.
  directories:
    type: list
    elements: path
    default: []
    description: Directories in which the roles create others that they give to another user.
  devices:
    type: list
    elements: str
    default: []
    description: Block devices and files that the inventory gives to DAOS.
  mounts:
    type: list
    elements: path
    default: []
    description: Directories that the inventory gives to DAOS.
  superblocks:
    type: list
    elements: path
    default: []
    description: Files in which an engine records the name of its system.
  shared:
    type: path
    default: ""
    description: A directory that all hosts of the partitions should share.
  held:
    type: bool
    default: false
    description: Whether the controller has locked the file that it left there.
  prefix:
    type: path
    default: /usr
    description: The installation prefix of DAOS, which need not exist yet.
  names:
    type: dict
    default: {}
    description: Names of the servers, each with its correct addresses, if known.
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Examine the hardware
  cluster_hardware:
    scratch: /var/lib/assay/scratch
  register: __cluster_hardware
"""
RETURN = r"""
identity:
  description: Firmware, serial numbers and drivers, and the output of tools about the host's parts.
  returned: always
  type: dict
lsblk:
  description: The output of lsblk, and the devices with SPDK's blobs.
  returned: always
  type: dict
hardware:
  description: Keys of a host in cluster.json; for interfaces, those that facts lack.
  returned: always
  type: dict
"""


def file_system(directory: Path) -> dict[str, str]:
    """Type and device of the file system of a directory, which need not exist yet."""
    mount = _mount(_existing(directory))
    return {"filesystem": mount["fstype"], "device": mount["source"]}


def _existing(directory: Path) -> Path:
    while not directory.is_dir():
        directory = directory.parent
    return directory


def _mount(directory: Path) -> dict[str, str]:
    command = ["findmnt", "--json", "--first-only", "--output=FSTYPE,SOURCE,OPTIONS", "--target"]
    findmnt = subprocess.run([*command, str(directory)], check=True, capture_output=True, text=True)
    mount: dict[str, str] = json.loads(findmnt.stdout)["filesystems"][0]
    return mount


LSBLK = (
    "lsblk",
    "--json",
    "--paths",
    "--bytes",
    "--output=NAME,TYPE,SIZE,RO,FSTYPE,LABEL,MOUNTPOINTS",
)
BLOBS = b"SPDKBLOB"
"""First bytes of the superblock of SPDK's blobstore (lib/blob/blobstore.h of SPDK)."""


def block_devices(names: Iterable[str]) -> dict[str, Any]:
    """The output of lsblk, and which of the named devices have SPDK's blobs."""
    try:
        lsblk = subprocess.run(LSBLK, check=True, capture_output=True, text=True)
        devices = json.loads(lsblk.stdout)
    except (OSError, subprocess.CalledProcessError):  # not installed, or too old for an option
        devices = {}
    return {
        **devices,
        "blobs": [name for name in names if _begins(Path(name)).startswith(BLOBS)],
    }


def links(names: Iterable[str]) -> dict[str, str]:
    """The real paths of devices and files that are links or are reached through links."""
    return {name: real for name in names if (real := os.path.realpath(name)) != name}


def directory(path: Path) -> dict[str, Any]:
    """A directory for DAOS, and its file system."""
    try:
        entries = len(os.listdir(path))
    except OSError:
        entries = 0
    room = os.statvfs(_existing(path))
    return {
        "exists": path.is_dir(),
        "filesystem": file_system(path)["filesystem"],
        "mounted": os.path.ismount(path),
        "entries": entries,
        "free_mib": room.f_bfree * room.f_frsize // 2**20,
    }


def backing_file(path: Path) -> dict[str, Any]:
    """An existing file at the path of a file that emulates an SSD."""
    is_file, begins = path.is_file(), _begins(path)
    return {
        "type": "file" if is_file else "directory" if path.is_dir() else "other",
        "size_bytes": path.stat().st_size if is_file else 0,
        "blobs": begins.startswith(BLOBS),
        "blank": is_file and not begins.strip(b"\0"),
    }


def system_of(superblock: Path) -> str | None:
    """The name of the system in a superblock; None if it has none."""
    for line in text(superblock).splitlines():
        key, _, value = line.partition(":")
        if key == "system":
            return value.strip().strip("\"'")
    return None


def shared(path: str, sign: str = "", held: bool = False) -> dict[str, Any]:
    """The file system of a directory, which need not exist yet: type, source, locks, free space.

    Args:
        path: the directory.
        sign: a file in it that another host has just written, if one could.
        held: whether that host has locked it.
    """
    there = _existing(Path(path))
    mount = _mount(there)
    room = os.statvfs(there)
    return {
        "path": path,
        "filesystem": mount["fstype"],
        "source": mount["source"],
        "options": mount["options"].split(","),
        "locks": _locks(there),
        "available_mib": room.f_bavail * room.f_frsize // 2**20,
        "sees_controller": Path(sign).exists() if sign else None,
        "meets_locks": _is_locked(Path(sign)) if held and sign else None,
    }


def _is_locked(file: Path) -> bool | None:
    """Whether the lock of another process, here or on another host, is seen; None if not tried."""
    try:
        handle = os.open(file, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return True if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
    finally:
        os.close(handle)
    return False


def _locks(directory: Path) -> bool:
    """Whether the file system supports locks; assumed if it cannot be tried without writing."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)
    finally:
        os.close(handle)
    return True


def _begins(path: Path) -> bytes:
    """The first 4 KiB of a device or file; empty if it cannot be read or would block."""
    try:
        if not (path.is_file() or path.is_block_device()):
            return b""
        with path.open("rb") as file:
            return file.read(4096)
    except OSError:
        return b""


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        {
            "scratch": {"type": "path", "required": True},
            "programs": {"type": "list", "elements": "path", "default": []},
            "directories": {"type": "list", "elements": "path", "default": []},
            "devices": {"type": "list", "elements": "str", "default": []},
            "mounts": {"type": "list", "elements": "path", "default": []},
            "superblocks": {"type": "list", "elements": "path", "default": []},
            "shared": {"type": "path", "default": ""},
            "sign": {"type": "path", "default": ""},
            "held": {"type": "bool", "default": False},
            "prefix": {"type": "path", "default": "/usr"},
            "names": {"type": "dict", "default": {}},
        },
        supports_check_mode=True,
    )
    scratch = module.params["scratch"]
    paths = [device for device in module.params["devices"] if device.startswith("/")]
    hardware = {
        **look(Path("/")),
        "setup": read_setup(Path("/"), module.params["prefix"], module.params["names"]),
        "shared": (
            shared(*(module.params[key] for key in ("shared", "sign", "held")))
            if module.params["shared"]
            else None
        ),
        "scratch": {"directory": scratch, **file_system(Path(scratch))},
        "writable": writable(module.params["programs"]),
        "replaceable": writable(module.params["directories"]),
        "links": links(paths),
        "directories": {path: directory(Path(path)) for path in module.params["mounts"]},
        "backing_files": {
            path: backing_file(Path(path))
            for path in paths
            if Path(path).exists() and not Path(path).is_block_device()
        },
        "superblocks": {
            path: system
            for path in module.params["superblocks"]
            if (system := system_of(Path(path))) is not None
        },
    }
    module.exit_json(
        changed=False,
        hardware=hardware,
        lsblk=block_devices(paths),
        identity=read_identity(Path("/")),
    )


if __name__ == "__main__":
    main()
