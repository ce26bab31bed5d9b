#!/usr/bin/python
"""What a host has that Ansible's own facts do not report."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pwd
import stat
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.host_identity import read_identity
from ansible.module_utils.host_setup import printed, read_setup
from ansible.module_utils.nft import COMMAND, Packet, Ruleset

DOCUMENTATION = r"""
module: cluster_hardware
short_description: Look at NUMA nodes, interfaces, NVMe SSDs, memory, scratch space and programs
description:
  - Reads sysfs and procfs, what is on block devices, and who may write the programs that measure.
  - Changes nothing.
options:
  scratch:
    type: path
    required: true
    description: A directory, which need not exist yet; its file system is looked up.
  programs:
    type: list
    elements: path
    default: []
    description: Programs and libraries that measure; those that are not there yet are left out.
  directories:
    type: list
    elements: path
    default: []
    description: Directories below which the roles make others, and give those to another user.
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
    description: Files in which an engine says whose it is.
  shared:
    type: path
    default: ""
    description: A directory that all hosts of the partitions should see.
  prefix:
    type: path
    default: /usr
    description: The directory below which DAOS is, or will be.
  names:
    type: dict
    default: {}
    description: Names of the servers, each with the addresses that are meant, if known.
  ports:
    type: dict
    default: {}
    description: TCP ports that peers must reach, each with the interface at which they arrive.
  peer:
    type: str
    default: ""
    description: An address of another host of the cluster.
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Look at the hardware
  cluster_hardware:
    scratch: /var/lib/assay/scratch
  register: __cluster_hardware
"""
RETURN = r"""
identity:
  description: Firmware, serial numbers and drivers, and what tools printed of the host's parts.
  returned: always
  type: dict
lsblk:
  description: What lsblk printed, and the devices that hold SPDK's blobs.
  returned: always
  type: dict
hardware:
  description: Keys of a host in cluster.json, and of each interface those that facts lack.
  returned: always
  type: dict
"""

NVME, RAID, INTEL = "0x0108", "0x0104", "0x8086"
"""PCI classes and a vendor; Intel's VMD controllers are of the class RAID."""


def look(root: Path) -> dict[str, Any]:
    """What sysfs and procfs below a root tell, in the words of cluster.json."""
    nvme, vmd = {}, {}
    rdma = {link.name for link in root.glob("sys/class/infiniband/*/device/net/*")}
    for device in sorted(root.glob("sys/bus/pci/devices/*")):
        kind = _text(device / "class")
        if kind.startswith(NVME):
            nvme[device.name] = {"numa_node": _numa_node(device), **_namespace(device)}
        elif kind.startswith(RAID) and _text(device / "vendor") == INTEL:
            vmd[device.name] = {"numa_node": _numa_node(device)}
    return {
        "numa_nodes": max(len(list(root.glob("sys/devices/system/node/node[0-9]*"))), 1),
        "interfaces": {
            # What has no carrier to lose, such as loopback, calls its state unknown.
            link.name: {
                "up": _text(link / "operstate") in ("up", "unknown"),
                "numa_node": _numa_node(link / "device"),
                "rdma": link.name in rdma,
            }
            for link in root.glob("sys/class/net/*")
        },
        "nvme": nvme,
        "vmd": vmd,
        "block_devices": [f"/dev/{block.name}" for block in sorted(root.glob("sys/class/block/*"))],
        "iommu": any(root.glob("sys/class/iommu/*")),
        "memory": {
            "hugepage_kib": _hugepage_kib(root / "proc/meminfo"),
            "transparent_hugepages": _chosen(
                _text(root / "sys/kernel/mm/transparent_hugepage/enabled")
            ),
        },
    }


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:  # what a kernel or a container does not show
        return ""


def _numa_node(device: Path) -> int | None:
    """None for a virtual device, and where the firmware does not say (-1)."""
    number = _text(device / "numa_node")
    return int(number) if number.isdigit() else None


def _namespace(device: Path) -> dict[str, Any]:
    """Model and block size; unknown of a device that the kernel has handed to user space."""
    controller = next(device.glob("nvme/nvme*"), device / "none")
    namespaces = sorted(controller.glob("nvme*n*"))
    block = next(iter(namespaces), device / "none")
    lba_bytes = _text(block / "queue/logical_block_size")
    return {
        "model": _text(controller / "model") or None,
        "lba_bytes": int(lba_bytes) if lba_bytes else None,
        "namespaces": [f"/dev/{namespace.name}" for namespace in namespaces],
    }


def _hugepage_kib(meminfo: Path) -> int:
    sizes = [line.split() for line in _text(meminfo).splitlines()]
    return next((int(size[1]) for size in sizes if size[0] == "Hugepagesize:"), 2048)


def _chosen(choices: str) -> str:
    """The one in brackets; a kernel without huge pages never uses them."""
    return choices.partition("[")[2].partition("]")[0] or "never"


def writable(programs: Iterable[str], root: Path = Path("/")) -> list[dict[str, str]]:
    """What others than root may change, of programs and of every directory and link on their paths.

    In a directory that has the sticky bit and is root's, others can only add files of their own:
    what is root's stays, and what is not there yet, or is another user's, may become a link.
    """
    found = {}
    for program in programs:
        steps = [(step, _status(step)) for step in _steps(root, Path(program))]
        for (step, status), (_, following) in zip(steps, [*steps[1:], (None, None)]):
            if status is None:
                break
            by_group = status.st_mode & stat.S_IWGRP and (status.st_gid != 0 or _has_acl(step))
            by_others = status.st_mode & stat.S_IWOTH
            sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
            held = sticky and following is not None and following.st_uid == 0
            is_open = (by_group or by_others) and not held and not stat.S_ISLNK(status.st_mode)
            if is_open or status.st_uid != 0:
                path = "/" + str(step.relative_to(root))
                mode = f"{stat.S_IMODE(status.st_mode):04o}"
                found[path] = {"path": path, "owner": _name(status.st_uid), "mode": mode}
    return [found[path] for path in sorted(found)]


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _has_acl(path: Path) -> bool:
    """Whether the bits of the group are the mask of an access control list (acl(5))."""
    try:
        return "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False)
    except OSError:  # a file system without
        return False


def _steps(root: Path, program: Path) -> Iterator[Path]:
    """Every directory and link on the path of a program, from the root to the file itself.

    After a directory comes what is taken from it.
    """
    at, ahead, links = root, list(reversed(program.parts[1:])), 0
    yield at
    while ahead:
        part = ahead.pop()
        at = at.parent if part == ".." else at / part
        yield at
        if at.is_symlink():
            links += 1
            if links > MOST_LINKS:
                return
            target = at.readlink()
            at = root if target.is_absolute() else at.parent
            yield at
            ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)


MOST_LINKS = 40
"""That the kernel follows (path_resolution(7))."""


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def file_system(directory: Path) -> dict[str, str]:
    """Type and device of the file system on which a directory is, or will be."""
    mount = _mount(_existing(directory))
    return {"filesystem": mount["fstype"], "device": mount["source"]}


def _existing(directory: Path) -> Path:
    while not directory.is_dir():
        directory = directory.parent
    return directory


def _mount(directory: Path) -> dict[str, str]:
    command = ["findmnt", "--json", "--first-only", "--output=FSTYPE,SOURCE,OPTIONS", "--target"]
    found = subprocess.run([*command, str(directory)], check=True, capture_output=True, text=True)
    mount: dict[str, str] = json.loads(found.stdout)["filesystems"][0]
    return mount


LSBLK = (
    "lsblk",
    "--json",
    "--paths",
    "--bytes",
    "--output=NAME,TYPE,SIZE,RO,FSTYPE,LABEL,MOUNTPOINTS",
)
BLOBS = b"SPDKBLOB"
"""How the superblock of SPDK's blobstore begins (lib/blob/blobstore.h of SPDK)."""


def block_devices(names: Iterable[str]) -> dict[str, Any]:
    """What is on all block devices, and which of those that are named hold SPDK's blobs."""
    try:
        found = subprocess.run(LSBLK, check=True, capture_output=True, text=True)
        devices = json.loads(found.stdout)
    except (OSError, subprocess.CalledProcessError):  # not installed, or too old for an option
        devices = {}
    return {
        **devices,
        "blobs": [name for name in names if _begins(Path(name)).startswith(BLOBS)],
    }


def links(names: Iterable[str]) -> dict[str, str]:
    """Where the names of devices and files lead that are links, or lie behind links."""
    return {name: real for name in names if (real := os.path.realpath(name)) != name}


def directory(path: Path) -> dict[str, Any]:
    """A directory that DAOS is to have, and the file system below it."""
    try:
        entries = len(os.listdir(path))
    except OSError:
        entries = 0
    return {
        "exists": path.is_dir(),
        "filesystem": file_system(path)["filesystem"],
        "mounted": os.path.ismount(path),
        "entries": entries,
    }


def backing_file(path: Path) -> dict[str, Any]:
    """A file that would be an SSD, where there is one."""
    is_file, begins = path.is_file(), _begins(path)
    return {
        "type": "file" if is_file else "directory" if path.is_dir() else "other",
        "size_bytes": path.stat().st_size if is_file else 0,
        "blobs": begins.startswith(BLOBS),
        "blank": is_file and not begins.strip(b"\0"),
    }


def system_of(superblock: Path) -> str | None:
    """The system of which a superblock says that its engine is."""
    for line in _text(superblock).splitlines():
        key, _, value = line.partition(":")
        if key == "system":
            return value.strip().strip("\"'")
    return None


def shared(path: str) -> dict[str, Any]:
    """The file system on which a directory is, or will be: whose it is, its locks and its room."""
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
    }


def _locks(directory: Path) -> bool:
    """Whether the file system has locks; where one cannot be tried without writing, it may."""
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


def blocked(ports: dict[str, str], peer: str) -> dict[str, str]:
    """Which of these ports the packet filter closes to a peer, and the chain that does."""
    ruleset = Ruleset(printed(*COMMAND)) if ports and peer else Ruleset("")
    chains = {
        port: ruleset.blocks(Packet(int(port), peer, interface))
        for port, interface in ports.items()
    }
    return {port: chain for port, chain in chains.items() if chain is not None}


def _begins(path: Path) -> bytes:
    """The first 4 KiB of a device or file; nothing of what cannot be read, or would wait."""
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
            "prefix": {"type": "path", "default": "/usr"},
            "names": {"type": "dict", "default": {}},
            "ports": {"type": "dict", "default": {}},
            "peer": {"type": "str", "default": ""},
        },
        supports_check_mode=True,
    )
    scratch = module.params["scratch"]
    paths = [device for device in module.params["devices"] if device.startswith("/")]
    hardware = {
        **look(Path("/")),
        "setup": {
            **read_setup(Path("/"), module.params["prefix"], module.params["names"]),
            "blocked": blocked(module.params["ports"], module.params["peer"]),
        },
        "shared": shared(module.params["shared"]) if module.params["shared"] else None,
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
