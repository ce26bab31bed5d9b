#!/usr/bin/python
"""Raises kernel settings that are too low for DAOS, and reports what it cannot change."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: daos_host_kernel
short_description: Raise kernel settings to what DAOS needs, and put them back
description:
  - A number is raised where it is lower than wanted, and never lowered.
  - The value before the first change is kept in a ledger, so that V(absent) can restore it.
  - No change survives a reboot.
options:
  state:
    choices: [present, absent]
    default: present
    description: Whether to raise settings, or to restore those that nobody else changed since.
  ledger:
    type: path
    required: true
    description: File with the former values of the settings.
  sysctls:
    type: dict
    default: {}
    description: Minimum values by the name of the setting, with slashes, such as
      C(vm/max_map_count).
  disable_thp:
    type: bool
    default: false
    description: Whether to set transparent huge pages to V(never).
  settings:
    type: dict
    default: {}
    description:
      - Exact values, by the path of the file below C(/), which may be a pattern, such as
        C(sys/devices/system/cpu/cpu*/cpufreq/scaling_governor).
      - Settings that the kernel does not have are left out.
  ssds:
    type: list
    elements: str
    default: []
    description: PCI addresses of SSDs or VMD controllers, with the keys of daos_server.yml.
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Raise what is too low
  daos_host_kernel:
    sysctls: {vm/max_map_count: 1000000}
    disable_thp: true
    ledger: /var/lib/assay/ledger/daos_host/kernel.json
"""
RETURN = r"""
denied:
  description: A sentence for each setting that this host may not change, as in a container.
  returned: state is present
  type: list
short:
  description: A sentence for each setting that stayed lower than what was written to it.
  returned: state is present
  type: list
iommu:
  description: Whether the kernel uses an IOMMU.
  returned: state is present
  type: bool
small_lba:
  description:
    - A sentence for each SSD whose block size is not 4096 bytes.
    - The block size of an SSD in user space is unknown.
  returned: state is present
  type: list
"""

SYSCTLS = "proc/sys/"
THP = "sys/kernel/mm/transparent_hugepage/enabled"

LBA_BYTES = "4096"
LBA_FILE = "nvme/nvme*/nvme*n*/queue/logical_block_size"


class Kernel:
    """The settings below a root, each a file of one word, and a ledger of their former values."""

    def __init__(self, root: Path, ledger: Path, *, dry: bool) -> None:
        self.root = root
        self.ledger = ledger
        self.dry = dry
        self.changed = False
        self.denied: list[str] = []
        self.short: list[str] = []
        # By path: the value before the first change, and the value after the last.
        self.notes: dict[str, list[str]] = json.loads(_text(ledger) or "{}")

    def want(self, path: str, wanted: str) -> None:
        """Raise a setting if it is too low, or report why that is impossible."""
        self._change(path, wanted, _is_enough)

    def want_exactly(self, pattern: str, wanted: str) -> None:
        """Set all settings of a pattern to a value; stop at the first that is denied."""
        for file in sorted(self.root.glob(pattern)):
            denied = len(self.denied)
            self._change(str(file.relative_to(self.root)), wanted, str.__eq__)
            if len(self.denied) > denied:
                return

    def _change(self, path: str, wanted: str, is_enough: Callable[[str, str], bool]) -> None:
        before = self._value(path)
        if is_enough(before, wanted):
            return
        if not os.access(self.root / path, os.W_OK):  # also where the file system is read-only
            self.denied.append(f"/{path} is {before or 'absent'}, but should be {wanted}")
            return
        self.changed = True
        if self.dry:
            return
        self._note(path, before, wanted)
        (self.root / path).write_text(wanted, encoding="utf-8")
        after = self._value(path)
        if not is_enough(after, wanted):
            self._note(path, before, after)
            self.short.append(f"/{path} is {after} after {wanted} was written to it")

    def put_back(self) -> None:
        """Restore the former value of every setting, unless somebody else changed it since."""
        for path, (before, after) in self.notes.items():
            if self._value(path) == after != before:
                self.changed = True
                if not self.dry:
                    (self.root / path).write_text(before, encoding="utf-8")

    def _value(self, path: str) -> str:
        """The value of a setting; for a choice, the word in brackets; empty if there is none."""
        text = _text(self.root / path)
        return text.partition("[")[2].partition("]")[0] or text

    def _note(self, path: str, before: str, after: str) -> None:
        first, _ = self.notes.get(path, (before, after))
        self.notes[path] = [first, after]
        self.ledger.parent.mkdir(parents=True, exist_ok=True)
        self.ledger.write_text(json.dumps(self.notes), encoding="utf-8")


def small_lba(root: Path, ssds: list[str]) -> list[str]:
    """A sentence for each namespace of these SSDs whose block size is not 4096 bytes."""
    small = []
    for ssd in ssds:
        device, below = _device(ssd)
        files = (root / "sys/bus/pci/devices" / device).glob(f"{below}/{LBA_FILE}")
        for file in sorted(files):
            if _text(file) != LBA_BYTES:
                small.append(f"{file.parents[1].name} at {ssd} has blocks of {_text(file)} bytes")
    return small


def _device(address: str) -> tuple[str, str]:
    """The PCI device at an address, and the path of an SSD below it.

    DAOS writes an SSD behind the VMD controller 0000:5d:05.5 as 5d0505:01:00.0.
    """
    behind = re.fullmatch(r"([0-9a-f]{2})([0-9a-f]{2})0([0-7]):(.+)", address)
    if not behind:
        return address, "**"
    bus, slot, function, rest = behind.groups()
    return f"0000:{bus}:{slot}.{function}", f"**/*:{rest}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:  # what a kernel or a container does not show
        return ""


def _is_enough(value: str, wanted: str) -> bool:
    if wanted.isdigit():
        return value.isdigit() and int(value) >= int(wanted)
    return value == wanted


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        {
            "state": {"choices": ["present", "absent"], "default": "present"},
            "ledger": {"type": "path", "required": True},
            "sysctls": {"type": "dict", "default": {}},
            "disable_thp": {"type": "bool", "default": False},
            "settings": {"type": "dict", "default": {}},
            "ssds": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    options = module.params
    root = Path("/")
    kernel = Kernel(root, Path(options["ledger"]), dry=module.check_mode)
    if options["state"] == "absent":
        kernel.put_back()
        module.exit_json(changed=kernel.changed)
    for name, least in options["sysctls"].items():
        kernel.want(SYSCTLS + name, str(least))
    for pattern, value in options["settings"].items():
        kernel.want_exactly(pattern, str(value))
    if options["disable_thp"]:
        kernel.want_exactly(THP, "never")
    module.exit_json(
        changed=kernel.changed,
        denied=kernel.denied,
        short=kernel.short,
        iommu=any((root / "sys/class/iommu").glob("*")),
        small_lba=small_lba(root, options["ssds"]),
    )


if __name__ == "__main__":
    main()
