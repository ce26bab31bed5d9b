#!/usr/bin/python
"""What a host has that Ansible's own facts do not tell."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: cluster_hardware
short_description: Look at NUMA nodes, interfaces, NVMe SSDs, memory and the scratch file system
description:
  - Reads sysfs and procfs, and changes nothing.
options:
  scratch:
    type: path
    required: true
    description: A directory, which need not exist yet; its file system is looked up.
  told:
    type: dict
    required: true
    description:
      - What the inventory tells of the host, in the words of cluster.json. It is handed back as it
        is, so that one task a host is enough for all of its description.
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Look at the hardware
  cluster_hardware:
    scratch: /var/lib/assay/scratch
    told: {address: 192.0.2.1, engines: []}
  register: __cluster_hardware
"""
RETURN = r"""
hardware:
  description: Keys of a host in cluster.json, and of each interface those that facts lack.
  returned: always
  type: dict
told:
  description: The option of this name.
  returned: always
  type: dict
"""

NVME, RAID, INTEL = "0x0108", "0x0104", "0x8086"
"""PCI classes and a vendor; Intel's VMD controllers are of the class RAID."""


def look(root: Path) -> dict[str, Any]:
    """What sysfs and procfs below a root tell, in the words of cluster.json."""
    nvme, vmd = {}, {}
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
    block = next(controller.glob("nvme*n*"), device / "none")
    lba_bytes = _text(block / "queue/logical_block_size")
    return {
        "model": _text(controller / "model") or None,
        "lba_bytes": int(lba_bytes) if lba_bytes else None,
    }


def _hugepage_kib(meminfo: Path) -> int:
    sizes = [line.split() for line in _text(meminfo).splitlines()]
    return next((int(size[1]) for size in sizes if size[0] == "Hugepagesize:"), 2048)


def _chosen(choices: str) -> str:
    """The one in brackets; a kernel without huge pages never uses them."""
    return choices.partition("[")[2].partition("]")[0] or "never"


def file_system(directory: Path) -> dict[str, str]:
    """Type and device of the file system on which a directory is, or will be."""
    while not directory.is_dir():
        directory = directory.parent
    command = ["findmnt", "--json", "--first-only", "--output=FSTYPE,SOURCE", "--target"]
    found = subprocess.run([*command, str(directory)], check=True, capture_output=True, text=True)
    mount = json.loads(found.stdout)["filesystems"][0]
    return {"filesystem": mount["fstype"], "device": mount["source"]}


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        {
            "scratch": {"type": "path", "required": True},
            "told": {"type": "dict", "required": True},
        },
        supports_check_mode=True,
    )
    scratch = module.params["scratch"]
    hardware = {
        **look(Path("/")),
        "scratch": {"directory": scratch, **file_system(Path(scratch))},
    }
    module.exit_json(changed=False, hardware=hardware, told=module.params["told"])


if __name__ == "__main__":
    main()
